//! What an agent tells its listeners, with pi's names. Plain data; must not know who listens.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::llm::model::{AssistantMessage, Message, StreamEvent, ToolResultMessage};

/// One thing that happened. Message events of finished messages are sent only after the
/// message is stored.
#[derive(Debug, Clone, PartialEq)]
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
    /// A repeated call has begun to answer, or the last one failed.
    RetryEnd { success: bool },
    /// A message that was said while the agent worked goes into the conversation.
    SteeringInjected(String),
    /// The context fills up: about so many tokens of so many, above four fifths. Told once until it
    /// was below.
    ContextWarning { tokens: u64, window: u64 },
    /// A limit ended the run; the text says which.
    LimitReached(String),
    /// The calls repeat themselves; the model was told.
    LoopDetected,
    /// The run is over: `aborted`, or with the error of its last answer.
    AgentEnd { aborted: bool, error: Option<String> },
}
