//! The first line of a pane for screen readers: its name and state in words. It has nothing that changes with every key
//! or by time alone, since each change may be spoken; the position is said on request. Must not draw.

use crate::base::plural::pluralize;
use crate::base::width::visible;
use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::features::git::branch::BRANCH;
use crate::ide::features::permissions::answers;
use crate::ide::features::review::state::REVIEW;
use crate::ide::model::agent::thousands;
use crate::ide::model::text_area::TextArea;

/// Returns the title of the editor: the file, its length, and what is unusual about it.
pub fn editor(state: &State) -> String {
    let Some(buffer) = state.buffers.current() else { return "Editor: no file".to_string() };
    let mut parts = vec![format!("Editor: {}", buffer.path_or_name(&state.workspace))];
    if !buffer.is_image {
        let lines = buffer.area.text().line_count();
        parts.push(pluralize(lines, "line", "lines"));
    }
    let modes = state.keymap.modal_style();
    if modes != ModalStyle::None {
        parts.push(format!("{} mode", state.modal.mode.name(modes)));
    }
    if buffer.is_unsaved() || buffer.has_unapplied_edits() {
        parts.push("modified".to_string());
    }
    if let Some(reason) = buffer.read_only().filter(|_| !buffer.is_image) {
        parts.push(format!("read-only: {reason}"));
    }
    parts.join(", ")
}

/// Returns the title of the agent's pane: what it does, and the session.
pub fn agent(state: &State) -> String {
    let title = state.agent.title().unwrap_or("New session");
    format!("Agent, {}: {}", agent_state(state), visible(title))
}

/// Returns what the agent does, in a word or two.
fn agent_state(state: &State) -> &'static str {
    let agent = &state.agent;
    if agent.working_since.is_some() {
        return if answers::shown(state).is_some() { "waits for approval" } else { "working" };
    }
    match (agent.connected, agent.worked_for) {
        (false, _) => "starting",
        (true, Some(_)) if agent.has_failed => "failed",
        (true, Some(_)) if agent.was_interrupted => "interrupted",
        (true, Some(_)) => "finished",
        (true, None) => "ready",
    }
}

/// Returns where the caret is and what the agent does, for an announcement.
pub fn position(state: &State) -> String {
    let mut parts = Vec::new();
    if let Some(buffer) = state.buffers.current().filter(|_| state.panes.focus == Focus::Editor) {
        let (line, column) = buffer.cursor(state.text_options.tab_width);
        if !buffer.is_image {
            let count = buffer.area.text().line_count();
            parts.push(format!("Line {} of {count}, column {}", line.0 + 1, column.0 + 1));
            parts.extend(selected(&buffer.area));
        }
        parts.push(editor(state));
    }
    parts.extend(state.slots[BRANCH].name().map(|name| format!("Branch {}", visible(name))));
    parts.push(agent(state));
    if let Some(model) = &state.agent.model {
        parts.push(model.name.clone());
        if state.agent.context_tokens > 0 {
            let window = thousands(model.context_window);
            parts.push(format!("{} of {window} tokens", thousands(state.agent.context_tokens)));
        }
    }
    if state.agent.usage.cost.total > 0.0 {
        parts.push(format!("${:.3}", state.agent.usage.cost.total));
    }
    parts.push(format!("Approval: {}", state.agent.approval_mode.name()));
    let review = state.slots[REVIEW].totals();
    if review.files > 0 {
        let files = pluralize(review.files, "file", "files");
        parts.push(format!("{files} to review, {} lines added, {} removed", review.added, review.removed));
    }
    parts.join(". ")
}

/// Returns how much the main selection holds, and how many there are.
fn selected(area: &TextArea) -> Option<String> {
    let (text, main) = (area.text(), area.selection.primary());
    let (first, last) = (text.line_of(main.start()), text.line_of(main.end()));
    let size = if main.is_empty() {
        None
    } else if first == last {
        Some(pluralize(text.slice(main.start()..main.end()).chars().count(), "character", "characters"))
    } else {
        Some(pluralize(last.0 - first.0 + 1, "line", "lines"))
    };
    let size = size.map(|size| format!("{size} selected"));
    let count = area.selection.ranges().len();
    let cursors = (count > 1).then(|| format!("{count} cursors"));
    let parts: Vec<String> = size.into_iter().chain(cursors).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
