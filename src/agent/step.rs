//! The agent loop as a pure state machine: a state and an event yield effects. No clock, no random numbers,
//! no I/O; all of that enters with events and leaves as effects.
//!
//! Messages created by the machine have timestamp 0; the driver sets it.

mod batch;
mod summarize;
mod task;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use self::batch::{ABORTED, Batch, CUT_OFF, error_result, refuse_calls};
use self::task::{AfterSummary, CompactionRequest, SummaryTask};
use super::config::{Config, Lifecycle};
use super::effect::{Effect, Event, FinishedCall, Fit, Timer};
use super::event::{AgentEvent, CompactionReason};
use super::loop_detection::Repetition;
use super::queue::{Lane, Queues};
use crate::llm::model::message::join_text;
use crate::llm::model::{AssistantMessage, LlmError, Message, StopReason, ToolCall, UserMessage};

/// Grace period for interrupted tools to report their progress.
const GRACE: Duration = Duration::from_millis(40);

/// The state of one agent.
#[derive(Debug, Default)]
pub struct State {
    config: Config,
    phase: Phase,
    queues: Queues,
    /// Tool rounds since the last user input.
    rounds: u32,
    repetition: Repetition,
    aborting: bool,
    /// Answers in the whole session.
    turns: u32,
    /// Whether the last run ended with a question.
    ended_with_question: bool,
    /// Whether a message was submitted, not only queued, during a summary between two runs.
    prompted_during_summary: bool,
    /// A compaction requested by the user, before the next request.
    requested_compaction: Option<CompactionRequest>,
    /// Whether the conversation was compacted because the last request did not fit.
    overflow_compacted: bool,
    /// Whether a compaction failed in this run: it is not retried with every request.
    compaction_failed: bool,
    closed: bool,
}

#[derive(Debug, Default)]
enum Phase {
    #[default]
    Idle,
    /// A model call is active, the `attempt`-th, which may have started to answer.
    Calling {
        attempt: u32,
        began: bool,
    },
    /// Waits for the next attempt.
    WaitingForRetry {
        attempt: u32,
    },
    Tools(Batch),
    /// A summary is being written.
    Summarizing {
        task: SummaryTask,
        then: AfterSummary,
    },
}

impl State {
    /// Creates an idle agent of a session that has had `turns` answers.
    pub fn new(config: Config, turns: u32) -> Self {
        let repetition = Repetition::new(config.loop_window);
        Self { config, repetition, turns, ..Self::default() }
    }

    /// Returns the loop settings; changes take effect with the next answer.
    pub fn config(&mut self) -> &mut Config {
        &mut self.config
    }

    /// Returns the lifecycle state.
    pub fn lifecycle(&self) -> Lifecycle {
        match &self.phase {
            _ if self.closed => Lifecycle::Closed,
            Phase::Idle if self.ended_with_question => Lifecycle::AwaitingInput,
            Phase::Idle => Lifecycle::Idle,
            Phase::Tools(batch) if batch.waits_only_for_user(&self.config.question_tools) => {
                Lifecycle::AwaitingInput
            }
            _ => Lifecycle::Processing,
        }
    }

    /// Whether a run is active.
    pub fn is_working(&self) -> bool {
        !matches!(self.phase, Phase::Idle)
    }

    /// Whether a summary is being written.
    pub fn is_summarizing(&self) -> bool {
        matches!(self.phase, Phase::Summarizing { .. })
    }

    /// Whether that happens between two runs, at the user's request.
    pub fn is_compacting_manually(&self) -> bool {
        let by_hand = SummaryTask::Compaction(CompactionReason::Manual);
        matches!(&self.phase, Phase::Summarizing { task, then: AfterSummary::Idle } if *task == by_hand)
    }

    fn is_summarizing_between_runs(&self) -> bool {
        matches!(self.phase, Phase::Summarizing { then: AfterSummary::Idle, .. })
    }

    /// Whether a failed call waits for its next attempt.
    pub fn is_waiting_for_retry(&self) -> bool {
        matches!(self.phase, Phase::WaitingForRetry { .. })
    }

    /// Returns the message queues.
    pub fn queues(&self) -> &Queues {
        &self.queues
    }

    /// Sets whether calls of one answer may run at the same time, from the next batch on.
    pub fn set_parallel(&mut self, parallel: bool) {
        self.config.parallel = parallel;
    }

