//! Retried model calls in the transcript: when the notice appears, counts down and disappears.

use crate::agent::event::AgentEvent;
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::ide::features::transcript::items::retry::Retry;

/// Handles an event of a retry.
pub fn apply(cx: &mut Cx<'_>, event: &AgentEvent) {
    let transcript = &mut cx.state.slots[TRANSCRIPT];
    match event {
        AgentEvent::RetryStart { attempt, max, delay, error }
        | AgentEvent::SummaryRetryStart { attempt, max, delay, error } => {
            let (due, error) = (cx.now.saturating_add(*delay), error.clone());
            transcript.begin_retry(Retry { attempt: *attempt, max: *max, error, due }, cx.now);
        }
        AgentEvent::RetryEnd { cancelled, .. } => {
            transcript.end_retry(*cancelled);
        }
        AgentEvent::SummaryRetryEnd | AgentEvent::AgentEnd { .. } => {
            if !transcript.end_retry(false) {
                return;
            }
        }
        _ => return,
    }
    cx.state.damage.add(Part::Transcript);
}

/// Updates the countdown.
pub fn tick(cx: &mut Cx<'_>) {
    // Each new number would be spoken.
    if cx.state.is_accessible() {
        return;
    }
    if cx.state.slots[TRANSCRIPT].count_down(cx.now) {
        cx.state.damage.add(Part::Transcript);
    }
}
