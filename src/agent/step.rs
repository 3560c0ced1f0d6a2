//! The agent loop as a pure machine: a state and an event give effects. No clock, no chance,
//! no input or output; all of that comes in with events and goes out as effects.
//!
//! Messages that the machine makes have the time stamp 0; whoever performs effects stamps them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Map;

use super::event::AgentEvent;
use super::loops::{self, Repetition};
use super::queue::{Lane, QueueMode, Queues};
use crate::llm::model::message::join_text;
use crate::llm::model::{
    AssistantMessage, LlmError, Message, Part, StopReason, ToolCall, ToolResultMessage, UserMessage,
};
use crate::llm::retry::Policy;

/// How long interrupted tools may take to say how far they got.
const GRACE: Duration = Duration::from_millis(40);

/// Rules of the loop.
#[derive(Debug, Clone)]
pub struct Config {
    /// Rounds of tool calls that one input may cause.
    pub tool_rounds_max: u32,
    /// When failed model calls are repeated.
    pub retry: Policy,
    /// Delivery of steering messages.
    pub steering: QueueMode,
    /// Delivery of follow-up messages.
    pub follow_up: QueueMode,
    /// Tools that make a batch run one call after the other.
    pub sequential: BTreeSet<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tool_rounds_max: 200,
            retry: Policy::default(),
            steering: QueueMode::One,
            follow_up: QueueMode::One,
            sequential: BTreeSet::new(),
        }
    }
}

/// What happens to the machine.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "one at a time, and short-lived: boxing would only cost")]
pub enum Event {
    /// A person says something.
    Prompt { message: UserMessage, lane: Lane },
    /// A person interrupts.
    Abort,
    /// A person wants the waiting messages back.
    TakeQueue,
    /// The first part of an answer has come.
    Began,
    /// The answer ended, with its error if it failed. `chance` is between 0 and 1.
    Answered { message: AssistantMessage, error: Option<LlmError>, chance: f64 },
    /// A tool call ended.
    ToolEnded { index: usize, result: ToolResultMessage, full_text: Option<String>, took: Duration },
    /// The time of an [`Effect::Wait`] is over.
    Due(Timer),
}

/// What an [`Effect::Wait`] is for. There is never more than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timer {
    /// The next try of a model call.
    Retry,
    /// The end of the patience with interrupted tools.
    Grace,
}

/// What the machine wants done, in this order.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one at a time, and short-lived: boxing would only cost")]
pub enum Effect {
    /// Tell the listeners.
    Emit(AgentEvent),
    /// Store a message, then add it to the history and tell the listeners.
    Record(Message),
    /// Ask the model, with the history as it is now.
    CallModel,
    /// Run one tool call.
    RunTool { index: usize, call: ToolCall },
    /// End what is running.
    Cancel,
    /// Send [`Event::Due`] after this time.
    Wait(Timer, Duration),
    /// Give these texts back to the person.
    ReturnQueue(Vec<String>),
}

/// The state of one agent.
#[derive(Debug, Default)]
pub struct State {
    config: Config,
    phase: Phase,
    queues: Queues,
    /// Tool rounds since the last input.
    rounds: u32,
    repetition: Repetition,
    aborting: bool,
}

#[derive(Debug, Default)]
enum Phase {
    #[default]
    Idle,
    /// A model call is going on, the `attempt`-th, which has or has not begun to answer.
    Calling {
        attempt: u32,
        began: bool,
    },
    /// Until the next attempt.
    Waiting {
        attempt: u32,
    },
    Tools(Batch),
}

/// The tool calls of one answer.
#[derive(Debug)]
struct Batch {
    message: Arc<AssistantMessage>,
    calls: Vec<ToolCall>,
    results: Vec<Option<Arc<ToolResultMessage>>>,
    /// How many calls have been started.
    started: usize,
}

impl State {
    /// An idle agent.
    pub fn new(config: Config) -> Self {
        Self { config, ..Self::default() }
    }

