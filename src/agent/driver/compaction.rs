//! Compaction in the driver: measures how full the window is, requests summaries, and passes them to the
//! listener.
//!
//! Must not decide when: the machine does. While a summary is being written nothing has changed yet;
//! cancelling leaves no trace.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::pending_summary::PendingSummary;
use super::{Driver, Listener};
use crate::agent::compaction::branch::BranchSummaryPlan;
use crate::agent::compaction::hook::{BeforeCompaction, CompactionFailure, CompactionHook};
use crate::agent::compaction::summary::{
    FinishedSummary, RetryNotice, SummaryError, SummaryWriter, failure_text,
};
use crate::agent::compaction::{CompactionPlan, estimate};
use crate::agent::effect::{Event, Fit, Timer};
use crate::agent::event::{AgentEvent, Compacted, CompactionReason};
use crate::llm::errors::error_phrases::silently_too_long;
use crate::llm::model::{AssistantMessage, ErrorKind, LlmError, Message, StopReason};

/// Percentage of the window above which a truncated answer is blamed on lack of room: a provider that limits
/// answers to the remaining window estimates with this margin.
const CROWDED_PERCENT: u64 = 85;
/// Capacity for retry notices: both parts of a summary may be retried at the same time.
const RETRY_NOTICES_MAX: usize = 8;
/// An automatic compaction must remove at least this fraction of what it would keep; otherwise it would be
/// due again with the next request.
const MIN_SAVING_DIVISOR: u64 = 4;

impl<L: Listener> Driver<L> {
    /// Returns the reason if the window is nearly full and a compaction can help.
    pub(super) fn compaction_reason(&mut self) -> Option<CompactionReason> {
        self.load_history();
        let tokens = self.tokens();
        let budget = self.state.config().compaction.budget(&self.setup.model);
        if !budget.is_full(tokens) {
            return None;
        }
        let plan = self
            .listener
            .plan_compaction(budget, tokens)
            .filter(|plan| plan.removed_tokens() >= budget.keep / MIN_SAVING_DIVISOR)?;
        self.pending_summary = Some(PendingSummary::Planned(Arc::new(plan)));
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
        let answer_tokens = estimate::of_message(&Message::Assistant(message.clone()));
        let (output, total) = match message.usage.total_tokens {
            0 => (answer_tokens, self.tokens().saturating_add(answer_tokens)),
            total => (message.usage.output, total),
        };
        let crowded = total.saturating_mul(100) >= model.context_window.saturating_mul(CROWDED_PERCENT);
        if cut_off && model.context_window > 0 && output < model.max_tokens && crowded {
            return Fit::CutOff;
        }
        Fit::Fits
    }

    /// Starts the summary of a branch that is left. Call it only while no run is active.
    pub async fn leave_branch(&mut self, branch_plan: BranchSummaryPlan, instructions: Option<String>) {
        self.pending_summary = Some(PendingSummary::Branch(Arc::new(branch_plan)));
        self.send(Event::LeaveBranch { instructions }).await;
    }

    pub(super) async fn exclude_last_answer(&mut self) {
        if let Some(history) = self.listener.exclude_last_answer().await {
            self.set_history(history);
        }
    }

    /// Starts the summary of a compaction.
    pub(super) fn start_compaction(
        &mut self,
        reason: CompactionReason,
        instructions: Option<String>,
        will_retry: bool,
    ) -> Option<Event> {
        let planned = if let Some(PendingSummary::Planned(plan)) = self.pending_summary.take() {
            Some(plan)
        } else {
            self.load_history();
            let budget = self.state.config().compaction.budget(&self.setup.model);
            self.listener.plan_compaction(budget, self.tokens()).map(Arc::new)
        };
        let Some(plan) = planned else { return Some(Event::Compacted(Err(SummaryError::Nothing))) };
        let about = BeforeCompaction { reason, will_retry, instructions, plan: plan.clone() };
        let (writer, repeats) = self.summary_writer();
        self.work.start_summary(writer.summarize_compaction(plan.clone(), about), repeats);
        self.pending_summary = Some(PendingSummary::Compaction { plan, reason, will_retry });
        None
    }

    /// Starts the summary of a branch.
    pub(super) fn start_branch_summary(&mut self, instructions: Option<String>) -> Option<Event> {
        let branch_plan = match &self.pending_summary {
            Some(PendingSummary::Branch(branch_plan)) => branch_plan.clone(),
            _ => return Some(Event::BranchSummarized(Err(SummaryError::Nothing))),
        };
        let (writer, repeats) = self.summary_writer();
        self.work.start_summary(writer.summarize_branch(branch_plan, instructions), repeats);
        None
    }

