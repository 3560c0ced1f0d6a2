//! Letters typed into an empty prompt while an approval waits. Such a letter may be an answer, or the first
//! of a message to the agent. It is an answer only if there was silence before it, and nothing follows it for
//! a moment; the next letter makes both a text of the prompt.

use std::time::Duration;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::panes::AgentPart;
use crate::ide::core::state::State;
use crate::ide::editor::commands::edit;
use crate::ide::features::permissions::answers;
use crate::ide::features::permissions::choices::{Answer, answer_of};
use crate::ide::features::permissions::view::{APPROVAL, GUARD};
use crate::tui::input::{Key, KeyCode};

/// How long nothing may follow a letter that is an answer: more than the half second between two letters of
/// a slow typist.
pub const HOLD: Duration = Duration::from_millis(650);

/// A letter that is an answer if nothing follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldKey {
    letter: char,
    /// The answer.
    pub answer: Answer,
    due: Duration,
}

/// Returns whether a letter waits for silence.
pub fn is_holding(state: &State) -> bool {
    state.slots[APPROVAL].held.is_some()
}

/// Handles a key while an approval waits; returns whether it was handled.
pub fn take(cx: &mut Cx<'_>, key: Key) -> bool {
    let view = &mut cx.state.slots[APPROVAL];
    let quiet_since = view.last_key.max(view.shown_at);
    view.last_key = cx.now;
    view.is_quiet = cx.now.saturating_sub(quiet_since) >= GUARD;
    if view.request.is_none() {
        return false;
    }
    if let Some(held) = view.held {
        return match key.code {
            KeyCode::Enter if key.mods.is_empty() => {
                release(cx);
                answers::give(cx, held.answer);
                true
            }
            KeyCode::Escape => {
                release(cx);
                true
            }
            _ => {
                type_held(cx);
                false
            }
        };
    }
    if !view.is_quiet || !may_answer(cx.state) {
        return false;
    }
    let Some((letter, answer)) = key.typed().zip(answer_of(&cx.state.keymap, key)) else { return false };
    // Answers about other calls too, and those that begin something, need the keys.
    let is_plain = matches!(answer, Answer::Accept | Answer::AcceptRepeats | Answer::Deny);
    if !is_plain || !answers::is_offered(cx.state, answer) {
        return false;
    }
    cx.state.slots[APPROVAL].held = Some(HeldKey { letter, answer, due: cx.now + HOLD });
    cx.state.damage.add(Part::Approval);
    true
}

/// Returns whether a letter in the prompt may be an answer: the approval is on screen and the prompt is empty.
fn may_answer(state: &State) -> bool {
    state.layers.is_empty()
        && state.pending.is_empty()
        && state.panes.is_agent_focused(AgentPart::Prompt)
        && state.areas.approval.is_some()
        && state.prompt.area.text().is_empty()
}

/// Types a held letter into the prompt: something other than silence followed it.
pub fn type_held(cx: &mut Cx<'_>) {
    let Some(held) = release(cx) else { return };
    edit::type_char(cx, held.letter);
    cx.state.macros.note_typed(held.letter);
}

fn release(cx: &mut Cx<'_>) -> Option<HeldKey> {
    cx.state.damage.add(Part::Approval);
    cx.state.slots[APPROVAL].held.take()
}

/// Returns when a held letter becomes an answer.
pub fn deadline(state: &State) -> Option<Duration> {
    state.slots[APPROVAL].held.map(|held| held.due)
}

/// Gives the answer of a held letter once its time has come.
pub fn on_deadline(cx: &mut Cx<'_>) {
    if deadline(cx.state).is_some_and(|due| due <= cx.now)
        && let Some(held) = release(cx)
    {
        answers::give(cx, held.answer);
    }
}
