//! Text of an entry as one line, for rows of a tree.
//!
//! Must not know rows, nor how they are drawn.

use serde_json::Value;

use crate::llm::model::message::join_text;
use crate::llm::model::{AssistantMessage, Message, Part};
use crate::session::restore::checkpoints::CHECKPOINT;
use crate::session::{AgentMessage, Entry, EntryBody, context::pins, position};

/// Maximum characters of a line.
const LINE_MAX: usize = 200;
/// Bytes of a text that are read for its line.
const READ_MAX: usize = 4 * LINE_MAX;

/// Returns an entry's text; empty for entries without text for users.
pub fn of_entry(entry: &Entry) -> String {
    let words = match entry.body() {
        EntryBody::Message { message } => of_message(&message),
        EntryBody::Compaction { summary, .. } => format!("compacted: {}", strip_heading(&summary)),
        EntryBody::BranchSummary { summary, .. } => {
            format!("summary of another branch: {}", strip_heading(&summary))
        }
        EntryBody::ModelChange { provider, model_id } => format!("model {provider}/{model_id}"),
        EntryBody::ThinkingLevelChange { thinking_level } => format!("thinking {thinking_level}"),
        EntryBody::Custom { custom_type, data: Some(data) } if custom_type == pins::PIN_TYPE => {
            let state = if data["pinned"] == Value::Bool(true) { "pinned" } else { "no longer pinned" };
            format!("{} {state}", data["targetId"].as_str().unwrap_or_default())
        }
        EntryBody::Custom { custom_type, .. } if custom_type == position::POSITION_TYPE => {
            "the conversation was left here".to_string()
        }
        EntryBody::Custom { custom_type, .. } if custom_type == CHECKPOINT => {
            "checkpoint of the files".to_string()
        }
        EntryBody::Custom { custom_type, .. } => custom_type,
        EntryBody::CustomMessage { custom_type, content, .. } => {
            format!("{custom_type}: {}", of_content(&content))
        }
        EntryBody::Label { target_id, label: Some(label) } => format!("label \"{label}\" for {target_id}"),
        EntryBody::Label { target_id, label: None } => format!("label removed from {target_id}"),
        EntryBody::SessionInfo { name } => format!("name: {}", name.as_deref().unwrap_or("none")),
        EntryBody::ContextEdit { target_id, replacement: None } => format!("{target_id} excluded"),
        EntryBody::ContextEdit { target_id, .. } => format!("{target_id} edited"),
        _ => entry.kind().to_string(),
    };
    line(&words)
}

/// Returns a message's text as one line.
pub fn of_agent_message(message: &AgentMessage) -> String {
    line(&of_message(message))
}

fn of_message(message: &AgentMessage) -> String {
    match message {
        AgentMessage::Llm(Message::User(user)) => {
            let text = join_text(&user.content);
            if text.trim().is_empty() { "(a picture)".to_string() } else { text }
        }
        AgentMessage::Llm(Message::Assistant(answer)) => of_answer(answer),
        AgentMessage::Llm(Message::ToolResult(result)) => {
            let suffix = if result.is_error { " failed" } else { "" };
            format!("{}{suffix}: {}", result.tool_name, join_text(&result.content))
        }
        AgentMessage::Other(value) if message.role() == "bashExecution" => {
            format!("$ {}", value["command"].as_str().unwrap_or_default())
        }
        AgentMessage::Other(value) if message.role() == "branchSummary" => {
            format!(
                "summary of another branch: {}",
                strip_heading(value["summary"].as_str().unwrap_or_default())
            )
        }
        AgentMessage::Other(value) => {
            let kind = value["customType"].as_str().unwrap_or(message.role());
            format!("{kind}: {}", of_content(&value["content"]))
        }
    }
}

/// Returns the model's text; without text, its calls.
fn of_answer(answer: &AssistantMessage) -> String {
    let text = answer.text();
    if !text.trim().is_empty() {
        return text;
    }
    let calls: Vec<String> =
        answer.tool_calls().map(|call| format!("{} {}", call.name, main_argument(&call.arguments))).collect();
    if !calls.is_empty() {
        return format!("→ {}", calls.join(", "));
    }
    answer.error_message.clone().unwrap_or_else(|| "(no words)".to_string())
}

/// Returns the main argument of a call: the first that is a string.
pub fn main_argument(arguments: &Value) -> String {
    let first = match arguments {
        Value::Object(fields) => fields.values().find_map(Value::as_str),
        other => other.as_str(),
    };
    first.map(line).unwrap_or_default()
}

fn of_content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(_) => {
            let parts: Vec<Part> = serde_json::from_value(content.clone()).unwrap_or_default();
            join_text(&parts)
        }
        _ => String::new(),
    }
}

/// Returns a summary without the standard heading.
fn strip_heading(summary: &str) -> String {
    let is_body = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    summary.lines().filter(is_body).take(3).collect::<Vec<_>>().join(" ")
}

/// Returns the beginning of a text as one line.
pub fn line(text: &str) -> String {
    let mut end = text.len().min(READ_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let one = text[..end].split_whitespace().collect::<Vec<_>>().join(" ");
    one.chars().take(LINE_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> String {
        let line = format!(r#"{{"id":"a","parentId":null,"timestamp":"t",{}"#, &line[1..]);
        of_entry(&Entry::parse(&line).unwrap())
    }

    #[test]
    fn outline_every_entry_kind_has_text() {
        let cases = [
            (
                r#"{"type":"message","message":{"role":"user","content":"fix\n  the loop","timestamp":1}}"#,
                "fix the loop",
            ),
            (
                r#"{"type":"message","message":{"role":"user","content":[{"type":"image","data":"x","mimeType":"image/png"}],"timestamp":1}}"#,
                "(a picture)",
            ),
            (
                r#"{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"bash","arguments":{"timeout":3,"command":"cargo  test"}}],"api":"a","provider":"p","model":"m","stopReason":"toolUse"}}"#,
                "→ bash cargo test",
            ),
            (
                r#"{"type":"message","message":{"role":"assistant","content":[],"api":"a","provider":"p","model":"m","stopReason":"error","errorMessage":"over"}}"#,
                "over",
            ),
            (
                r#"{"type":"message","message":{"role":"toolResult","toolCallId":"1","toolName":"bash","content":"no","isError":true}}"#,
                "bash failed: no",
            ),
            (r#"{"type":"message","message":{"role":"bashExecution","command":"ls","output":"x"}}"#, "$ ls"),
            (
                r###"{"type":"compaction","summary":"## Goal\n\nA loop\n","firstKeptEntryId":"x","tokensBefore":1}"###,
                "compacted: A loop",
            ),
            (r#"{"type":"context_edit","targetId":"x","replacement":null}"#, "x excluded"),
            (r#"{"type":"custom_message","customType":"note","content":"hi","display":true}"#, "note: hi"),
            (
                r#"{"type":"custom","customType":"bowline.pin","data":{"targetId":"x","pinned":true}}"#,
                "x pinned",
            ),
            (r#"{"type":"custom","customType":"bowline.checkpoint","data":{}}"#, "checkpoint of the files"),
            (r#"{"type":"custom","customType":"mine"}"#, "mine"),
            (r#"{"type":"hologram"}"#, "hologram"),
        ];
        for (line, words) in cases {
            assert_eq!(said(line), words, "{line}");
        }
    }

    #[test]
    fn outline_long_text_is_cut_at_character() {
        let text = "é".repeat(10_000);
        assert_eq!(line(&text).chars().count(), LINE_MAX);
    }
}