    /// Whether a run is going on.
    pub fn working(&self) -> bool {
        !matches!(self.phase, Phase::Idle)
    }

    /// Takes one event and says what is to be done.
    pub fn step(&mut self, event: Event) -> Vec<Effect> {
        let mut out = Vec::new();
        match event {
            Event::Prompt { message, lane } => self.prompt(message, lane, &mut out),
            Event::Abort => self.abort(&mut out),
            Event::TakeQueue => self.take_queue(&mut out),
            Event::Began => self.began(&mut out),
            Event::Answered { message, error, chance } => self.answered(message, error, chance, &mut out),
            Event::ToolEnded { index, result, full_text, took } => {
                self.tool_ended(index, result, full_text, took, &mut out);
            }
            Event::Due(Timer::Retry) => self.retry(&mut out),
            Event::Due(Timer::Grace) => self.out_of_patience(&mut out),
        }
        out
    }

    fn prompt(&mut self, message: UserMessage, lane: Lane, out: &mut Vec<Effect>) {
        if self.working() {
            self.queues.push(lane, message);
            out.push(self.queue_update());
            return;
        }
        self.aborting = false;
        self.rounds = 0;
        self.repetition.clear();
        out.push(Effect::Emit(AgentEvent::AgentStart));
        let mut messages = vec![message];
        // What an interrupted run has left waiting goes along.
        messages.extend(self.take(Lane::Steering, out));
        self.turn(messages, out);
    }

    fn abort(&mut self, out: &mut Vec<Effect>) {
        match &self.phase {
            Phase::Idle => {}
            Phase::Waiting { .. } => {
                out.push(Effect::Emit(AgentEvent::RetryEnd { success: false }));
                self.end(true, None, out);
            }
            _ if self.aborting => {}
            Phase::Calling { .. } => {
                self.aborting = true;
                out.push(Effect::Cancel);
            }
            Phase::Tools(_) => {
                self.aborting = true;
                out.extend([Effect::Cancel, Effect::Wait(Timer::Grace, GRACE)]);
            }
        }
    }

    fn take_queue(&mut self, out: &mut Vec<Effect>) {
        let taken = self.queues.take_all();
        if !taken.is_empty() {
            out.push(self.queue_update());
        }
        out.push(Effect::ReturnQueue(taken.iter().map(|m| join_text(&m.content)).collect()));
    }

    fn began(&mut self, out: &mut Vec<Effect>) {
        if let Phase::Calling { attempt, began } = &mut self.phase {
            if *attempt > 1 && !*began {
                out.push(Effect::Emit(AgentEvent::RetryEnd { success: true }));
            }
            *began = true;
        }
    }

    fn answered(
        &mut self,
        message: AssistantMessage,
        error: Option<LlmError>,
        chance: f64,
        out: &mut Vec<Effect>,
    ) {
        let Phase::Calling { attempt, began } = self.phase else { return };
        let aborted = self.aborting || message.stop_reason == StopReason::Aborted;
        if let Some(error) = error.as_ref().filter(|_| !aborted)
            // Nothing that a person has seen is taken back: only a silent failure is repeated.
            && !began
            && message.content.is_empty()
            && let Some(delay) = self.config.retry.delay(attempt, error, chance)
        {
            let (max, error) = (self.config.retry.retries, error.message.clone());
            out.push(Effect::Emit(AgentEvent::RetryStart { attempt, max, delay, error }));
            out.push(Effect::Wait(Timer::Retry, delay));
            self.phase = Phase::Waiting { attempt };
            return;
        }
        if attempt > 1 && !began {
            out.push(Effect::Emit(AgentEvent::RetryEnd { success: error.is_none() && !aborted }));
        }
        out.push(Effect::Record(Message::Assistant(message.clone())));
        let failure = error.map(|e| e.message).or_else(|| message.error_message.clone());
        let failed = message.stop_reason == StopReason::Error;
        if aborted || failed {
            let why = if aborted { ABORTED } else { "Not run: the answer broke off before it was complete." };
            refuse_calls(message, why, out);
            self.end(aborted, failure.filter(|_| !aborted), out);
        } else if message.stop_reason == StopReason::Length && message.tool_calls().next().is_some() {
            self.rounds += 1;
            refuse_calls(message, CUT_OFF, out);
            self.after_tools(out);
        } else {
            self.run_tools(message, out);
        }
    }

