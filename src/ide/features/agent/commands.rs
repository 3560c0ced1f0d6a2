//! Commands on the agent: interrupt, its settings, its edits.

use crate::ide::core::condition;
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::agent::thinking;
use crate::runtime::PromptReport;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("agent.interrupt", "Interrupt agent", &["stop", "cancel", "abort"], interrupt)
        .when(condition::has_turn),
    command("agent.cycle-thinking", "Cycle thinking level", &["reasoning effort"], |cx| {
        thinking::cycle(cx, 1);
    }),
    command("agent.thinking-picker", "Choose thinking level", &["reasoning effort"], |cx| {
        cx.defer_picker("thinking");
    }),
    command("agent.approval-picker", "Choose approval mode", &["permissions", "yolo", "auto-accept"], |cx| {
        cx.defer_picker("approval-modes");
    }),
    command("agent.profile-picker", "Choose agent profile", &["toolset"], |cx| {
        cx.defer_picker("profiles");
    }),
    command(
        "agent.tools-picker",
        "Choose agent tools",
        &["tools", "enable tools", "disable tools", "toolset"],
        |cx| cx.defer_picker("tools"),
    ),
    command(
        "agent.show-prompt",
        "Show system prompt",
        &["instructions", "AGENTS.md", "CLAUDE.md"],
        show_prompt,
    )
    .when(condition::has_session),
    command("agent.toggle-thinking", "Toggle thinking blocks", &["reasoning"], toggle_thinking),
    command(
        "agent.toggle-output",
        "Toggle full tool output",
        &["expand", "collapse", "verbose"],
        toggle_output,
    ),
    command("agent.accept-edits", "Mark agent edits reviewed", &["accept changes", "keep"], mark_reviewed)
        .when(condition::has_file),
    command("agent.next-edit", "Go to next agent edit", &["review changes"], go_to_next_edit)
        .when(condition::has_file),
];

/// Interrupts the agent.
pub fn interrupt(cx: &mut Cx<'_>) {
    if let Some(session) = cx.session {
        session.abort();
    }
}

fn show_prompt(cx: &mut Cx<'_>) {
    let Some(session) = cx.session.cloned() else { return };
    let prompt = async move { session.system_prompt().await };
    cx.tasks.spawn("agent.show-prompt", prompt, |cx, prompt| {
        match answer_or_error(cx, "show the system prompt", prompt) {
            Some(Some(prompt)) => show_system_prompt(cx, &prompt),
            Some(None) => cx.state.set_error("Session has ended"),
            None => {}
        }
    });
}

/// Shows the system prompt as a readable text.
fn show_system_prompt(cx: &mut Cx<'_>, prompt: &PromptReport) {
    cx.state.buffers.open_builtin("system prompt", "This text is read-only", &prompt.text());
    panes::focus(cx, Focus::Editor);
    cx.state.set_status("This is the system prompt, sent before the conversation");
    cx.state.damage.add_all();
}

fn toggle_thinking(cx: &mut Cx<'_>) {
    cx.state.text_options.show_thinking = !cx.state.text_options.show_thinking;
    cx.state.damage.add(Part::Transcript);
}

fn toggle_output(cx: &mut Cx<'_>) {
    cx.state.text_options.expand_output = !cx.state.text_options.expand_output;
    cx.state.damage.add(Part::Transcript);
}

fn mark_reviewed(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let count = buffer.area.document.marks().all().len();
    buffer.area.document.clear_marks();
    cx.state.damage.add_all();
    cx.state.set_status(if count == 0 {
        "No agent edits to review here".to_string()
    } else {
        format!("Marked {count} edits as reviewed")
    });
}

fn go_to_next_edit(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let head = buffer.area.selection.primary().head;
    let marks = buffer.area.document.marks().all();
    let next =
        marks.iter().find(|mark| mark.range.start > head).or(marks.first()).map(|mark| mark.range.start);
    match next {
        Some(at) => buffer.area.go_to(at),
        None => cx.state.set_status("No agent edits to review here"),
    }
    cx.state.damage.add(Part::Editor);
}
