//! Messages of a session: those of a model, pi's further roles and unknown roles; and the pages in which a
//! long conversation is read.

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
    /// A message that a model understands.
    Llm(Message),
    /// `bashExecution`, `custom`, `branchSummary`, `compactionSummary`, `system` and unknown roles: preserved
    /// unchanged.
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

/// A page of a conversation.
#[derive(Debug, Clone, Default, PartialEq)]
#[doc(hidden)]
pub struct MessagePage {
    /// The messages, oldest first.
    pub messages: Vec<Arc<AgentMessage>>,
    /// The position of the previous page; `None` at the start of the conversation.
    pub earlier: Option<PagePosition>,
}

/// The start of a page: the previous page has the messages before it on the path to a leaf.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(hidden)]
pub struct PagePosition {
    /// The leaf of the conversation.
    pub(in crate::session) leaf: String,
    /// The first entry of the page.
    pub(in crate::session) first: String,
}

#[cfg(test)]
impl PagePosition {
    /// Returns the position before an entry on the path to another one.
    pub(crate) fn of(leaf: &str, first: &str) -> Self {
        Self { leaf: leaf.to_string(), first: first.to_string() }
    }
}
