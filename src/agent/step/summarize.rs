//! Compaction in the state machine: when to summarize a conversation that is, or becomes, too long, and how
//! to continue afterwards. Pure.

use std::sync::Arc;

use super::batch::{CUT_OFF, refuse_calls};
use super::task::{AfterSummary, CompactionRequest, SummaryTask};
use super::{Phase, State};
use crate::agent::compaction::summary::{SummaryError, failure_text};
use crate::agent::effect::{Effect, Fit};
use crate::agent::event::{AgentEvent, Compacted, CompactionReason};
use crate::agent::queue::{Lane, QueueMode};
use crate::llm::model::{AssistantMessage, LlmError};

/// Message for an answer that was cut off.
const TOO_LITTLE_ROOM: &str = "the conversation left the answer too little room";
/// The same, for the second time.
const STILL_TOO_LITTLE_ROOM: &str = "the answer was cut off again: compacted, too, the conversation leaves it too little \
                             room; choose a model with a larger window, or go back to an earlier place";
/// Message for a request that did not fit a second time.
const STILL_TOO_LONG: &str = "it was compacted once and still does not fit: choose a model with a larger window, or go back \
                     to an earlier place";

impl State {
    /// Calls the model, after a requested compaction.
    pub(super) fn request_answer(&mut self, out: &mut Vec<Effect>) {
        if let Some(CompactionRequest { instructions }) = self.requested_compaction.take() {
            return self.compact(CompactionReason::Manual, instructions, AfterSummary::CallModel, out);
        }
        let looked = self.compaction_failed || !self.config.compaction.enabled;
        self.call_model(looked, out);
    }

    fn call_model(&mut self, looked: bool, out: &mut Vec<Effect>) {
        self.phase = Phase::Calling { attempt: 1, began: false };
        out.push(Effect::CallModel { looked });
    }

    /// After a run: carries out requests that arrived meanwhile, and makes room for the next run.
    pub(super) fn after_run(&mut self, went_well: bool, out: &mut Vec<Effect>) {
        let requested = self.requested_compaction.take();
        let compaction = &self.config.compaction;
        match requested {
            _ if !went_well => {}
            Some(CompactionRequest { instructions }) => {
                self.compact(CompactionReason::Manual, instructions, AfterSummary::Idle, out);
            }
            None if compaction.enabled && compaction.after_runs && !self.compaction_failed => {
                out.push(Effect::CheckWindow);
            }
            None => {}
        }
    }

    /// Handles a nearly full window.
    pub(super) fn window_full(&mut self, reason: CompactionReason, out: &mut Vec<Effect>) {
        match self.phase {
            Phase::Calling { .. } => self.compact(reason, None, AfterSummary::CallModel, out),
            Phase::Idle if !self.closed => self.compact(reason, None, AfterSummary::Idle, out),
            _ => {}
        }
    }

    /// Handles a compaction request. One runs at a time, and none within a step of a run.
    pub(super) fn request_compaction(&mut self, instructions: Option<String>, out: &mut Vec<Effect>) {
        match self.phase {
            _ if self.closed => {}
            Phase::Idle => {
                self.aborting = false;
                self.compact(CompactionReason::Manual, instructions, AfterSummary::Idle, out);
            }
            Phase::Summarizing { .. } => {}
            _ => self.requested_compaction = Some(CompactionRequest { instructions }),
        }
    }

    /// Handles a move away from a branch.
    pub(super) fn leave_branch(&mut self, instructions: Option<String>, out: &mut Vec<Effect>) {
        if !matches!(self.phase, Phase::Idle) || self.closed {
            return out.push(Effect::Emit(AgentEvent::BranchSummaryEnd {
                aborted: true,
                error: None,
                cost: 0.0,
            }));
        }
        self.aborting = false;
        self.phase = Phase::Summarizing { task: SummaryTask::Branch, then: AfterSummary::Idle };
        out.push(Effect::Emit(AgentEvent::BranchSummaryStart));
        out.push(Effect::SummarizeBranch { instructions });
    }

    fn compact(
        &mut self,
        reason: CompactionReason,
        instructions: Option<String>,
        then: AfterSummary,
        out: &mut Vec<Effect>,
    ) {
        let will_retry = matches!(then, AfterSummary::RetryRequest(_));
        self.phase = Phase::Summarizing { task: SummaryTask::Compaction(reason), then };
        out.push(Effect::Emit(AgentEvent::CompactionStart { reason }));
        out.push(Effect::Compact { reason, instructions, will_retry });
    }

