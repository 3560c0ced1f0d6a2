//! A conversation as Anthropic's messages: roles in turn, calls and results paired, foreign
//! thinking left out. Pure; whatever the history looks like, what comes out is valid.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use crate::llm::model::{AssistantMessage, KnownPart, Message, Model, Part, ToolResultMessage};

/// The mark that ends a cached prefix.
pub fn cache_mark() -> Value {
    json!({"type": "ephemeral"})
}

/// What stands in for the result of a call that never got one.
const NO_RESULT: &str = "No result: the call was interrupted before it ended.";
/// What stands in for an image that the model cannot see.
const NO_VISION: &str = "(an image was left out: this model reads text only)";

/// The `messages` of a request.
pub fn build(history: &[Message], model: &Model) -> Vec<Value> {
    let mut out = Transcript { model, messages: Vec::new(), ids: HashSet::new() };
    for (at, message) in history.iter().enumerate() {
        match message {
            Message::User(user) => out.add("user", user_parts(&user.content, model)),
            Message::Assistant(answer) => out.answer(answer, &history[at + 1..]),
            // Results were placed behind their calls; one without a call has no place.
            Message::ToolResult(_) => {}
        }
    }
    if out.messages.first().is_some_and(|m| m["role"] != "user") {
        out.messages.insert(0, json!({"role": "user", "content": [text("(the conversation goes on)")]}));
    }
    out.messages
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

struct Transcript<'a> {
    model: &'a Model,
    messages: Vec<Value>,
    /// Call ids in use, as they are sent.
    ids: HashSet<String>,
}

impl Transcript<'_> {
    /// Adds blocks to the last message when it has the same role, else a new message.
    fn add(&mut self, role: &str, blocks: Vec<Value>) {
        if blocks.is_empty() {
            return;
        }
        if let Some(last) = self.messages.last_mut().filter(|m| m["role"] == role)
            && let Some(content) = last["content"].as_array_mut()
        {
            content.extend(blocks);
            return;
        }
        self.messages.push(json!({"role": role, "content": blocks}));
    }

    fn answer(&mut self, answer: &AssistantMessage, rest: &[Message]) {
        let own = answer.model == self.model.id
            && answer.provider == self.model.provider
            && answer.api == self.model.api;
        let mut blocks = Vec::new();
        let mut calls = Vec::new();
        for part in &answer.content {
            let Part::Known(part) = part else { continue };
            match part {
                KnownPart::Text { text: words, .. } if !words.trim().is_empty() => blocks.push(text(words)),
                KnownPart::Thinking { thinking, thinking_signature: Some(signature), redacted } if own => {
                    blocks.push(if *redacted {
                        json!({"type": "redacted_thinking", "data": signature})
                    } else {
                        json!({"type": "thinking", "thinking": thinking, "signature": signature})
                    });
                }
                KnownPart::ToolCall(call) => {
                    let id = self.encode(&call.id);
                    // The wire wants an object even where the model wrote broken JSON.
                    let input = if call.arguments.is_object() {
                        call.arguments.clone()
                    } else {
                        json!({"unparsed": call.arguments})
                    };
                    blocks.push(json!({"type": "tool_use", "id": id, "name": call.name, "input": input}));
                    calls.push((call.id.as_str(), id));
                }
                _ => {}
            }
        }
        // Thinking alone, from an answer that broke off, says nothing and is refused.
        if blocks.iter().all(|b| b["type"] == "thinking" || b["type"] == "redacted_thinking") {
            return;
        }
        self.add("assistant", blocks);
        let results = self.results(&calls, rest);
        self.add("user", results);
    }

    /// The results of an answer's calls in the calls' order, looked for up to the next answer.
    fn results(&mut self, calls: &[(&str, String)], rest: &[Message]) -> Vec<Value> {
        let until = rest.iter().position(|m| matches!(m, Message::Assistant(_))).unwrap_or(rest.len());
        let mut found: HashMap<&str, Vec<&ToolResultMessage>> = HashMap::new();
        for message in rest[..until].iter().rev() {
            if let Message::ToolResult(result) = message {
                found.entry(&result.tool_call_id).or_default().push(result);
            }
        }
        let blocks = calls.iter().map(|(original, id)| {
            let result = found.get_mut(original).and_then(Vec::pop);
            let (content, is_error) = match result {
                Some(result) => (result_parts(&result.content, self.model), result.is_error),
                None => (vec![text(NO_RESULT)], true),
            };
            let mut block = json!({"type": "tool_result", "tool_use_id": id, "content": content});
            if is_error {
                block["is_error"] = true.into();
            }
            block
        });
        blocks.collect()
    }

    /// An id that the API takes (`[a-zA-Z0-9_-]{1,64}`) and that no earlier call has.
    fn encode(&mut self, id: &str) -> String {
        let legal = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        let base: String = id.chars().map(legal).take(64).collect();
        let base = if base.is_empty() { "call".to_string() } else { base };
        let mut name = base.clone();
        let mut n = 1;
        while !self.ids.insert(name.clone()) {
            n += 1;
            name = format!("{}_{n}", &base[..base.len().min(56)]);
        }
        name
    }
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn user_parts(parts: &[Part], model: &Model) -> Vec<Value> {
    let blocks = parts.iter().filter_map(|part| match part {
        Part::Known(KnownPart::Text { text: words, .. }) => (!words.trim().is_empty()).then(|| text(words)),
        Part::Known(KnownPart::Image { data, mime_type }) if model.sees() => Some(json!({
            "type": "image",
            "source": {"type": "base64", "media_type": mime_type, "data": data},
        })),
        Part::Known(KnownPart::Image { .. }) => Some(text(NO_VISION)),
        _ => None,
    });
    blocks.collect()
}

fn result_parts(parts: &[Part], model: &Model) -> Vec<Value> {
    let blocks = user_parts(parts, model);
    if blocks.is_empty() { vec![text("(no output)")] } else { blocks }
}

#[cfg(test)]
mod tests;
