//! Messages and their parts, in pi's names and fields. Must not know any provider.

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
    /// What one tool call gave.
    ToolResult(ToolResultMessage),
}

/// What a user says to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserMessage {
    /// Text, images, documents and sounds; on the wire a bare string is the same as one text part.
    #[serde(deserialize_with = "text_or_parts")]
    pub content: Vec<Part>,
    /// Milliseconds since the epoch.
    #[serde(default)]
    pub timestamp: u64,
    /// Fields that this version does not know, kept as they came.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// One answer of a model, whole or as far as it got.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMessage {
    /// Text, thinking and tool calls in the order in which they came.
    #[serde(deserialize_with = "text_or_parts")]
    pub content: Vec<Part>,
    /// Dialect id, such as `anthropic-messages`.
    pub api: String,
    /// Provider id, such as `anthropic`.
    pub provider: String,
    /// The model that was asked for.
    pub model: String,
    /// The model that answered, where it differs.
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
    /// The provider's own word for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_stop_reason: Option<String>,
    /// For `error` and `aborted`: what happened, for a user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Milliseconds since the epoch.
    #[serde(default)]
    pub timestamp: u64,
    /// Fields that this version does not know, kept as they came.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The field of an answer that broke off and was asked for again.
const REPLACED: &str = "replaced";

impl AssistantMessage {
    /// The same answer, marked as one that broke off and that the next one replaces.
    #[must_use]
    pub fn replaced(mut self) -> Self {
        self.extra.insert(REPLACED.to_string(), true.into());
        self
    }

    /// Whether another answer replaces this one, which broke off: no model is sent it.
    pub fn is_replaced(&self) -> bool {
        self.extra.get(REPLACED) == Some(&Value::Bool(true))
    }
}

/// What one tool call gave, as the model sees it.
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

/// A part of a message. A kind that this version does not know is kept as it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Part {
    /// A kind that we know.
    Known(KnownPart),
    /// Any other, whole.
    Unknown(Value),
}

/// The kinds of part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum KnownPart {
    /// Plain text (markdown by habit).
    Text {
        /// The text.
        text: String,
        /// Opaque provider data that must go back with the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text_signature: Option<String>,
    },
    /// The model's reasoning.
    Thinking {
        /// The text, empty when redacted.
        thinking: String,
        /// Opaque provider data that must go back verbatim to the same model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        thinking_signature: Option<String>,
        /// Whether the signature holds the only, encrypted, content.
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
        /// What it is called, without folders.
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
    /// The provider's id of the call, or one that we invented where it has none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments, parsed. A call whose JSON was broken has `Value::String(raw)` here.
    pub arguments: Value,
    /// Opaque provider data that must go back with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought_signature: Option<String>,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum StopReason {
    /// The model was done.
    Stop,
    /// The output limit cut it off.
    Length,
    /// It wants tools to run.
    ToolUse,
    /// Something failed; see `error_message`.
    Error,
    /// The user interrupted it.
    Aborted,
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Known(KnownPart::Text { text: text.into(), text_signature: None })
    }

    /// Whether it is a picture.
    pub fn is_image(&self) -> bool {
        matches!(self, Self::Known(KnownPart::Image { .. }))
    }

    /// The text of a text part.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Known(KnownPart::Text { text, .. }) => Some(text),
            _ => None,
        }
    }

    /// The call of a tool-call part.
    pub fn as_tool_call(&self) -> Option<&ToolCall> {
        match self {
            Self::Known(KnownPart::ToolCall(call)) => Some(call),
            _ => None,
        }
    }
}

impl UserMessage {
    /// A message of one text part.
    pub fn text(text: impl Into<String>, timestamp: u64) -> Self {
        Self { content: vec![Part::text(text)], timestamp, extra: Map::new() }
    }
}

impl AssistantMessage {
    /// The tool calls, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.content.iter().filter_map(Part::as_tool_call)
    }

    /// All text parts, joined.
    pub fn text(&self) -> String {
        join_text(&self.content)
    }
}

/// The text parts of a content list, joined without a separator.
pub fn join_text(parts: &[Part]) -> String {
    parts.iter().filter_map(Part::as_text).collect()
}

/// pi writes `content` as a string, a list of parts, or null.
fn text_or_parts<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Part>, D::Error> {
    deserializer.deserialize_any(Content)
}

/// Reads the parts where they stand: an enum of the three forms would hold all of them a second time.
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
