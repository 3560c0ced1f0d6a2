//! How long running calls have run, and how long the model thought. The time in which a call waits for the user
//! does not count. Must not know who answers.

use std::time::Duration;

use crate::ide::features::transcript::cards::status::SHOWN_MIN;
use crate::ide::features::transcript::items::{Call, CallStatus, ItemKind, Transcript};

const SECOND: Duration = Duration::from_secs(1);

/// The time that a call has run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallTimer {
    /// Until it was last stopped.
    ran: Duration,
    /// Since when it runs again, on the monotonic clock.
    since: Option<Duration>,
}

impl CallTimer {
    /// Returns the time that the call has run.
    pub fn elapsed(self, now: Duration) -> Duration {
        self.ran + self.since.map_or(Duration::ZERO, |since| now.saturating_sub(since))
    }

    pub(super) fn set_running(&mut self, is_running: bool, now: Duration) {
        if is_running != self.since.is_some() {
            *self = Self { ran: self.elapsed(now), since: is_running.then_some(now) };
        }
    }

    /// Returns when it has run for that time.
    fn reaches(self, elapsed: Duration) -> Option<Duration> {
        Some(self.since? + elapsed.saturating_sub(self.ran))
    }
}

impl Transcript {
    /// Sets the time of the next events, on the monotonic clock.
    pub fn set_now(&mut self, now: Duration) {
        self.now = now;
    }

    /// Starts and stops the timers of running calls: those that wait for the user stand still.
    pub fn update_timers(&mut self, now: Duration, waits: impl Fn(&str) -> bool) {
        if self.running.is_empty() {
            return;
        }
        let mut running = std::mem::take(&mut self.running);
        running.retain(|id| {
            let Some(call) = self.running_call(*id) else { return false };
            let is_running = call.status == CallStatus::Running && !waits(&call.call_id);
            call.timer.set_running(is_running, now);
            true
        });
        self.running = running;
    }

    /// Stops all timers: the session has ended, and nothing of it runs any more.
    pub fn stop_timers(&mut self) {
        self.running.clear();
    }

    /// Returns when the time shown with a running call changes next.
    pub fn time_deadline(&self) -> Option<Duration> {
        let due = |id: &u64| match &self.item(*id)?.kind {
            ItemKind::Tool(call) => call.next_second(),
            _ => None,
        };
        self.running.iter().filter_map(due).min()
    }

    /// Updates the times shown with running calls; returns whether one changed.
    pub fn update_times(&mut self, now: Duration) -> bool {
        let mut is_changed = false;
        for id in self.running.clone() {
            let Some(call) = self.running_call(id) else { continue };
            if call.update_seconds(now) {
                is_changed = true;
                self.touch(id);
            }
        }
        is_changed
    }

    fn running_call(&mut self, id: u64) -> Option<&mut Call> {
        let item = self.items.iter_mut().rev().find(|item| item.id == id)?;
        match &mut item.kind {
            ItemKind::Tool(call) if call.is_running() => Some(call),
            _ => None,
        }
    }

    /// Marks an item as changed.
    pub(super) fn touch(&mut self, id: u64) {
        if let Some(item) = self.items.iter_mut().rev().find(|item| item.id == id) {
            item.version += 1;
        }
    }

    /// The model begins to think, in that part of its answer.
    pub(super) fn begin_thinking(&mut self, index: usize) {
        self.thinking = Some((index, self.now));
    }

    /// The model has thought, or goes on with something else.
    pub(super) fn end_thinking(&mut self) {
        let Some((index, since)) = self.thinking.take() else { return };
        let took = self.now.saturating_sub(since);
        if let Some(item) = self.part(index).filter(|_| took >= SHOWN_MIN) {
            item.took = Some(took);
            item.version += 1;
        }
    }
}

impl Call {
    /// Whether it runs, or the subagent that it started.
    fn is_running(&self) -> bool {
        self.status == CallStatus::Running || self.agent.as_ref().is_some_and(|agent| agent.is_running)
    }

    /// Returns when the time shown with it changes next.
    fn next_second(&self) -> Option<Duration> {
        let after = |seconds: u64| SECOND * u32::try_from(seconds + 1).unwrap_or(u32::MAX);
        match &self.agent {
            Some(agent) => agent.timer.reaches(after(agent.seconds)),
            None if self.status == CallStatus::Running => {
                self.timer.reaches(after(self.seconds.unwrap_or(0)))
            }
            None => None,
        }
    }

    /// Updates the time shown with it; returns whether it changed.
    fn update_seconds(&mut self, now: Duration) -> bool {
        let seconds = self.timer.elapsed(now).as_secs();
        match &mut self.agent {
            Some(agent) => {
                let seconds = agent.timer.elapsed(now).as_secs();
                std::mem::replace(&mut agent.seconds, seconds) != seconds
            }
            None => self.seconds.replace(seconds).unwrap_or(0) != seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::Value;

    use super::*;
    use crate::agent::event::AgentEvent;
    use crate::ide::features::transcript::lines::hidden_thinking;
    use crate::llm::model::StreamEvent;
    use crate::tools::contract::registry::Registry;

    fn stream(transcript: &mut Transcript, seconds: u64, event: StreamEvent) {
        transcript.set_now(SECOND * u32::try_from(seconds).unwrap());
        transcript.apply(&AgentEvent::MessageUpdate(Arc::new(event)), &Registry::new());
    }

    #[test]
    fn transcript_thinking_takes_until_model_goes_on() {
        for end in [StreamEvent::ThinkingEnd { index: 0 }, StreamEvent::TextStart { index: 1 }] {
            let mut transcript = Transcript::default();
            stream(&mut transcript, 1, StreamEvent::ThinkingStart { index: 0 });
            let delta = format!("  first words\u{1b}[31m of {}", "long ".repeat(10_000));
            stream(&mut transcript, 2, StreamEvent::ThinkingDelta { index: 0, delta });
            stream(&mut transcript, 5, end);
            stream(&mut transcript, 9, StreamEvent::TextStart { index: 2 });
            let line = hidden_thinking(&transcript.items()[0], 40).remove(0).remove(0).text;
            assert_eq!(line, "∴ thought 4 s · first words␛[31m of lon…");
        }
    }

    #[test]
    fn transcript_of_ended_session_counts_no_time() {
        let mut transcript = Transcript::default();
        let start = AgentEvent::ToolStart { call_id: "c".into(), tool: "t".into(), args: Value::Null };
        transcript.apply(&start, &Registry::new());
        transcript.update_timers(SECOND, |_| false);
        assert_eq!(transcript.time_deadline(), Some(SECOND * 2));
        assert!(!transcript.update_times(SECOND) && transcript.update_times(SECOND * 2));
        transcript.stop_timers();
        assert!(transcript.time_deadline().is_none() && !transcript.update_times(SECOND * 9));
    }

    #[test]
    fn transcript_timer_stands_still_while_call_waits() {
        let mut timer = CallTimer::default();
        timer.set_running(true, SECOND);
        timer.set_running(false, SECOND * 3);
        assert_eq!((timer.elapsed(SECOND * 60), timer.reaches(SECOND * 3)), (SECOND * 2, None));
        timer.set_running(true, SECOND * 60);
        assert_eq!((timer.elapsed(SECOND * 61), timer.reaches(SECOND * 3)), (SECOND * 3, Some(SECOND * 61)));
    }
}