    fn summary_writer(&mut self) -> (SummaryWriter, mpsc::Receiver<RetryNotice>) {
        let (repeats, notices) = mpsc::channel(RETRY_NOTICES_MAX);
        let writer = SummaryWriter {
            client: self.services.client.clone(),
            model: self.setup.model.clone(),
            thinking: self.setup.thinking,
            policy: self.state.config().retry_policy(),
            clock: self.services.clock.clone(),
            ids: self.services.ids.clone(),
            hook: self.services.hook.clone(),
            retry_notices: repeats,
        };
        (writer, notices)
    }

    /// Announces that a summary request will be retried.
    pub(super) async fn announce_retry(&mut self, repeat: RetryNotice) {
        let RetryNotice { attempt, max, delay, error } = repeat;
        self.retry_announced = true;
        self.work.start_timer(Timer::Summary, delay);
        self.listener.on_event(AgentEvent::SummaryRetryStart { attempt, max, delay, error }).await;
    }

    /// Announces that the retry is sent now.
    pub(super) async fn announce_retry_attempt(&mut self) {
        let reason = match &self.pending_summary {
            Some(PendingSummary::Compaction { reason, .. }) => Some(*reason),
            Some(PendingSummary::Branch(_)) => None,
            Some(PendingSummary::Planned(_)) | None => return,
        };
        self.listener.on_event(AgentEvent::SummaryRetry { reason }).await;
    }

    async fn end_retry(&mut self) {
        if std::mem::take(&mut self.retry_announced) {
            self.listener.on_event(AgentEvent::SummaryRetryEnd).await;
        }
    }

    /// Handles a finished or failed summary.
    pub(super) async fn finish_summary(&mut self, written: Result<FinishedSummary, SummaryError>) {
        self.end_retry().await;
        let event = match written {
            Err(error) => self.fail_summary(error).await,
            Ok(written) => match self.pending_summary.take() {
                Some(PendingSummary::Compaction { plan, reason, will_retry }) => {
                    self.store_compaction(&plan, written, reason, will_retry).await
                }
                Some(PendingSummary::Branch(branch_plan)) => {
                    let cost = written.usage.as_ref().map_or(0.0, |usage| usage.cost.total);
                    let history = self.listener.finish_branch_summary(&branch_plan, Ok(&written)).await;
                    let moved = history.map(|history| self.set_history(history));
                    Some(Event::BranchSummarized(moved.map(|()| cost).ok_or_else(store_error)))
                }
                Some(PendingSummary::Planned(_)) | None => None,
            },
        };
        if let Some(event) = event {
            self.send(event).await;
        }
    }

    async fn store_compaction(
        &mut self,
        plan: &CompactionPlan,
        written: FinishedSummary,
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
        let Some((entry, history)) = self.listener.store_compaction(&done).await else {
            notify_failure(self.services.hook.clone(), reason, will_retry, &store_error()).await;
            return Some(Event::Compacted(Err(store_error())));
        };
        self.set_history(history);
        (done.entry, done.tokens_after) = (entry, self.tokens());
        self.listener.sync().await;
        let done = Arc::new(done);
        if let Some(hook) = self.services.hook.clone() {
            hook.after_compaction(reason, done.clone()).await;
        }
        Some(Event::Compacted(Ok(done)))
    }

    /// Handles a summary that failed.
    pub(super) async fn fail_summary(&mut self, error: SummaryError) -> Option<Event> {
        self.end_retry().await;
        match self.pending_summary.take()? {
            PendingSummary::Compaction { reason, will_retry, .. } => {
                notify_failure(self.services.hook.clone(), reason, will_retry, &error).await;
                Some(Event::Compacted(Err(error)))
            }
            PendingSummary::Branch(branch_plan) => {
                self.listener.finish_branch_summary(&branch_plan, Err(&error)).await;
                Some(Event::BranchSummarized(Err(error)))
            }
            PendingSummary::Planned(_) => None,
        }
    }
}

async fn notify_failure(
    hook: Option<Arc<dyn CompactionHook>>,
    reason: CompactionReason,
    will_retry: bool,
    error: &SummaryError,
) {
    let Some(hook) = hook else { return };
    let aborted = matches!(error, SummaryError::Aborted | SummaryError::Cancelled);
    hook.compaction_failed(CompactionFailure {
        reason,
        aborted,
        error: failure_text(error, reason),
        will_retry,
    })
    .await;
}

/// The error when the listener could not store the summary; it has already reported the cause.
fn store_error() -> SummaryError {
    SummaryError::Failed("it could not be stored".to_string())
}
