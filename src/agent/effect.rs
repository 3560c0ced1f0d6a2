//! Events and effects of the agent loop's state machine. Plain data; must not know the machine's rules.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::compaction::summary::SummaryError;
use super::event::{AgentEvent, Compacted, CompactionReason};
use super::queue::{Lane, QueuePosition};
use crate::llm::model::{AssistantMessage, LlmError, Message, ToolCall, ToolResultMessage, UserMessage};

/// How a tool call ended.
#[derive(Debug, Clone)]
pub struct FinishedCall {
    /// The result for the model.
    pub result: ToolResultMessage,
    /// The output before truncation.
    pub full_text: Option<String>,
    /// Duration.
    pub took: Duration,
    /// Whether the tool requests the end of the run. The run ends when every call of the answer requests it.
    pub terminate: bool,
}

/// How an answer fits the model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fit {
    /// It fits, or the fit is unknown.
    #[default]
    Fits,
    /// The conversation was too long for an answer.
    TooLong,
    /// The answer was cut off because the conversation left too little room.
    CutOff,
}

/// An event for the machine.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "one at a time, and short-lived: boxing would only cost")]
pub enum Event {
    /// A user message.
    Prompt { message: UserMessage, lane: Lane },
    /// A message for a queue, which starts no run: it waits for the active run, or for the next one.
    Queue { message: UserMessage, lane: Lane },
    /// Continue without a new message, as after an interruption. The history must end with a user message or
    /// results.
    Continue,
    /// The user interrupts.
    Abort,
    /// The user takes the queued messages back.
    TakeQueue,
    /// The user takes one queued message back, if it is still there.
    TakeQueued(QueuePosition),
    /// The user moves a queued message to an index of a lane, if it is still there.
    MoveQueued { from: QueuePosition, lane: Lane, index: usize },
    /// The first part of an answer has arrived.
    AnswerStarted,
    /// The answer ended, with its error if it failed. `chance` is between 0 and 1.
    Answered { message: AssistantMessage, error: Option<LlmError>, fit: Fit, chance: f64 },
    /// Sent in place of an answer, or after a run: the window is nearly full, and a compaction is possible.
    WindowFull(CompactionReason),
    /// The user requests a compaction.
    Compact { instructions: Option<String> },
    /// A compaction has ended.
    Compacted(Result<Arc<Compacted>, SummaryError>),
    /// The user leaves a branch, which is to be summarized.
    LeaveBranch { instructions: Option<String> },
    /// The branch summary has ended; the cost in US dollars.
    BranchSummarized(Result<f64, SummaryError>),
    /// A tool call ended.
    ToolEnded { index: usize, ended: FinishedCall },
    /// Live output of the running calls by id, cut for a model: all that is known of calls that are
    /// abandoned.
    LiveOutput(BTreeMap<String, String>),
    /// The delay of an [`Effect::Wait`] has passed.
    TimerExpired(Timer),
}

/// Purpose of an [`Effect::Wait`]. There is never more than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timer {
    /// The next attempt of a model call.
    Retry,
    /// The end of the grace period of interrupted tools.
    Grace,
    /// The next attempt of a summary request. The machine does not use it.
    Summary,
}

/// Effects of the machine, performed in this order.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one at a time, and short-lived: boxing would only cost")]
pub enum Effect {
    /// Send an event to listeners.
    Emit(AgentEvent),
    /// Store a message, then add it to the history and send its event.
    Record(Message),
    /// Call the model with the present history. `looked`: even if the window is nearly full; otherwise that
    /// is answered by [`Event::Full`].
    CallModel { looked: bool },
    /// Check whether the window is nearly full; if so, [`Event::Full`] follows.
    CheckWindow,
    /// Exclude the last answer and the results of its calls from the context.
    ExcludeLastAnswer,
    /// Summarize the older part of the conversation; [`Event::Compacted`] follows.
    Compact { reason: CompactionReason, instructions: Option<String>, will_retry: bool },
    /// Summarize the branch that is left; [`Event::Left`] follows.
    SummarizeBranch { instructions: Option<String> },
    /// Run one tool call.
    RunTool { index: usize, call: ToolCall },
    /// Cancel running work.
    Cancel,
    /// Send [`Event::Due`] after this time.
    StartTimer(Timer, Duration),
    /// Return these messages to the user.
    ReturnQueue(Vec<UserMessage>),
    /// End the session.
    Close,
}