    fn run_tools(&mut self, message: AssistantMessage, out: &mut Vec<Effect>) {
        let calls: Vec<ToolCall> = message.tool_calls().cloned().collect();
        let message = Arc::new(message);
        if calls.is_empty() {
            out.push(Effect::Emit(AgentEvent::TurnEnd { message, results: Vec::new() }));
            return self.would_stop(out);
        }
        self.rounds += 1;
        for call in &calls {
            self.repetition.note(call);
        }
        let sequential = calls.iter().any(|call| self.config.sequential.contains(&call.name));
        let results = vec![None; calls.len()];
        let mut batch = Batch { message, calls, results, started: 0 };
        let first = if sequential { 1 } else { batch.calls.len() };
        for _ in 0..first {
            batch.start_next(out);
        }
        self.phase = Phase::Tools(batch);
    }

    fn tool_ended(
        &mut self,
        index: usize,
        result: ToolResultMessage,
        full_text: Option<String>,
        took: Duration,
        out: &mut Vec<Effect>,
    ) {
        let Phase::Tools(batch) = &mut self.phase else { return };
        if index >= batch.started || batch.results[index].is_some() {
            return;
        }
        batch.end(index, result, full_text, took, out);
        if !batch.running() {
            if batch.started < batch.calls.len() && !self.aborting {
                batch.start_next(out);
            } else {
                self.finish_batch(out);
            }
        }
    }

    fn out_of_patience(&mut self, out: &mut Vec<Effect>) {
        let Phase::Tools(batch) = &mut self.phase else { return };
        if !self.aborting {
            return;
        }
        for index in 0..batch.started {
            if batch.results[index].is_none() {
                let result = error_result(&batch.calls[index], ABORTED_RUNNING);
                batch.end(index, result, None, GRACE, out);
            }
        }
        self.finish_batch(out);
    }

    /// Records the results in the order of the calls.
    fn finish_batch(&mut self, out: &mut Vec<Effect>) {
        let Phase::Tools(batch) = std::mem::take(&mut self.phase) else { return };
        let answered = batch.calls.iter().zip(batch.results);
        let results: Vec<_> = answered
            .map(|(call, result)| result.unwrap_or_else(|| Arc::new(error_result(call, ABORTED))))
            .collect();
        out.extend(results.iter().map(|result| Effect::Record(Message::ToolResult((**result).clone()))));
        out.push(Effect::Emit(AgentEvent::TurnEnd { message: batch.message, results }));
        if self.aborting {
            self.end(true, None, out);
        } else {
            self.after_tools(out);
        }
    }

    fn after_tools(&mut self, out: &mut Vec<Effect>) {
        if self.rounds >= self.config.tool_rounds_max {
            let max = self.config.tool_rounds_max;
            let text = format!("stopped after {max} rounds of tool calls; say `continue` to go on");
            out.push(Effect::Emit(AgentEvent::LimitReached(text)));
            return self.would_stop(out);
        }
        let mut messages = self.take(Lane::Steering, out);
        if self.repetition.take() {
            out.push(Effect::Emit(AgentEvent::LoopDetected));
            messages.push(UserMessage::text(loops::WARNING, 0));
        }
        self.turn(messages, out);
    }

    /// Nothing is left to do but what waits in the queues.
    fn would_stop(&mut self, out: &mut Vec<Effect>) {
        let mut messages = self.take(Lane::Steering, out);
        if messages.is_empty() {
            messages = self.take(Lane::FollowUp, out);
        }
        if messages.is_empty() {
            return self.end(false, None, out);
        }
        self.rounds = 0;
        self.turn(messages, out);
    }

