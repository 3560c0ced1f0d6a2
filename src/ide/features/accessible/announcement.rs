//! The last line of the screen for screen readers: the newest message, which stays until the next, or the keys that are
//! waited for. Must not know who says what.

use ratatui::layout::Rect;

use crate::base::width::{truncate, visible};
use crate::ide::core::context::Cx;
use crate::ide::core::feature::FeatureEvent;
use crate::ide::core::keys::keymap::GROUP;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::features::permissions::answers;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::tui::canvas::Canvas;

/// Slot of the feature's state.
pub const HELD: Slot<Held> = Slot::new();

/// The announcement that a turn has ended, until all of its answer is shown.
#[derive(Debug, Default)]
pub struct Held(Option<(&'static str, bool)>);

/// Announces what the agent wants and how its turn ended.
pub fn on_event(cx: &mut Cx<'_>, fact: FeatureEvent) {
    if !cx.state.is_accessible() {
        return;
    }
    match fact {
        FeatureEvent::AgentAsks => {
            let text = request(cx.state);
            return cx.state.set_status(text);
        }
        FeatureEvent::AgentEnded { is_failed } => {
            let text = match (is_failed, cx.state.agent.was_interrupted) {
                (true, _) => "The agent failed",
                (false, true) => "The agent was interrupted",
                (false, false) => "The agent finished",
            };
            cx.state.slots[HELD].0 = Some((text, is_failed));
        }
        FeatureEvent::FrameSent => {}
        _ => return,
    }
    if cx.state.slots[TRANSCRIPT].is_behind() {
        return;
    }
    match cx.state.slots[HELD].0.take() {
        Some((text, true)) => cx.state.set_error(text),
        Some((text, false)) => cx.state.set_status(text),
        None => {}
    }
}

/// Returns what the agent waits for, and the key that leads there.
fn request(state: &State) -> String {
    let Some((_, ask)) = answers::shown(state) else { return "The agent asks a question".to_string() };
    let key = state.keymap.keys_for(state.base_key_context(), "view.focus-agent");
    let key = key.map(|key| format!(". {key} goes to the answers")).unwrap_or_default();
    let target = ask.target.lines().next().unwrap_or_default();
    format!("Approval is needed: {} wants to run {target}{key}", ask.tool)
}

/// Returns the text of the line.
fn text(state: &State) -> String {
    let status = &state.status;
    if !state.pending.is_empty() && !state.asks_for_key() {
        let keys: Vec<String> = state.pending.iter().map(ToString::to_string).collect();
        let title = |id: &str| match (state.catalog.command(id), id.strip_prefix(GROUP)) {
            (Some(command), _) => command.title.to_string(),
            (None, Some(group)) => format!("group {group}"),
            (None, None) => id.to_string(),
        };
        let next = state.hints.iter().map(|(key, id)| format!("{key} {}", title(id)));
        let next: Vec<String> = next.collect();
        return format!("{} then: {}", keys.join(" "), next.join(", "));
    }
    if status.message.is_empty() {
        return String::new();
    }
    let kind = if status.is_error { "Error: " } else { "" };
    let message = status.message.replace('\n', " ");
    // The same text on the same place would not be read again.
    let again = if status.repeats > 0 { format!(" ({} times)", status.repeats + 1) } else { String::new() };
    format!("{kind}{message}{again}")
}

/// Draws the line.
pub fn draw(canvas: &mut Canvas<'_>, state: &State) {
    let (cols, _) = canvas.size();
    let style = canvas.style(if state.status.is_error { "ui.status.error" } else { "ui.status" });
    canvas.fill(Rect::new(0, 0, cols, 1), style);
    canvas.text(0, 0, &truncate(&visible(&text(state)), usize::from(cols)), style);
}
