//! The time shown with running calls: when it stands still, and when it is drawn again.

use std::time::Duration;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::features::transcript::agents;
use crate::ide::features::transcript::items::TRANSCRIPT;

/// Starts and stops the timers of calls, before the loop sleeps.
pub fn update(cx: &mut Cx<'_>) {
    let waiting = std::mem::take(&mut cx.state.agent.waiting_calls);
    let waits = |id: &str| waiting.iter().any(|waiting| waiting == id);
    cx.state.slots[TRANSCRIPT].update_timers(cx.now, waits);
    agents::update_timers(cx.state, cx.now, waits);
    cx.state.agent.waiting_calls = waiting;
}

/// Returns when something that the conversation shows changes by time.
pub fn deadline(state: &State) -> Option<Duration> {
    if state.is_accessible() {
        // Each new time would be spoken.
        return None;
    }
    let transcript = &state.slots[TRANSCRIPT];
    let shown = agents::shown(&state.slots).0.time_deadline();
    [transcript.retry_deadline(), transcript.time_deadline(), shown].into_iter().flatten().min()
}

/// Shows the times that have changed.
pub fn tick(cx: &mut Cx<'_>) {
    if cx.state.is_accessible() {
        return;
    }
    let is_changed = cx.state.slots[TRANSCRIPT].update_times(cx.now);
    if agents::update_times(cx.state, cx.now) || is_changed {
        cx.state.damage.add(Part::Transcript);
    }
}
