//! Commands on summaries: compact the conversation, show the current summary, edit it.

use crate::ide::core::context::{Command, Cx, answer_or_error, command, success_or_error};
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::sessions::view::SessionView;

/// Slash command of a prompt whose text replaces the summary.
const SUMMARY_COMMAND: &str = "/summary";

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("agent.compact", "Compact conversation", &["summarize", "compress context"], |cx| {
        compact(cx, None);
    }),
    command("agent.show-summary", "Show compaction summary", &["summarize"], |cx| request_summary(cx, false)),
    command("agent.edit-summary", "Edit compaction summary", &["summarize"], |cx| request_summary(cx, true)),
];

/// Replaces the current summary; without a text, puts it into the prompt for editing.
pub fn replace_summary(cx: &mut Cx<'_>, text: &str) {
    if text.is_empty() {
        return request_summary(cx, true);
    }
    let Some(session) = cx.session.cloned() else { return };
    let text = text.to_string();
    let changed = async move { session.edit_summary(&text).await };
    cx.tasks.spawn("agent.edit-summary", changed, |cx, changed| {
        if success_or_error(cx, "change the summary", changed).is_none() {
            return;
        }
        // The conversation continues after a new entry, which the open tree does not have.
        cx.state.layers.close::<SessionView>();
        panes::focus(cx, Focus::Agent);
        cx.state.set_status("Summary changed");
        cx.state.damage.add_all();
    });
}

/// Compacts the conversation, with an optional focus.
pub fn compact(cx: &mut Cx<'_>, about: Option<String>) {
    if !cx.state.agent.connected {
        return cx.state.set_status("Session is starting; try again in a moment");
    }
    if cx.state.agent.summarizing.is_some() {
        return cx.state.set_status("Already compacting. Escape cancels");
    }
    if cx.state.agent.working_since.is_some() {
        cx.state.set_status("Compacting before the agent's next request");
    }
    if let Some(session) = cx.session {
        session.compact(about);
    }
}

fn request_summary(cx: &mut Cx<'_>, change: bool) {
    if !cx.state.agent.connected {
        return cx.state.set_status("Session is starting; try again in a moment");
    }
    let Some(session) = cx.session.cloned() else { return };
    let summary = async move { session.summary().await };
    cx.tasks.spawn("agent.show-summary", summary, move |cx, summary| {
        if let Some(summary) = answer_or_error(cx, "show the summary", summary) {
            show_summary(cx, summary.as_deref(), change);
        }
    });
}

/// Shows the current summary, or puts it into the prompt for editing.
fn show_summary(cx: &mut Cx<'_>, summary: Option<&str>, change: bool) {
    let Some(summary) = summary else {
        return cx.state.set_status("No summary. Create one: /compact");
    };
    if change {
        let now_ms = cx.now_ms;
        cx.state.prompt.replace_text(&format!("{SUMMARY_COMMAND} {summary}"), now_ms);
        panes::focus(cx, Focus::Agent);
        cx.state.set_status("Edit the summary here; Enter replaces it");
    } else {
        cx.state.buffers.open_builtin("summary", "This text is read-only", summary);
        panes::focus(cx, Focus::Editor);
        cx.state.set_status("This is the summary sent in place of earlier messages");
    }
    cx.state.damage.add_all();
}
