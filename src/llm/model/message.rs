//! Messages and their parts, with pi's names and fields. Must not know any provider.

use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::usage::Usage;

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "camelCase")]
#[expect(clippy::large_enum_variant, reason = "most messages are answers or results, of like size")]
pub enum Message {
    /// From the user, or on the user's behalf.
    User(UserMessage),
    /// From the model.
    Assistant(AssistantMessage),
    /// The result of a tool call.
    ToolResult(ToolResultMessage),
}

/// A user message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserMessage {
    /// Text, images, documents and audio; in JSON a bare string is equivalent to one text part.
    #[serde(deserialize_with = "text_or_parts")]
    pub content: Vec<Part>,
    /// Milliseconds since the epoch.
    #[serde(default)]
    pub timestamp: u64,
    /// Fields that this version does not know, kept as they came.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// An answer of a model, complete or partial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// Text, thinking and tool calls in their order.
    #[serde(deserialize_with = "text_or_parts")]
    pub content: Vec<Part>,
    /// Dialect id, such as `anthropic-messages`.
    pub api: String,
    /// Provider id, such as `anthropic`.
    pub provider: String,
    /// The requested model.
    pub model: String,
    /// The model that answered, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_model: Option<String>,
    /// The provider's id of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// Tokens and cost.
    #[serde(default)]
    pub usage: Usage,
    /// Why the answer ended.
    pub stop_reason: StopReason,
    /// The provider's stop reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_stop_reason: Option<String>,
    /// For `error` and `aborted`: the message for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Milliseconds since the epoch.
    #[serde(default)]
    pub timestamp: u64,
    /// Fields that this version does not know, kept as they came.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Field that marks an answer that broke off and was retried.
const REPLACED: &str = "replaced";

impl AssistantMessage {
    /// Marks the answer as broken off and replaced by the next one.
    #[must_use]
    pub fn replaced(mut self) -> Self {
        self.extra.insert(REPLACED.to_string(), true.into());
        self
    }

    /// Whether another answer replaces this one, which broke off: it is not sent to models.
    pub fn is_replaced(&self) -> bool {
        self.extra.get(REPLACED) == Some(&Value::Bool(true))
    }
}

/// The result of a tool call, as the model sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultMessage {
    /// The call that this answers.
    pub tool_call_id: String,
    /// The tool's name.
    pub tool_name: String,
    /// Text and images for the model.
    #[serde(deserialize_with = "text_or_parts")]
    pub content: Vec<Part>,
    /// Data for front ends, never sent to a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
    /// Milliseconds since the epoch.
    #[serde(default)]
    pub timestamp: u64,
    /// Fields that this version does not know, kept as they came.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// A part of a message. Unknown types are preserved unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Part {
    /// A known type.
    Known(KnownPart),
    /// An unknown type: the whole object.
    Unknown(Value),
}

/// The known types of parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum KnownPart {
    /// Plain text (usually Markdown).
    Text {
        /// The text.
        text: String,
        /// Opaque provider data that must be sent back with the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text_signature: Option<String>,
    },
    /// The model's reasoning.
    Thinking {
        /// The text, empty when redacted.
        thinking: String,
        /// Opaque provider data that must be sent back verbatim to the same model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking_signature: Option<String>,
        /// Whether the encrypted signature is the only content.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        redacted: bool,
    },
    /// An image, inline.
    Image {
        /// Base64 of the file.
        data: String,
        /// Such as `image/png`.
        mime_type: String,
    },
    /// A document, inline.
    Document {
        /// Base64 of the file.
        data: String,
        /// Such as `application/pdf`.
        mime_type: String,
        /// Its file name, without folders.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// A sound, inline.
    Audio {
        /// Base64 of the file.
        data: String,
        /// Such as `audio/wav`.
        mime_type: String,
    },
    /// A request of the model to run a tool.
    ToolCall(ToolCall),
}

/// A request of the model to run a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCall {
    /// The provider's id of the call, or a generated one if it has none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The parsed arguments. For invalid JSON this is `Value::String(raw)`.
    pub arguments: Value,
    /// Opaque provider data that must be sent back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought_signature: Option<String>,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum StopReason {
    /// The model finished.
    Stop,
    /// The output limit cut it off.
    Length,
    /// The model requests tool calls.
    ToolUse,
    /// An error; see `error_message`.
    Error,
    /// The user interrupted it.
    Aborted,
}

impl Part {
    /// Creates a text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Known(KnownPart::Text { text: text.into(), text_signature: None })
    }

    /// Whether it is an image.
    pub fn is_image(&self) -> bool {
        matches!(self, Self::Known(KnownPart::Image { .. }))
    }

    /// Returns the text of a text part.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Known(KnownPart::Text { text, .. }) => Some(text),
            _ => None,
        }
    }

    /// Returns the call of a tool-call part.
    pub fn as_tool_call(&self) -> Option<&ToolCall> {
        match self {
            Self::Known(KnownPart::ToolCall(call)) => Some(call),
            _ => None,
        }
    }
}

impl UserMessage {
    /// Creates a message with one text part.
    pub fn text(text: impl Into<String>, timestamp: u64) -> Self {
        Self { content: vec![Part::text(text)], timestamp, extra: Map::new() }
    }
}

impl AssistantMessage {
    /// Returns the tool calls, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(Part::as_tool_call)
    }

    /// Returns the text of all text parts, joined.
    pub fn text(&self) -> String {
        join_text(&self.content)
    }
}

/// Returns the text parts of a content list, joined without a separator.
pub fn join_text(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::as_text).collect()
}

/// Decodes `content`, which pi writes as a string, a list of parts, or null.
fn text_or_parts<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Part>, D::Error> {
    deserializer.deserialize_any(Content)
}

/// Decodes the parts in place: an untagged enum of the three forms would buffer them all.
struct Content;

impl<'de> Visitor<'de> for Content {
    type Value = Vec<Part>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text, a list of parts or null")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(vec![Part::text(text)])
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(vec![Part::text(text)])
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(part) = parts.next_element()? {
            all.push(part);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn message_pi_json_roundtrips_with_unknown_fields() {
        let wire = json!({"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
            {"type": "text", "text": "hi"},
            {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a"}},
            {"type": "hologram", "depth": 3}],
            "api": "anthropic-messages", "provider": "anthropic", "model": "m",
            "usage": {"input": 3, "output": 4, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 7,
                "cost": {"input": 0.0, "output": 0.0, "cacheRead": 0.0, "cacheWrite": 0.0, "total": 0.0}},
            "stopReason": "toolUse", "timestamp": 5, "thinkingLevel": "high"});
        let message: Message = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(serde_json::to_value(&message).unwrap(), wire);
    }

    #[test]
    fn message_string_and_null_content_are_read() {
        let message: Message = serde_json::from_value(json!({"role": "user", "content": "hi"})).unwrap();
        assert_eq!(message, Message::User(UserMessage::text("hi", 0)));
        let message: Message = serde_json::from_value(json!({"role": "user", "content": null})).unwrap();
        assert!(matches!(message, Message::User(UserMessage { content, .. }) if content.is_empty()));
    }
}