    /// Handles one event and returns the effects.
    pub fn step(&mut self, event: Event) -> Vec<Effect> {
        let mut out = Vec::new();
        match event {
            // A message to an ended session goes back to the user.
            Event::Prompt { message, .. } if self.closed => {
                out.push(Effect::ReturnQueue(vec![message]));
            }
            Event::Prompt { message, lane } => self.prompt(message, lane, &mut out),
            Event::Queue { message, .. } if self.closed => out.push(Effect::ReturnQueue(vec![message])),
            Event::Queue { message, lane } => {
                self.queues.push(lane, message);
                out.push(self.queue_update());
            }
            Event::Continue => self.continue_run(&mut out),
            Event::Abort => self.abort(&mut out),
            Event::TakeQueue => self.take_queue(&mut out),
            Event::TakeQueued(at) => {
                let taken = self.queues.remove(&at);
                if taken.is_some() {
                    out.push(self.queue_update());
                }
                out.push(Effect::ReturnQueue(taken.into_iter().collect()));
            }
            Event::MoveQueued { from, lane, index } => {
                if self.queues.move_to(&from, lane, index) {
                    out.push(self.queue_update());
                }
            }
            Event::AnswerStarted => self.answer_started(&mut out),
            Event::Answered { message, error, fit, chance } => {
                self.answered(message, error, fit, chance, &mut out);
            }
            Event::WindowFull(reason) => self.window_full(reason, &mut out),
            Event::Compact { instructions } => self.request_compaction(instructions, &mut out),
            Event::Compacted(result) => self.compaction_ended(result, &mut out),
            Event::LeaveBranch { instructions } => self.leave_branch(instructions, &mut out),
            Event::BranchSummarized(result) => self.branch_summarized(&result, &mut out),
            Event::ToolEnded { index, ended } => self.tool_ended(index, ended, &mut out),
            Event::LiveOutput(texts) => {
                if let Phase::Tools(batch) = &mut self.phase {
                    batch.live_output = texts;
                }
            }
            Event::TimerExpired(Timer::Retry) => self.retry(&mut out),
            Event::TimerExpired(Timer::Grace) => self.grace_expired(&mut out),
            Event::TimerExpired(Timer::Summary) => {}
        }
        out
    }

    fn prompt(&mut self, message: UserMessage, lane: Lane, out: &mut Vec<Effect>) {
        if self.is_working() {
            self.prompted_during_summary |= self.is_summarizing_between_runs();
            self.queues.push(lane, message);
            out.push(self.queue_update());
            return;
        }
        self.begin_run(out);
        let mut messages = vec![message];
        // Messages that an interrupted run left queued are delivered with it.
        messages.extend(self.take_messages(Lane::Steering, out));
        self.start_turn(messages, out);
    }

    fn continue_run(&mut self, out: &mut Vec<Effect>) {
        if self.is_working() || self.closed {
            return;
        }
        self.begin_run(out);
        let messages = self.take_messages(Lane::Steering, out);
        self.start_turn(messages, out);
    }

    fn begin_run(&mut self, out: &mut Vec<Effect>) {
        (self.aborting, self.ended_with_question) = (false, false);
        (self.overflow_compacted, self.compaction_failed) = (false, false);
        self.rounds = 0;
        self.repetition = Repetition::new(self.config.loop_window);
        out.push(Effect::Emit(AgentEvent::AgentStart));
    }

    fn abort(&mut self, out: &mut Vec<Effect>) {
        match &self.phase {
            Phase::Idle => {}
            Phase::WaitingForRetry { .. } => {
                out.push(Effect::Emit(AgentEvent::RetryEnd { success: false, cancelled: true }));
                self.end_run(true, None, out);
            }
            _ if self.aborting => {}
            Phase::Calling { .. } | Phase::Summarizing { .. } => {
                self.aborting = true;
                out.push(Effect::Cancel);
            }
            Phase::Tools(_) => {
                self.aborting = true;
                out.extend([Effect::Cancel, Effect::StartTimer(Timer::Grace, GRACE)]);
            }
        }
    }

    fn take_queue(&mut self, out: &mut Vec<Effect>) {
        let taken = self.queues.take_all();
        if !taken.is_empty() {
            out.push(self.queue_update());
        }
        out.push(Effect::ReturnQueue(taken));
    }

    fn answer_started(&mut self, out: &mut Vec<Effect>) {
        if let Phase::Calling { attempt, began } = &mut self.phase {
            if *attempt > 1 && !*began {
                out.push(Effect::Emit(AgentEvent::RetryEnd { success: true, cancelled: false }));
            }
            *began = true;
        }
    }