    fn turn(&mut self, messages: Vec<UserMessage>, out: &mut Vec<Effect>) {
        out.push(Effect::Emit(AgentEvent::TurnStart));
        out.extend(messages.into_iter().map(|message| Effect::Record(Message::User(message))));
        out.push(Effect::CallModel);
        self.phase = Phase::Calling { attempt: 1, began: false };
    }

    fn retry(&mut self, out: &mut Vec<Effect>) {
        if let Phase::Waiting { attempt } = self.phase {
            self.phase = Phase::Calling { attempt: attempt + 1, began: false };
            out.push(Effect::CallModel);
        }
    }

    /// What waits in the queues stays there: it goes with the next prompt or is taken back.
    fn end(&mut self, aborted: bool, error: Option<String>, out: &mut Vec<Effect>) {
        self.phase = Phase::Idle;
        self.aborting = false;
        out.push(Effect::Emit(AgentEvent::AgentEnd { aborted, error }));
    }

    fn take(&mut self, lane: Lane, out: &mut Vec<Effect>) -> Vec<UserMessage> {
        let mode = if lane == Lane::Steering { self.config.steering } else { self.config.follow_up };
        let taken = self.queues.take(lane, mode);
        if !taken.is_empty() {
            out.push(self.queue_update());
        }
        taken
    }

    fn queue_update(&self) -> Effect {
        let (steering, follow_up) = (self.queues.texts(Lane::Steering), self.queues.texts(Lane::FollowUp));
        Effect::Emit(AgentEvent::QueueUpdate { steering, follow_up })
    }
}

const ABORTED: &str = "Not run: the user interrupted.";
const ABORTED_RUNNING: &str =
    "The user interrupted this call while it ran; what it had done by then stays done.";
const CUT_OFF: &str = "Not run: the answer was cut off at the output limit, so this call may be incomplete. \
                       Send it again, in smaller pieces.";

impl Batch {
    fn start_next(&mut self, out: &mut Vec<Effect>) {
        let (index, call) = (self.started, self.calls[self.started].clone());
        self.started += 1;
        out.push(Effect::Emit(AgentEvent::ToolStart {
            call_id: call.id.clone(),
            tool: call.name.clone(),
            args: call.arguments.clone(),
        }));
        out.push(Effect::RunTool { index, call });
    }

    fn end(
        &mut self,
        index: usize,
        result: ToolResultMessage,
        full_text: Option<String>,
        took: Duration,
        out: &mut Vec<Effect>,
    ) {
        let result = Arc::new(result);
        self.results[index] = Some(result.clone());
        let call = &self.calls[index];
        out.push(Effect::Emit(AgentEvent::ToolEnd {
            call_id: call.id.clone(),
            tool: call.name.clone(),
            result,
            full_text,
            took,
        }));
    }

    fn running(&self) -> bool {
        self.results[..self.started].iter().any(Option::is_none)
    }
}

/// Answers every call of a message with an error, so that the history stays valid.
fn refuse_calls(message: AssistantMessage, why: &str, out: &mut Vec<Effect>) {
    let results: Vec<_> = message.tool_calls().map(|call| Arc::new(error_result(call, why))).collect();
    out.extend(results.iter().map(|result| Effect::Record(Message::ToolResult((**result).clone()))));
    out.push(Effect::Emit(AgentEvent::TurnEnd { message: Arc::new(message), results }));
}

fn error_result(call: &ToolCall, text: &str) -> ToolResultMessage {
    ToolResultMessage {
        tool_call_id: call.id.clone(),
        tool_name: call.name.clone(),
        content: vec![Part::text(text)],
        details: None,
        is_error: true,
        timestamp: 0,
        extra: Map::new(),
    }
}

#[cfg(test)]
mod tests;
