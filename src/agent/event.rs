//! Events of an agent, with pi's names. Plain data; must not know the listeners.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::llm::model::{AssistantMessage, Message, StreamEvent, ToolResultMessage, Usage};

/// Reason for a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompactionReason {
    /// Requested by the user.
    Manual,
    /// The window is nearly full.
    Threshold,
    /// The conversation exceeded the window.
    Overflow,
}

impl CompactionReason {
    /// Returns pi's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Threshold => "threshold",
            Self::Overflow => "overflow",
        }
    }
}

/// A compaction that was added to the session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Compacted {
    /// Its entry.
    pub entry: String,
    /// The summary of the older part.
    pub summary: String,
    /// The first entry of the kept part.
    pub first_kept: String,
    /// Tokens of the context before.
    pub tokens_before: u64,
    /// Estimated tokens of the context after.
    pub tokens_after: u64,
    /// Usage of the summary; `None` when no model was called.
    pub usage: Option<Usage>,
    /// The files that it covers.
    pub details: Option<Value>,
    /// Whether a hook supplied it.
    pub from_hook: bool,
}

/// An event of an agent. Events of finished messages are sent only after the message is stored.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum AgentEvent {
    /// A run starts.
    AgentStart,
    /// A turn starts: one request to the model with its tool calls.
    TurnStart,
    /// A message starts: complete for user messages and tool results, empty for an answer.
    MessageStart(Arc<Message>),
    /// A part of the streaming answer.
    MessageUpdate(Arc<StreamEvent>),
    /// A message is complete and stored.
    MessageEnd(Arc<Message>),
    /// A tool call starts to run (or waits for approval).
    ToolStart { call_id: String, tool: String, args: Value },
    /// Live output of the call so far.
    ToolUpdate { call_id: String, text: String },
    /// The call ended. `full_text` is the output before truncation.
    ToolEnd {
        call_id: String,
        tool: String,
        result: Arc<ToolResultMessage>,
        full_text: Option<String>,
        took: Duration,
    },
    /// The turn ended.
    TurnEnd { message: Arc<AssistantMessage>, results: Vec<Arc<ToolResultMessage>> },
    /// The queued steering and follow-up messages: complete lists of texts.
    QueueUpdate { steering: Vec<String>, follow_up: Vec<String> },
    /// The model call failed with a transient error; it will be retried after `delay`.
    RetryStart { attempt: u32, max: u32, delay: Duration, error: String },
    /// A retry has started to answer, or the last one failed, or the user cancelled.
    RetryEnd { success: bool, cancelled: bool },
    /// A steering message was added to the conversation.
    SteeringInjected(String),
    /// The context is more than four fifths full, in estimated tokens. Sent once until the level drops below.
    ContextWarning { tokens: u64, window: u64 },
    /// A compaction starts.
    CompactionStart { reason: CompactionReason },
    /// The compaction ended. Without a result nothing has changed: it was interrupted or cancelled, or
    /// `error` has the reason. `will_retry`: the request that did not fit is sent again.
    CompactionEnd {
        reason: CompactionReason,
        result: Option<Arc<Compacted>>,
        aborted: bool,
        will_retry: bool,
        error: Option<String>,
    },
    /// A summary request failed with a transient error; it is retried after `delay`.
    SummaryRetryStart { attempt: u32, max: u32, delay: Duration, error: String },
    /// The retry is sent: of the compaction for this reason, or of a branch summary.
    SummaryRetry { reason: Option<CompactionReason> },
    /// No more retries: the summary is written, or has failed.
    SummaryRetryEnd,
    /// A branch summary starts.
    BranchSummaryStart,
    /// The branch summary ended; the requester of the move has its answer. `cost` is in US dollars.
    BranchSummaryEnd { aborted: bool, error: Option<String>, cost: f64 },
    /// A limit ended the run; the text names it.
    LimitReached(String),
    /// The calls repeat; the model was warned.
    LoopDetected,
    /// The run ended: `aborted`, or with the error of its last answer.
    AgentEnd { aborted: bool, error: Option<String> },
}
