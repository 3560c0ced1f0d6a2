//! What a user has pinned: it is told word for word, whatever is summed up around it.
//!
//! A pin is a `custom` entry `bowline.pin`, which no model is told. Behind a compaction that sums something
//! pinned up stands a copy of it as a `custom_message` of the kind `bowline.pinned`, so that pi tells the same.
//! Must not know how summaries are made.

use std::collections::HashSet;

use serde_json::Value;

use crate::base::json::json;

use super::projection::{Edits, message_of};
use crate::llm::model::{Message, Part};
use crate::session::format::body::EntryBody;
use crate::session::format::entry::Entry;
use crate::session::format::message::AgentMessage;

/// The kind of `custom` entry that pins something, or takes a pin away.
pub const PIN: &str = "bowline.pin";
/// The kind of `custom_message` that holds something pinned.
pub const PINNED: &str = "bowline.pinned";
/// The roles of what can be pinned.
const PINNABLE: [&str; 6] = ["user", "assistant", "toolResult", "custom", "bashExecution", "branchSummary"];

/// The entry that pins another one, or takes its pin away.
pub fn entry(target: &str, pinned: bool) -> EntryBody {
    let data = json!({"targetId": target, "pinned": pinned});
    EntryBody::Custom { custom_type: PIN.to_string(), data: Some(data) }
}

/// Whether an entry can be pinned: a message, of which a model is told.
pub fn can_be(entry: &Entry) -> bool {
    message_of(entry).is_some_and(|message| PINNABLE.contains(&message.role()) && !is_hidden(&message))
}

/// Whether it is for people only.
fn is_hidden(message: &AgentMessage) -> bool {
    matches!(message, AgentMessage::Other(value) if value["excludeFromContext"] == Value::Bool(true))
}

/// The entries that are pinned at the end of a path.
pub fn of(path: &[&Entry]) -> HashSet<String> {
    let mut pins = HashSet::new();
    for entry in path.iter().filter(|entry| entry.kind() == "custom") {
        let EntryBody::Custom { custom_type, data: Some(data) } = entry.body() else { continue };
        let Some(target) = data["targetId"].as_str().filter(|_| custom_type == PIN) else { continue };
        if data["pinned"] == Value::Bool(true) {
            pins.insert(target.to_string());
        } else {
            pins.remove(target);
        }
    }
    pins
}

/// What a copy is a copy of; `None` of anything else.
pub fn origin(entry: &Entry) -> Option<String> {
    if entry.kind() != "custom_message" {
        return None;
    }
    match entry.body() {
        EntryBody::CustomMessage { custom_type, details: Some(details), .. } if custom_type == PINNED => {
            Some(details["targetId"].as_str()?.to_string())
        }
        _ => None,
    }
}

/// What has to stand behind a compaction at the end of this path that keeps what follows `first_kept`: a copy
/// of everything pinned that would not be told any more, oldest first.
pub fn carried(path: &[&Entry], first_kept: &str) -> Vec<EntryBody> {
    let pins = of(path);
    if pins.is_empty() {
        return Vec::new();
    }
    let edits = Edits::of(path);
    let kept = path.iter().position(|entry| entry.id() == first_kept).unwrap_or(path.len());
    let mut latest: Vec<(String, usize)> = Vec::new();
    for (at, entry) in path.iter().enumerate() {
        let target = origin(entry).unwrap_or_else(|| entry.id().to_string());
        if !pins.contains(&target) {
            continue;
        }
        match latest.iter_mut().find(|(known, _)| *known == target) {
            Some((_, place)) => *place = at,
            None => latest.push((target, at)),
        }
    }
    let gone = latest.into_iter().filter(|(_, at)| *at < kept);
    gone.filter_map(|(target, at)| copy(path[at], &target, &edits)).collect()
}

/// A copy of what an entry tells; nothing of what was left out by hand.
fn copy(entry: &Entry, target: &str, edits: &Edits) -> Option<EntryBody> {
    let message = edits.own(entry).filter(|message| !is_hidden(message))?;
    let content = content(&message, origin(entry).is_some())?;
    Some(EntryBody::CustomMessage {
        custom_type: PINNED.to_string(),
        content,
        // It was shown when it was said.
        display: false,
        details: Some(json!({"targetId": target})),
    })
}

/// What is told of something pinned, once it does not stand in its place any more: whose it was, then its
/// own parts.
fn content(message: &AgentMessage, is_copy: bool) -> Option<Value> {
    let value = serde_json::to_value(message).ok()?;
    let field = |name: &str| value[name].as_str().unwrap_or_default();
    let mut parts = match &value["content"] {
        Value::Array(parts) => parts.clone(),
        Value::String(text) => vec![text_part(text)],
        _ => Vec::new(),
    };
    let what = match message {
        AgentMessage::Other(_) if is_copy => return (!parts.is_empty()).then_some(Value::Array(parts)),
        AgentMessage::Llm(Message::User(_)) => "what the user said".to_string(),
        AgentMessage::Llm(Message::Assistant(answer)) => {
            parts = said(&answer.content);
            "what the assistant said".to_string()
        }
        AgentMessage::Llm(Message::ToolResult(result)) => {
            format!("the result of the tool {}", result.tool_name)
        }
        AgentMessage::Other(_) => match message.role() {
            "bashExecution" => {
                parts = vec![text_part(field("output"))];
                format!("what the command `{}` of the user printed", field("command"))
            }
            "branchSummary" => {
                parts = vec![text_part(field("summary"))];
                "the summary of another branch of the conversation".to_string()
            }
            _ => "a note".to_string(),
        },
    };
    if parts.is_empty() {
        return None;
    }
    parts.insert(0, text_part(&format!("[From the conversation before, kept word for word: {what}]\n")));
    Some(Value::Array(parts))
}

/// The words of an answer, its calls told in words; what it thought stays behind.
fn said(parts: &[Part]) -> Vec<Value> {
    let words = |part: &Part| {
        if let Some(call) = part.as_tool_call() {
            return Some(text_part(&format!("[It called the tool {} with {}]", call.name, call.arguments)));
        }
        part.as_text().filter(|text| !text.trim().is_empty()).map(text_part)
    };
    parts.iter().filter_map(words).collect()
}

fn text_part(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

#[cfg(test)]
mod tests;