    fn answered(
        &mut self,
        message: AssistantMessage,
        error: Option<LlmError>,
        fit: Fit,
        chance: f64,
        out: &mut Vec<Effect>,
    ) {
        let Phase::Calling { attempt, began } = self.phase else { return };
        let aborted = self.aborting || message.stop_reason == StopReason::Aborted;
        if let Some(error) = error.as_ref().filter(|_| !aborted)
            && let Some(delay) = self.config.retry_policy().delay(attempt, error, chance)
        {
            let (max, error) = (self.config.retry.retries, error.message.clone());
            // Front ends have displayed a partial answer: it ends here, and the next answer replaces it.
            if began || !message.content.is_empty() {
                out.push(Effect::Record(Message::Assistant(message.replaced())));
            }
            out.push(Effect::Emit(AgentEvent::RetryStart { attempt, max, delay, error }));
            out.push(Effect::StartTimer(Timer::Retry, delay));
            self.phase = Phase::WaitingForRetry { attempt };
            return;
        }
        let (message, error) = self.explain_long_wait(message, error);
        if attempt > 1 && !began {
            let success = error.is_none() && !aborted;
            out.push(Effect::Emit(AgentEvent::RetryEnd { success, cancelled: aborted }));
        }
        out.push(Effect::Record(Message::Assistant(message.clone())));
        self.turns = self.turns.saturating_add(1);
        if fit != Fit::Fits && !aborted && self.make_room(&message, error.as_ref(), fit, out) {
            return;
        }
        self.overflow_compacted &= fit != Fit::Fits;
        let lasting = error.as_ref().is_some_and(|error| !error.retryable());
        let failure = error.map(|e| e.message).or_else(|| message.error_message.clone());
        let failed = message.stop_reason == StopReason::Error;
        if aborted || failed {
            let reason = if aborted { ABORTED } else { "Skipped: the response was cut off" };
            refuse_calls(message, reason, out);
            self.end_run(aborted, failure.filter(|_| !aborted), out);
            if lasting && !aborted {
                self.close(out);
            }
        } else if message.stop_reason == StopReason::Length && message.tool_calls().next().is_some() {
            self.rounds += 1;
            refuse_calls(message, CUT_OFF, out);
            self.after_tools(out);
        } else {
            self.run_tools(message, out);
        }
    }

    /// Adds to a failed answer why it is not retried, when the provider requests too long a wait.
    fn explain_long_wait(
        &self,
        mut message: AssistantMessage,
        mut error: Option<LlmError>,
    ) -> (AssistantMessage, Option<LlmError>) {
        let policy = self.config.retry_policy();
        let beyond = |error: &LlmError| error.retryable() && error.retry_after > Some(policy.max);
        if let Some(error) = error.as_mut().filter(|error| policy.retries > 0 && beyond(error)) {
            let seconds = error.retry_after.unwrap_or_default().as_secs();
            error.message +=
                &format!("; the provider asks to wait {seconds} s, more than retry-wait-max allows");
            message.error_message = Some(error.message.clone());
        }
        (message, error)
    }

    /// Ends the session after a permanent error, for unattended hosts.
    fn close(&mut self, out: &mut Vec<Effect>) {
        if !self.config.close_on_failure {
            return;
        }
        self.closed = true;
        if !self.queues.is_empty() {
            self.take_queue(out);
        }
        out.push(Effect::Close);
    }

    fn run_tools(&mut self, message: AssistantMessage, out: &mut Vec<Effect>) {
        let calls: Vec<ToolCall> = message.tool_calls().cloned().collect();
        let message = Arc::new(message);
        if calls.is_empty() {
            self.ended_with_question = message.text().trim_end().ends_with(['?', '？']);
            out.push(Effect::Emit(AgentEvent::TurnEnd { message, results: Vec::new() }));
            return self.finish_or_continue(out);
        }
        self.rounds += 1;
        for call in &calls {
            self.repetition.record(call);
        }
        let sequential = !self.config.parallel
            || calls.iter().any(|call| self.config.sequential_tools.contains(&call.name));
        let results = vec![None; calls.len()];
        let mut batch =
            Batch { message, calls, results, live_output: BTreeMap::new(), terminate: true, started: 0 };
        let first = if sequential { 1 } else { batch.calls.len() };
        for _ in 0..first {
            batch.start_next(out);
        }
        self.phase = Phase::Tools(batch);
    }

    fn tool_ended(&mut self, index: usize, ended: FinishedCall, out: &mut Vec<Effect>) {
        let Phase::Tools(batch) = &mut self.phase else { return };
        if index >= batch.started || batch.results[index].is_some() {
            return;
        }
        batch.end_call(index, ended, out);
        if !batch.is_running() {
            if batch.started < batch.calls.len() && !self.aborting {
                batch.start_next(out);
            } else {
                self.finish_batch(out);
            }
        }
    }

    fn grace_expired(&mut self, out: &mut Vec<Effect>) {
        let Phase::Tools(batch) = &mut self.phase else { return };
        if !self.aborting {
            return;
        }
        for index in 0..batch.started {
            if batch.results[index].is_none() {
                let result = batch.abandoned_result(index);
                batch.end_call(
                    index,
                    FinishedCall { result, full_text: None, took: GRACE, terminate: false },
                    out,
                );
            }
        }
        self.finish_batch(out);
    }

