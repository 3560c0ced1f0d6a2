//! Estimates the tokens of messages that no provider has counted, with pi's rule. Pure.

use serde_json::Value;

use crate::llm::model::message::KnownPart;
use crate::llm::model::{Message, Part};
use crate::session::AgentMessage;

/// Estimated characters per token.
const CHARS_PER_TOKEN: u64 = 4;
/// Equivalent of an image or other non-text part, in characters.
const IMAGE_CHARS: u64 = 4800;

/// Returns the tokens of this many characters.
pub fn of_chars(chars: u64) -> u64 {
    chars.div_ceil(CHARS_PER_TOKEN)
}

/// Returns the tokens of a text.
pub fn of_text(text: &str) -> u64 {
    of_chars(chars(text))
}

/// Returns the tokens of a model's message.
pub fn of_message(message: &Message) -> u64 {
    let parts = match message {
        Message::User(m) => &m.content,
        Message::Assistant(m) => &m.content,
        Message::ToolResult(m) => &m.content,
    };
    of_chars(parts.iter().map(part).sum())
}

/// Returns the tokens of any session message, as it would be sent to a model.
pub fn of_agent_message(message: &AgentMessage) -> u64 {
    let value = match message {
        AgentMessage::Llm(message) => return of_message(message),
        AgentMessage::Other(value) => value,
    };
    let field = |name: &str| value.get(name).and_then(Value::as_str).map_or(0, chars);
    of_chars(match message.role() {
        "bashExecution" => field("command") + field("output"),
        "branchSummary" | "compactionSummary" => field("summary"),
        "custom" => value.get("content").map_or(0, content),
        _ => 0,
    })
}

/// Counts characters as pi does: UTF-16 units.
fn chars(text: &str) -> u64 {
    text.encode_utf16().count() as u64
}

fn part(part: &Part) -> u64 {
    match part {
        Part::Known(KnownPart::Text { text, .. }) => chars(text),
        Part::Known(KnownPart::Thinking { thinking, .. }) => chars(thinking),
        Part::Known(KnownPart::ToolCall(call)) => chars(&call.name) + chars(&call.arguments.to_string()),
        Part::Known(_) => IMAGE_CHARS,
        Part::Unknown(_) => 0,
    }
}

/// Returns the tokens of an extension message's content: a text or a list of parts.
fn content(value: &Value) -> u64 {
    let one = |part: &Value| match part["type"].as_str() {
        Some("text") => part["text"].as_str().map_or(0, chars),
        Some("image") => IMAGE_CHARS,
        _ => 0,
    };
    value.as_str().map_or_else(|| value.as_array().map_or(0, |parts| parts.iter().map(one).sum()), chars)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn tokens(value: Value) -> u64 {
        of_agent_message(&serde_json::from_value(value).unwrap())
    }

    #[test]
    fn token_estimate_is_utf16_units_by_four() {
        assert_eq!([0, 1, 4, 5].map(of_chars), [0, 1, 1, 2]);
        assert_eq!(of_text("ééééé"), 2);
        assert_eq!(of_text("🧶🧶🧶"), 2, "two units each");
    }

    #[test]
    fn token_estimate_counts_every_role() {
        let image = json!({"type": "image", "data": "x".repeat(9000), "mimeType": "image/png"});
        let user = json!({"role": "user", "content": [{"type": "text", "text": "12345678"}, image]});
        assert_eq!(tokens(user), 1202);
        let call = json!({"type": "toolCall", "id": "a", "name": "read", "arguments": {"path": "abcde"}});
        let answer = json!({"role": "assistant", "api": "a", "provider": "p", "model": "m", "stopReason": "toolUse",
            "content": [{"type": "thinking", "thinking": "1234"}, call]});
        // read, {"path":"abcde"} and the thought.
        assert_eq!(tokens(answer), 6);
        assert_eq!(tokens(json!({"role": "bashExecution", "command": "ls", "output": "abcdef"})), 2);
        assert_eq!(tokens(json!({"role": "compactionSummary", "summary": "12345"})), 2);
        assert_eq!(tokens(json!({"role": "custom", "content": "12345"})), 2);
        assert_eq!(tokens(json!({"role": "custom", "content": [image]})), 1200);
        assert_eq!(tokens(json!({"role": "hologram", "content": "12345"})), 0);
    }
}
