//! Pinned messages: they are sent verbatim, even if the messages around them are summarized.
//!
//! A pin is a `custom` entry `bowline.pin`, which is not sent. After a compaction that summarizes a pinned
//! message follows a copy of it, as a `custom_message` of type `bowline.pinned`, so that pi sends the same.
//! Must not know how summaries are made.

use std::collections::HashSet;

use serde_json::Value;

use crate::base::json::json;

use super::projection::{Edits, message_of};
use crate::llm::model::{Message, Part};
use crate::session::format::body::EntryBody;
use crate::session::format::entry::Entry;
use crate::session::format::message::AgentMessage;

/// Type of the `custom` entry that pins or unpins an entry.
pub const PIN_TYPE: &str = "bowline.pin";
/// Type of the `custom_message` that copies a pinned entry.
pub const PINNED_COPY_TYPE: &str = "bowline.pinned";
/// Roles that can be pinned.
const PINNABLE_ROLES: [&str; 6] =
    ["user", "assistant", "toolResult", "custom", "bashExecution", "branchSummary"];

/// Returns the entry that pins or unpins another one.
pub fn pin_entry(target: &str, pinned: bool) -> EntryBody {
    let data = json!({"targetId": target, "pinned": pinned});
    EntryBody::Custom { custom_type: PIN_TYPE.to_string(), data: Some(data) }
}

/// Whether an entry can be pinned: a message that is sent to models.
pub fn is_pinnable(entry: &Entry) -> bool {
    message_of(entry).is_some_and(|message| PINNABLE_ROLES.contains(&message.role()) && !is_hidden(&message))
}

/// Whether it is shown to users only.
fn is_hidden(message: &AgentMessage) -> bool {
    matches!(message, AgentMessage::Other(value) if value["excludeFromContext"] == Value::Bool(true))
}

/// Returns the ids of the entries that are pinned at the end of a path.
pub fn pinned_ids(path: &[&Entry]) -> HashSet<String> {
    let mut pins = HashSet::new();
    for entry in path.iter().filter(|entry| entry.kind() == "custom") {
        let EntryBody::Custom { custom_type, data: Some(data) } = entry.body() else { continue };
        let Some(target) = data["targetId"].as_str().filter(|_| custom_type == PIN_TYPE) else { continue };
        if data["pinned"] == Value::Bool(true) {
            pins.insert(target.to_string());
        } else {
            pins.remove(target);
        }
    }
    pins
}

/// Returns the original of a copy; `None` for other entries.
pub fn origin(entry: &Entry) -> Option<String> {
    if entry.kind() != "custom_message" {
        return None;
    }
    match entry.body() {
        EntryBody::CustomMessage { custom_type, details: Some(details), .. }
            if custom_type == PINNED_COPY_TYPE =>
        {
            Some(details["targetId"].as_str()?.to_string())
        }
        _ => None,
    }
}

/// Returns the entries to add after a compaction that keeps the path from `first_kept` on: a copy of each
/// pinned entry that would otherwise be lost, oldest first.
pub fn pinned_copies(path: &[&Entry], first_kept: &str) -> Vec<EntryBody> {
    let pins = pinned_ids(path);
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
            Some((_, position)) => *position = at,
            None => latest.push((target, at)),
        }
    }
    let summarized = latest.into_iter().filter(|(_, at)| *at < kept);
    summarized.filter_map(|(target, at)| copy_entry(path[at], &target, &edits)).collect()
}

/// Returns a copy of an entry's message; `None` for a manually excluded one.
fn copy_entry(entry: &Entry, target: &str, edits: &Edits) -> Option<EntryBody> {
    let message = edits.edited_message(entry).filter(|message| !is_hidden(message))?;
    let content = copy_content(&message, origin(entry).is_some())?;
    Some(EntryBody::CustomMessage {
        custom_type: PINNED_COPY_TYPE.to_string(),
        content,
        // Front ends have displayed the original.
        display: false,
        details: Some(json!({"targetId": target})),
    })
}

/// Returns the content of a pinned message outside its original position: a line with its role, then its
/// parts.
fn copy_content(message: &AgentMessage, is_copy: bool) -> Option<Value> {
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
            parts = answer_parts(&answer.content);
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

/// Returns the parts of an answer with calls as text and without thinking.
fn answer_parts(parts: &[Part]) -> Vec<Value> {
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
