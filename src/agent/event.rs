//! What an agent tells its listeners, with pi's names. Plain data; must not know who listens.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::llm::model::{AssistantMessage, Message, StreamEvent, ToolResultMessage, Usage};

/// Why a conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompactionReason {
    /// Somebody wanted it.
    Manual,
    /// The window is nearly full.
    Threshold,
    /// The model could not take the conversation.
    Overflow,
}

impl CompactionReason {
    /// pi's word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Threshold => "threshold",
            Self::Overflow => "overflow",
        }
    }
}

/// A compaction that is in the session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Compacted {
    /// Its entry.
    pub entry: String,
    /// What stands for the summed up part.
    pub summary: String,
    /// The entry with which the kept part begins.
    pub first_kept: String,
    /// Tokens of the context before.
    pub tokens_before: u64,
    /// Tokens of the context now, about.
    pub tokens_after: u64,
    /// What the summary cost; `None` where no model was asked.
    pub usage: Option<Usage>,
    /// The files that it is about.
    pub details: Option<Value>,
    /// Whether an extension has written it.
    pub from_hook: bool,
}

/// One thing that happened. Message events of finished messages are sent only after the
/// message is stored.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AgentEvent {
    /// A run begins.
    AgentStart,
    /// One request to the model, with the tools that follow from it, begins.
    TurnStart,
    /// A message begins: whole for user messages and tool results, empty for an answer.
    MessageStart(Arc<Message>),
    /// More of the answer that is being streamed.
    MessageUpdate(Arc<StreamEvent>),
    /// A message is complete and stored.
    MessageEnd(Arc<Message>),
    /// A tool call begins to run (or to wait for approval).
    ToolStart { call_id: String, tool: String, args: Value },
    /// Its live output so far.
    ToolUpdate { call_id: String, text: String },
    /// It ended. `full_text` is the output before truncation.
    ToolEnd {
        call_id: String,
        tool: String,
        result: Arc<ToolResultMessage>,
        full_text: Option<String>,
        took: Duration,
    },
    /// The turn is over.
    TurnEnd { message: Arc<AssistantMessage>, results: Vec<Arc<ToolResultMessage>> },
    /// Steering and follow-up messages that wait, complete lists of texts.
    QueueUpdate { steering: Vec<String>, follow_up: Vec<String> },
    /// The model call failed in a way that may pass; it will be repeated after `delay`.
    RetryStart { attempt: u32, max: u32, delay: Duration, error: String },
    /// A repeated call has begun to answer, or the last one failed, or the user gave up.
    RetryEnd { success: bool, cancelled: bool },
    /// A message that was said while the agent worked goes into the conversation.
    SteeringInjected(String),
    /// The context fills up: about so many tokens of so many, above four fifths. Told once until it
    /// was below.
    ContextWarning { tokens: u64, window: u64 },
    /// The older part of the conversation is being summed up.
    CompactionStart { reason: CompactionReason },
    /// That is over. Without a result nothing has changed: somebody interrupted or forbade it, or
    /// `error` says why. `will_retry`: the request that did not fit is sent again.
    CompactionEnd {
        reason: CompactionReason,
        result: Option<Arc<Compacted>>,
        aborted: bool,
        will_retry: bool,
        error: Option<String>,
    },
    /// A request for a summary failed in a way that may pass; it is sent again after `delay`.
    SummaryRetryStart { attempt: u32, max: u32, delay: Duration, error: String },
    /// It is sent again: for the compaction for this reason, else for a branch that is left.
    SummaryRetry { reason: Option<CompactionReason> },
    /// Nothing is sent again any more: there is a summary, or none.
    SummaryRetryEnd,
    /// The branch that is left is being summed up.
    BranchSummaryStart,
    /// That is over; whoever wanted to go elsewhere has the answer. `cost` is in US dollars.
    BranchSummaryEnd { aborted: bool, error: Option<String>, cost: f64 },
    /// A limit ended the run; the text says which.
    LimitReached(String),
    /// The calls repeat themselves; the model was told.
    LoopDetected,
    /// The run is over: `aborted`, or with the error of its last answer.
    AgentEnd { aborted: bool, error: Option<String> },
}
