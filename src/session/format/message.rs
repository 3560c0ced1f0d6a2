//! What a conversation holds beside the messages of a model: pi's further roles, and any role
//! that this version does not know; and the pieces that a long one is read in.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::llm::model::Message;

/// One message of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every message is the large variant, and they live in an Arc"
)]
pub enum AgentMessage {
    /// One that a model understands.
    Llm(Message),
    /// `bashExecution`, `custom`, `branchSummary`, `compactionSummary`, `system` and whatever
    /// comes next: kept as it came.
    Other(Value),
}

impl AgentMessage {
    /// pi's name of the role.
    pub fn role(&self) -> &str {
        match self {
            Self::Llm(Message::User(_)) => "user",
            Self::Llm(Message::Assistant(_)) => "assistant",
            Self::Llm(Message::ToolResult(_)) => "toolResult",
            Self::Other(value) => value.get("role").and_then(Value::as_str).unwrap_or(""),
        }
    }
}

/// A part of a conversation.
#[derive(Debug, Clone, Default, PartialEq)]
#[doc(hidden)]
pub struct Piece {
    /// Oldest first.
    pub messages: Vec<Arc<AgentMessage>>,
    /// Where the one before it is; `None` at the start of the conversation.
    pub earlier: Option<Earlier>,
}

/// Where a part of a conversation begins: what stands before it on the way to a leaf is the next one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(hidden)]
pub struct Earlier {
    /// The leaf of the conversation.
    pub(in crate::session) leaf: String,
    /// The first entry of the part.
    pub(in crate::session) first: String,
}

#[cfg(test)]
impl Earlier {
    /// The place before an entry on the way to another one.
    pub(crate) fn of(leaf: &str, first: &str) -> Self {
        Self { leaf: leaf.to_string(), first: first.to_string() }
    }
}