    /// Handles a recorded answer that shows that the conversation does not fit: it is compacted once, and the
    /// request is sent again. `false` when that is not possible.
    pub(super) fn make_room(
        &mut self,
        message: &AssistantMessage,
        error: Option<&LlmError>,
        fit: Fit,
        out: &mut Vec<Effect>,
    ) -> bool {
        if !self.config.compaction.enabled || self.compaction_failed {
            return false;
        }
        let error_text = error.map(|error| error.message.clone()).or_else(|| message.error_message.clone());
        let error_text = error_text.unwrap_or_else(|| TOO_LITTLE_ROOM.to_string());
        refuse_calls(message.clone(), CUT_OFF, out);
        if std::mem::replace(&mut self.overflow_compacted, true) {
            let message_text = if fit == Fit::CutOff {
                STILL_TOO_LITTLE_ROOM.to_string()
            } else {
                format!("{error_text}; {STILL_TOO_LONG}")
            };
            self.end_run(false, Some(message_text), out);
            self.close(out);
            return true;
        }
        out.push(Effect::ExcludeLastAnswer);
        self.compact(CompactionReason::Overflow, None, AfterSummary::RetryRequest(error_text), out);
        true
    }

    /// Handles the end of a compaction.
    pub(super) fn compaction_ended(
        &mut self,
        result: Result<Arc<Compacted>, SummaryError>,
        out: &mut Vec<Effect>,
    ) {
        let Phase::Summarizing { task: SummaryTask::Compaction(reason), then } =
            std::mem::take(&mut self.phase)
        else {
            return;
        };
        let aborted = matches!(result, Err(SummaryError::Aborted | SummaryError::Cancelled));
        let stopped = matches!(result, Err(SummaryError::Aborted)) || self.aborting;
        let error = result.as_ref().err().and_then(|why| failure_text(why, reason));
        let done = result.is_ok();
        out.push(Effect::Emit(AgentEvent::CompactionEnd {
            reason,
            aborted,
            will_retry: done && matches!(then, AfterSummary::RetryRequest(_)),
            result: result.ok(),
            error: error.clone(),
        }));
        self.compaction_failed |= !done && reason != CompactionReason::Manual;
        match then {
            // A compaction requested by the user starts nothing else; after an automatic one, queued messages
            // are delivered.
            AfterSummary::Idle => self.resume(stopped, reason != CompactionReason::Manual, out),
            _ if stopped => self.end_run(true, None, out),
            AfterSummary::CallModel => self.call_model(true, out),
            AfterSummary::RetryRequest(_) if done => {
                out.push(Effect::Emit(AgentEvent::TurnStart));
                self.call_model(true, out);
            }
            AfterSummary::RetryRequest(message) => {
                let why = error.map_or(message.clone(), |error| format!("{message}; {error}"));
                self.end_run(false, Some(why), out);
                self.close(out);
            }
        }
    }

    /// Handles the end of a branch summary.
    pub(super) fn branch_summarized(&mut self, result: &Result<f64, SummaryError>, out: &mut Vec<Effect>) {
        if !matches!(self.phase, Phase::Summarizing { task: SummaryTask::Branch, .. }) {
            return;
        }
        let aborted = matches!(result, Err(SummaryError::Aborted | SummaryError::Cancelled));
        let error = match result {
            Err(SummaryError::Failed(error)) => Some(error.clone()),
            _ => None,
        };
        let cost = result.as_ref().copied().unwrap_or_default();
        let stopped = matches!(result, Err(SummaryError::Aborted)) || self.aborting;
        out.push(Effect::Emit(AgentEvent::BranchSummaryEnd { aborted, error, cost }));
        self.resume(stopped, false, out);
    }

    /// Resumes with messages submitted while no run was active, and with queued ones if `queued`. After an
    /// interruption they wait.
    fn resume(&mut self, stopped: bool, queued: bool, out: &mut Vec<Effect>) {
        self.phase = Phase::Idle;
        self.aborting = false;
        let begins = std::mem::take(&mut self.prompted_during_summary) || queued;
        if stopped || !begins || self.queues.is_empty() {
            return;
        }
        let mut messages = self.queues.take(Lane::Steering, QueueMode::One);
        if messages.is_empty() {
            messages = self.queues.take(Lane::FollowUp, QueueMode::One);
        }
        out.push(self.queue_update());
        self.begin_run(out);
        self.start_turn(messages, out);
    }
}
