//! Commands on panes: open, close, focus, and pickers that navigate.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::panes::{AgentPart, Focus};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("view.focus-files", "Focus file tree", &["explorer", "sidebar"], focus_files),
    command("view.focus-editor", "Focus editor", &["go to editor", "leave agent"], |cx| {
        focus(cx, Focus::Editor);
    }),
    command(
        "view.focus-agent",
        "Focus agent prompt",
        &["agent", "ask", "fix", "chat", "assistant"],
        focus_agent,
    ),
    command("view.next-pane", "Focus next pane", &["switch panel"], |cx| focus(cx, cx.state.panes.next())),
    command("view.toggle-files", "Toggle file tree", &["explorer", "sidebar"], |cx| toggle(cx, Focus::Files)),
    command("view.toggle-editor", "Toggle editor", &["hide editor", "only agent"], |cx| {
        toggle(cx, Focus::Editor);
    }),
    command("view.toggle-agent", "Toggle agent pane", &["chat", "panel", "assistant"], |cx| {
        toggle(cx, Focus::Agent);
    }),
    command("view.zoom-pane", "Zoom focused pane", &["zoom", "maximize", "fullscreen"], |cx| {
        zoom(cx, cx.state.panes.focus);
    }),
    command("view.zoom-files", "Zoom file tree", &["maximize"], |cx| zoom(cx, Focus::Files)),
    command("view.zoom-editor", "Zoom editor", &["maximize"], |cx| zoom(cx, Focus::Editor)),
    command("view.zoom-agent", "Zoom agent pane", &["maximize chat"], |cx| zoom(cx, Focus::Agent)),
    command("view.zoom-terminal", "Zoom terminal", &["maximize"], |cx| zoom(cx, Focus::Terminal)),
    command(
        "view.files-picker",
        "Go to file",
        &["find file", "quick open", "fuzzy finder", "go to anything"],
        |cx| {
            cx.defer_picker("files");
        },
    ),
    command("view.buffers-picker", "Go to open file", &["switch buffer", "open editors"], |cx| {
        cx.defer_picker("buffers");
    }),
    command(
        "view.recent-files-picker",
        "Go to recent file",
        &["recently opened", "oldfiles", "recentf", "file history"],
        |cx| {
            cx.defer_picker("recent-files");
        },
    ),
    command("view.outline-picker", "Go to symbol", &["outline", "functions", "headings"], |cx| {
        if let Some(buffer) = cx.state.buffers.current_mut() {
            // Several keys may come before a frame: an older tree must not be used.
            buffer.highlighting.apply_changes(&mut buffer.area.document);
        }
        cx.defer_picker("outline");
    }),
    command(
        "view.project-symbols-picker",
        "Go to project symbol",
        &["workspace symbols", "find symbol", "functions"],
        |cx| {
            cx.defer_picker("project-symbols");
        },
    ),
];

/// Focuses the prompt. From there a waiting approval gets the keys.
fn focus_agent(cx: &mut Cx<'_>) {
    let is_here = cx.state.panes.is_agent_focused(AgentPart::Prompt);
    focus(cx, Focus::Agent);
    if is_here && cx.state.areas.approval.is_some() {
        cx.defer_command("approval.focus");
    }
}

/// Focuses the file tree. From there the session tree below it gets the keys.
fn focus_files(cx: &mut Cx<'_>) {
    let is_here = cx.state.panes.focus == Focus::Files;
    let is_below = is_here && cx.state.panes.is_open(Focus::SessionTree);
    focus(cx, if is_below { Focus::SessionTree } else { Focus::Files });
}

/// Focuses a pane, opening it if it is closed.
pub fn focus(cx: &mut Cx<'_>, pane: Focus) {
    cx.state.panes.set(pane, true);
    cx.state.panes.focus = pane;
    cx.state.panes.agent_part = AgentPart::Prompt;
    cx.state.selecting = false;
    cx.state.damage.add_all();
}

/// Gives a pane the whole screen, or all panes their places again if it has it.
fn zoom(cx: &mut Cx<'_>, pane: Focus) {
    if cx.state.panes.zoomed.take() != Some(pane) {
        if pane == Focus::Terminal && cx.state.panes.focus != pane {
            // It may have to be started.
            cx.defer_command("terminal.toggle");
        } else if cx.state.panes.focus != pane {
            focus(cx, pane);
        }
        cx.state.panes.zoomed = Some(pane);
    }
    cx.state.damage.add_all();
}

/// Opens or closes a pane.
pub fn toggle(cx: &mut Cx<'_>, pane: Focus) {
    let open = !cx.state.panes.is_open(pane);
    cx.state.panes.set(pane, open);
    cx.state.damage.add_all();
}
