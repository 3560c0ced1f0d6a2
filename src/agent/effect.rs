//! What happens to the loop's machine, and what it wants done. Plain data; must not know its rules.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::compaction::summary::SummaryError;
use super::event::{AgentEvent, Compacted, CompactionReason};
use super::queue::Lane;
use crate::llm::model::{AssistantMessage, LlmError, Message, ToolCall, ToolResultMessage, UserMessage};

/// How a tool call ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// What the model is told.
    pub result: ToolResultMessage,
    /// The output before truncation.
    pub full_text: Option<String>,
    /// How long it took.
    pub took: Duration,
    /// The tool wants the run to end. It does when every call of the answer wants it.
    pub terminate: bool,
}

/// How an answer fits the model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fit {
    /// It does, or nobody can tell.
    #[default]
    Fits,
    /// The conversation was too long to be answered.
    TooLong,
    /// The answer was cut off because the conversation left it no more room.
    Cut,
}

/// What happens to the machine.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "one at a time, and short-lived: boxing would only cost")]
pub enum Event {
    /// A user says something.
    Prompt { message: UserMessage, lane: Lane },
    /// Somebody puts a message into a queue, which begins nothing: it waits for the run that goes on, or for
    /// the next one.
    Queue { message: UserMessage, lane: Lane },
    /// Go on without new words, as after an interruption. The history must end with words or results.
    Continue,
    /// A user interrupts.
    Abort,
    /// A user wants the waiting messages back.
    TakeQueue,
    /// The first part of an answer has come.
    Began,
    /// The answer ended, with its error if it failed. `chance` is between 0 and 1.
    Answered { message: AssistantMessage, error: Option<LlmError>, fit: Fit, chance: f64 },
    /// In place of an answer, or after a run: the window is nearly full, and something can be summed up.
    Full(CompactionReason),
    /// A user wants the conversation compacted.
    Compact { instructions: Option<String> },
    /// A compaction is over.
    Compacted(Result<Arc<Compacted>, SummaryError>),
    /// A user leaves a branch, which is to be summed up.
    Leave { instructions: Option<String> },
    /// That is over; the cost in US dollars.
    Left(Result<f64, SummaryError>),
    /// A tool call ended.
    ToolEnded { index: usize, ended: Ended },
    /// What the running calls have shown so far, by their ids, cut for a model: all that is known of those
    /// that are given up.
    Shown(BTreeMap<String, String>),
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
    /// The next try of a request for a summary. The machine has nothing to do with it.
    Summary,
}

/// What the machine wants done, in this order.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one at a time, and short-lived: boxing would only cost")]
pub enum Effect {
    /// Tell the listeners.
    Emit(AgentEvent),
    /// Store a message, then add it to the history and tell the listeners.
    Record(Message),
    /// Ask the model, with the history as it is now. `looked`: even where the window is nearly full; else
    /// that is answered by [`Event::Full`].
    CallModel { looked: bool },
    /// See whether the window is nearly full; [`Event::Full`] says so.
    Look,
    /// Leave the last answer and what was answered to its calls out of the context.
    Omit,
    /// Sum the older part of the conversation up; [`Event::Compacted`] follows.
    Compact { reason: CompactionReason, instructions: Option<String>, will_retry: bool },
    /// Sum the branch up that is left; [`Event::Left`] follows.
    SumBranch { instructions: Option<String> },
    /// Run one tool call.
    RunTool { index: usize, call: ToolCall },
    /// End what is running.
    Cancel,
    /// Send [`Event::Due`] after this time.
    Wait(Timer, Duration),
    /// Give these messages back to the user.
    ReturnQueue(Vec<UserMessage>),
    /// The session is over.
    Close,
}
