//! Compaction in the driver: measures how full the window is, requests summaries, and passes them to the
//! listener.
//!
//! Must not decide when: the machine does. While a summary is being written nothing has changed yet;
//! cancelling leaves no trace.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::summarizing::Summarizing;
use super::{Driver, Listener};
use crate::agent::compaction::branch::BranchSummaryPlan;
use crate::agent::compaction::hook::{Before, Failure, Hook};
use crate::agent::compaction::summary::{Repeat, SummaryError, Writer, Written, told};
use crate::agent::compaction::{Plan, estimate};
use crate::agent::effect::{Event, Fit, Timer};
use crate::agent::event::{AgentEvent, Compacted, CompactionReason};
use crate::llm::errors::error_phrases::silently_too_long;
use crate::llm::model::{AssistantMessage, ErrorKind, LlmError, Message, StopReason};

/// Percentage of the window above which a truncated answer is blamed on lack of room: a provider that limits
/// answers to the remaining window estimates with this margin.
const CROWDED: u64 = 85;
/// Capacity for retry notices: both parts of a summary may be retried at the same time.
const REPEATS: usize = 8;
/// An automatic compaction must remove at least this fraction of what it would keep; otherwise it would be
/// due again with the next request.
const WORTH: u64 = 4;

impl<L: Listener> Driver<L> {
    /// Returns the reason if the window is nearly full and a compaction can help.
    pub(super) fn full(&mut self) -> Option<CompactionReason> {
        self.read_history();
        let tokens = self.tokens();
        let budget = self.state.config().compaction.budget(&self.setup.model);
        if !budget.is_full(tokens) {
            return None;
        }
        let plan = self.listener.plan(budget, tokens).filter(|plan| plan.sums_up() >= budget.keep / WORTH)?;
        self.summing = Some(Summarizing::Planned(Arc::new(plan)));
        let over = tokens > budget.window;
        Some(if over { CompactionReason::Overflow } else { CompactionReason::Threshold })
    }

    /// Returns how an answer fits the window.
    pub(super) fn fit(&self, message: &AssistantMessage, error: Option<&LlmError>) -> Fit {
        let model = &self.setup.model;
        let cut_off = message.stop_reason == StopReason::Length;
        if error.is_some_and(|error| error.kind == ErrorKind::ContextLength)
            || cut_off && silently_too_long(message, model.context_window)
        {
            return Fit::TooLong;
        }
        let said = estimate::of_message(&Message::Assistant(message.clone()));
        let (output, total) = match message.usage.total_tokens {
            0 => (said, self.tokens().saturating_add(said)),
            total => (message.usage.output, total),
        };
        let crowded = total.saturating_mul(100) >= model.context_window.saturating_mul(CROWDED);
        if cut_off && model.context_window > 0 && output < model.max_tokens && crowded {
            return Fit::Cut;
        }
        Fit::Fits
    }

    /// Starts the summary of a branch that is left. Call it only while no run is active.
    pub async fn leave(&mut self, leaving: BranchSummaryPlan, instructions: Option<String>) {
        self.summing = Some(Summarizing::Branch(Arc::new(leaving)));
        self.send(Event::Leave { instructions }).await;
    }

    pub(super) async fn omit(&mut self) {
        if let Some(history) = self.listener.omit().await {
            self.set_history(history);
        }
    }

    /// Starts the summary of a compaction.
    pub(super) fn compact(
        &mut self,
        reason: CompactionReason,
        instructions: Option<String>,
        will_retry: bool,
    ) -> Option<Event> {
        let planned = if let Some(Summarizing::Planned(plan)) = self.summing.take() {
            Some(plan)
        } else {
            self.read_history();
            let budget = self.state.config().compaction.budget(&self.setup.model);
            self.listener.plan(budget, self.tokens()).map(Arc::new)
        };
        let Some(plan) = planned else { return Some(Event::Compacted(Err(SummaryError::Nothing))) };
        let about = Before { reason, will_retry, instructions, plan: plan.clone() };
        let (writer, repeats) = self.writer();
        self.work.write(writer.compaction(plan.clone(), about), repeats);
        self.summing = Some(Summarizing::Compaction { plan, reason, will_retry });
        None
    }

    /// Starts the summary of a branch.
    pub(super) fn sum_branch(&mut self, instructions: Option<String>) -> Option<Event> {
        let leaving = match &self.summing {
            Some(Summarizing::Branch(leaving)) => leaving.clone(),
            _ => return Some(Event::Left(Err(SummaryError::Nothing))),
        };
        let (writer, repeats) = self.writer();
        self.work.write(writer.branch(leaving, instructions), repeats);
        None
    }

