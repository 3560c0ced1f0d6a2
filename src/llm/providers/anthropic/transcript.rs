//! A conversation as Anthropic's messages: roles in turn, calls and results paired, foreign
//! thinking left out. Pure; whatever the history looks like, what comes out is valid.

use serde_json::{Value, json};

use crate::llm::history::{self, Outcome, Said, Shown, Turn};
use crate::llm::model::{Message, Model};

/// The longest call id that the API takes.
const ID_MAX: usize = 64;

/// The mark that ends a cached prefix.
pub fn cache_mark() -> Value {
    json!({"type": "ephemeral"})
}

/// The `messages` of a request.
pub fn build(history: &[Message], model: &Model) -> Vec<Value> {
    let mut messages = Vec::new();
    for turn in history::turns(history, model, ID_MAX) {
        match turn {
            Turn::User(parts) => add(&mut messages, "user", shown(&parts)),
            Turn::Answer { said, results, .. } => {
                let blocks: Vec<Value> = said.iter().filter_map(block).collect();
                add(&mut messages, "assistant", blocks);
                add(&mut messages, "user", results.iter().map(result).collect());
            }
        }
    }
    if messages.first().is_some_and(|m| m["role"] != "user") {
        messages.insert(0, json!({"role": "user", "content": [text("(the conversation goes on)")]}));
    }
    messages
}

/// Marks the last block of the last user message, and of the one before it, whose mark was
/// the last one in the previous request.
pub fn mark_cache(messages: &mut [Value]) {
    let users = messages.iter_mut().rev().filter(|m| m["role"] == "user").take(2);
    for message in users {
        if let Some(block) = message["content"].as_array_mut().and_then(|blocks| blocks.last_mut()) {
            block["cache_control"] = cache_mark();
        }
    }
}

/// Roughly the bytes of text in the messages; an image counts as 4800.
pub fn size(messages: &[Value]) -> usize {
    fn of(value: &Value) -> usize {
        match value {
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(of).sum(),
            Value::Object(map) if map.get("type").is_some_and(|t| t == "image") => 4800,
            Value::Object(map) => map.values().map(of).sum(),
            _ => 4,
        }
    }
    messages.iter().map(of).sum()
}

/// Adds blocks to the last message when it has the same role, else a new message.
fn add(messages: &mut Vec<Value>, role: &str, blocks: Vec<Value>) {
    if blocks.is_empty() {
        return;
    }
    if let Some(last) = messages.last_mut().filter(|m| m["role"] == role)
        && let Some(content) = last["content"].as_array_mut()
    {
        content.extend(blocks);
        return;
    }
    messages.push(json!({"role": role, "content": blocks}));
}

fn block(part: &Said) -> Option<Value> {
    Some(match part {
        Said::Text { text: words, .. } => text(words),
        Said::Thinking { signature, redacted: true, .. } => {
            json!({"type": "redacted_thinking", "data": (*signature)?})
        }
        // Without its signature it would be refused.
        Said::Thinking { text, signature, redacted: false } => {
            json!({"type": "thinking", "thinking": text, "signature": (*signature)?})
        }
        Said::Call { id, call } => {
            let input = history::arguments(call);
            json!({"type": "tool_use", "id": id, "name": call.name, "input": input})
        }
    })
}

fn result(outcome: &Outcome) -> Value {
    let content = shown(&outcome.shown);
    let mut block = json!({"type": "tool_result", "tool_use_id": outcome.id, "content": content});
    if outcome.is_error {
        block["is_error"] = true.into();
    }
    block
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn shown(parts: &[Shown]) -> Vec<Value> {
    let blocks = parts.iter().map(|part| match part {
        Shown::Text(words) => text(words),
        Shown::Image { data, mime_type } => json!({
            "type": "image",
            "source": {"type": "base64", "media_type": mime_type, "data": data},
        }),
    });
    blocks.collect()
}

#[cfg(test)]
mod tests;
