//! Commands on panes: which are open, which has the keys, and the pickers that go somewhere.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::effect::Effect;
use crate::ide::core::panes::Focus;
use crate::ide::features::transcript;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("view.focus-files", "Go to the file tree", |cx| focus(cx, Focus::Files)),
    command("view.focus-editor", "Go to the editor", |cx| focus(cx, Focus::Editor)),
    command("view.focus-agent", "Go to the agent's prompt", |cx| focus(cx, Focus::Agent)),
    command("view.next-pane", "Go to the next pane", |cx| focus(cx, cx.state.panes.next())),
    command("view.toggle-files", "Show or hide the file tree", |cx| toggle(cx, Focus::Files)),
    command("view.toggle-editor", "Show or hide the editor", |cx| toggle(cx, Focus::Editor)),
    command("view.toggle-agent", "Show or hide the agent", |cx| toggle(cx, Focus::Agent)),
    command("view.toggle-terminal", "Show or hide the terminal", |cx| toggle(cx, Focus::Terminal)),
    command("view.files-picker", "Find a file of the workspace", |cx| {
        cx.effects.push(Effect::Picker("files"));
    }),
    command("view.buffers-picker", "Go to an open file", |cx| cx.effects.push(Effect::Picker("buffers"))),
    command("view.outline-picker", "Go to a function, type or heading of the file", |cx| {
        if let Some(buffer) = cx.state.buffers.current_mut() {
            // Several keys may come before a frame: a tree of the text before them is none.
            buffer.coloring.hear(&mut buffer.area.document);
        }
        cx.effects.push(Effect::Picker("outline"));
    }),
    command("transcript.page-up", "Scroll the conversation up", |cx| scroll(cx, Some(-1))),
    command("transcript.page-down", "Scroll the conversation down", |cx| scroll(cx, Some(1))),
    command("transcript.top", "To the start of the conversation", |cx| scroll_end(cx, true)),
    command("transcript.bottom", "To the end of the conversation", |cx| scroll_end(cx, false)),
];

/// Gives a pane the keys, opening it when it was closed.
pub fn focus(cx: &mut Cx<'_>, pane: Focus) {
    cx.state.panes.set(pane, true);
    cx.state.panes.focus = pane;
    cx.state.selecting = false;
    cx.state.damage.all();
}

fn toggle(cx: &mut Cx<'_>, pane: Focus) {
    let open = !cx.state.panes.is_open(pane);
    if pane == Focus::Terminal && open && cx.state.terminals.all().is_empty() {
        cx.state.terminals.add(Vec::new());
    }
    cx.state.panes.set(pane, open);
    cx.state.damage.all();
}

fn scroll(cx: &mut Cx<'_>, pages: Option<isize>) {
    let rows = cx.state.areas.transcript.map_or(1, |area| isize::from(area.height as i16));
    let lines = pages.unwrap_or(0) * (rows - 2).max(1);
    cx.state.scroll_transcript(lines);
}

fn scroll_end(cx: &mut Cx<'_>, top: bool) {
    if top {
        transcript::earlier::to_start(cx);
    } else {
        cx.state.transcript_view.borrow_mut().to_tail();
    }
    cx.state.damage.add(crate::ide::core::damage::Part::Transcript);
}