    /// Records the results in the order of the calls.
    fn finish_batch(&mut self, out: &mut Vec<Effect>) {
        let Phase::Tools(batch) = std::mem::take(&mut self.phase) else { return };
        let terminate = batch.terminate;
        let answered = batch.calls.iter().zip(batch.results);
        let results: Vec<_> = answered
            .map(|(call, result)| result.unwrap_or_else(|| Arc::new(error_result(call, ABORTED))))
            .collect();
        out.extend(results.iter().map(|result| Effect::Record(Message::ToolResult((**result).clone()))));
        out.push(Effect::Emit(AgentEvent::TurnEnd { message: batch.message, results }));
        if self.aborting {
            self.end_run(true, None, out);
        } else if terminate {
            self.finish_or_continue(out);
        } else {
            self.after_tools(out);
        }
    }

    fn after_tools(&mut self, out: &mut Vec<Effect>) {
        if self.rounds >= self.config.tool_rounds_max {
            let max = self.config.tool_rounds_max;
            let text = format!("stopped after {max} rounds of tool calls; say `continue` to go on");
            out.push(Effect::Emit(AgentEvent::LimitReached(text)));
            return self.finish_or_continue(out);
        }
        let mut messages = self.take_messages(Lane::Steering, out);
        if let Some(warning) = self.repetition.take_warning() {
            out.push(Effect::Emit(AgentEvent::LoopDetected));
            messages.push(mark_steering(UserMessage::text(warning, 0)));
        }
        self.start_turn(messages, out);
    }

    /// The agent has no more work except the queued messages.
    fn finish_or_continue(&mut self, out: &mut Vec<Effect>) {
        let mut messages = self.take_messages(Lane::Steering, out);
        if messages.is_empty() {
            messages = self.take_messages(Lane::FollowUp, out);
        }
        if messages.is_empty() {
            return self.end_run(false, None, out);
        }
        (self.rounds, self.ended_with_question) = (0, false);
        self.start_turn(messages, out);
    }

    fn start_turn(&mut self, messages: Vec<UserMessage>, out: &mut Vec<Effect>) {
        let is_over = self.config.turns_max > 0 && self.turns >= self.config.turns_max;
        if !is_over {
            out.push(Effect::Emit(AgentEvent::TurnStart));
        }
        out.extend(messages.into_iter().map(|message| Effect::Record(Message::User(message))));
        if is_over {
            let text = format!("stopped: this session has had its {} answers", self.config.turns_max);
            out.push(Effect::Emit(AgentEvent::LimitReached(text)));
            return self.end_run(false, None, out);
        }
        self.request_answer(out);
    }

    fn retry(&mut self, out: &mut Vec<Effect>) {
        if let Phase::WaitingForRetry { attempt } = self.phase {
            self.phase = Phase::Calling { attempt: attempt + 1, began: false };
            out.push(Effect::CallModel { looked: true });
        }
    }

    /// Ends the run. Queued messages stay queued: they are delivered with the next prompt or taken back.
    fn end_run(&mut self, aborted: bool, error: Option<String>, out: &mut Vec<Effect>) {
        self.phase = Phase::Idle;
        self.aborting = false;
        let went_well = !aborted && error.is_none();
        out.push(Effect::Emit(AgentEvent::AgentEnd { aborted, error }));
        self.after_run(went_well, out);
    }

    fn take_messages(&mut self, lane: Lane, out: &mut Vec<Effect>) -> Vec<UserMessage> {
        let mode = if lane == Lane::Steering { self.config.steering } else { self.config.follow_up };
        let taken = self.queues.take(lane, mode);
        if !taken.is_empty() {
            out.push(self.queue_update());
        }
        if lane == Lane::FollowUp {
            return taken;
        }
        let message_text = |message: &UserMessage| join_text(&message.content);
        out.extend(taken.iter().map(|m| Effect::Emit(AgentEvent::SteeringInjected(message_text(m)))));
        taken.into_iter().map(mark_steering).collect()
    }

    fn queue_update(&self) -> Effect {
        let (steering, follow_up) = (self.queues.texts(Lane::Steering), self.queues.texts(Lane::FollowUp));
        Effect::Emit(AgentEvent::QueueUpdate { steering, follow_up })
    }
}

/// Field that marks a user message sent while the agent worked.
pub const STEERING: &str = "steering";

/// Marks a message as sent while the agent worked, or by the loop itself.
fn mark_steering(mut message: UserMessage) -> UserMessage {
    message.extra.insert(STEERING.to_string(), true.into());
    message
}

#[cfg(test)]
mod tests;