    fn writer(&mut self) -> (Writer, mpsc::Receiver<Repeat>) {
        let (repeats, heard) = mpsc::channel(REPEATS);
        let writer = Writer {
            client: self.services.client.clone(),
            model: self.setup.model.clone(),
            thinking: self.setup.thinking,
            policy: self.state.config().retry_policy(),
            clock: self.services.clock.clone(),
            ids: self.services.ids.clone(),
            hook: self.services.hook.clone(),
            repeats,
        };
        (writer, heard)
    }

    /// Announces that a summary request will be retried.
    pub(super) async fn repeat(&mut self, repeat: Repeat) {
        let Repeat { attempt, max, delay, error } = repeat;
        self.repeating = true;
        self.work.wait(Timer::Summary, delay);
        self.listener.hear(AgentEvent::SummaryRetryStart { attempt, max, delay, error }).await;
    }

    /// Announces that the retry is sent now.
    pub(super) async fn repeats(&mut self) {
        let reason = match &self.summing {
            Some(Summarizing::Compaction { reason, .. }) => Some(*reason),
            Some(Summarizing::Branch(_)) => None,
            Some(Summarizing::Planned(_)) | None => return,
        };
        self.listener.hear(AgentEvent::SummaryRetry { reason }).await;
    }

    async fn repeated(&mut self) {
        if std::mem::take(&mut self.repeating) {
            self.listener.hear(AgentEvent::SummaryRetryEnd).await;
        }
    }

    /// Handles a finished or failed summary.
    pub(super) async fn written(&mut self, written: Result<Written, SummaryError>) {
        self.repeated().await;
        let event = match written {
            Err(why) => self.unwritten(why).await,
            Ok(written) => match self.summing.take() {
                Some(Summarizing::Compaction { plan, reason, will_retry }) => {
                    self.keep(&plan, written, reason, will_retry).await
                }
                Some(Summarizing::Branch(leaving)) => {
                    let cost = written.usage.as_ref().map_or(0.0, |usage| usage.cost.total);
                    let history = self.listener.left(&leaving, Ok(&written)).await;
                    let moved = history.map(|history| self.set_history(history));
                    Some(Event::Left(moved.map(|()| cost).ok_or_else(unkept)))
                }
                Some(Summarizing::Planned(_)) | None => None,
            },
        };
        if let Some(event) = event {
            self.send(event).await;
        }
    }

    async fn keep(
        &mut self,
        plan: &Plan,
        written: Written,
        reason: CompactionReason,
        will_retry: bool,
    ) -> Option<Event> {
        let mut done = Compacted {
            entry: String::new(),
            summary: written.text,
            first_kept: written.first_kept.unwrap_or_else(|| plan.first_kept.clone()),
            tokens_before: plan.tokens_before,
            tokens_after: 0,
            usage: written.usage,
            details: written.details,
            from_hook: written.from_hook,
        };
        let Some((entry, history)) = self.listener.compacted(&done).await else {
            tell_failure(self.services.hook.clone(), reason, will_retry, &unkept()).await;
            return Some(Event::Compacted(Err(unkept())));
        };
        self.set_history(history);
        (done.entry, done.tokens_after) = (entry, self.tokens());
        self.listener.sync().await;
        let done = Arc::new(done);
        if let Some(hook) = self.services.hook.clone() {
            hook.compacted(reason, done.clone()).await;
        }
        Some(Event::Compacted(Ok(done)))
    }

    /// Handles a summary that failed.
    pub(super) async fn unwritten(&mut self, why: SummaryError) -> Option<Event> {
        self.repeated().await;
        match self.summing.take()? {
            Summarizing::Compaction { reason, will_retry, .. } => {
                tell_failure(self.services.hook.clone(), reason, will_retry, &why).await;
                Some(Event::Compacted(Err(why)))
            }
            Summarizing::Branch(leaving) => {
                self.listener.left(&leaving, Err(&why)).await;
                Some(Event::Left(Err(why)))
            }
            Summarizing::Planned(_) => None,
        }
    }
}

async fn tell_failure(
    hook: Option<Arc<dyn Hook>>,
    reason: CompactionReason,
    will_retry: bool,
    why: &SummaryError,
) {
    let Some(hook) = hook else { return };
    let aborted = matches!(why, SummaryError::Aborted | SummaryError::Cancelled);
    hook.failed(Failure { reason, aborted, error: told(why, reason), will_retry }).await;
}

/// The error when the listener could not store the summary; it has already reported the cause.
fn unkept() -> SummaryError {
    SummaryError::Failed("it could not be stored".to_string())
}
