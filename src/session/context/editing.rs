//! Manual edits of the context: computes the entries that exclude a message, replace its text, or restore the
//! original.
//!
//! Must not know who requests them. Edits are `context_edit` entries as in pi: nothing is deleted, and the
//! latest edit of an entry wins.

use serde_json::Value;

use crate::base::json::json;

use super::projection::{EDITABLE_ROLES, Projection, Row, RowKind, message_of};
use crate::llm::model::Message;
use crate::session::format::body::EntryBody;
use crate::session::format::entry::Entry;
use crate::session::format::message::AgentMessage;

/// Placeholder for an excluded message that cannot be removed: providers require a result for each call, and
/// a user message between two answers.
pub const EXCLUDED_PLACEHOLDER: &str = "(left out by the user)";

/// An edit of an entry in the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextEdit {
    /// Excludes it.
    Exclude,
    /// Replaces its text.
    Replace(String),
    /// Restores the original.
    Restore,
}

/// Why an edit was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The path has no such entry.
    #[error("the conversation has no entry {0} here")]
    Unknown(String),
    /// The entry is summarized.
    #[error("the entry is summarized by the compaction {0} and is not sent")]
    Summarized(String),
    /// The entry is not a message of the conversation.
    #[error("only messages can be edited")]
    NotAMessage,
    /// The new text is empty.
    #[error("a message cannot be empty; it can be dropped")]
    Empty,
    /// Nothing to do.
    #[error("that is the original message already")]
    AlreadyOriginal,
    /// Nothing to do.
    #[error("that is excluded already")]
    AlreadyExcluded,
    /// The entry, or the group that it belongs to, is excluded.
    #[error("that is excluded; restore it before you edit it")]
    Excluded,
}

/// Returns the entries that carry out an edit at the end of a path.
pub fn edit_entries(
    path: &[&Entry],
    target: &str,
    change: &ContextEdit,
) -> Result<Vec<EntryBody>, EditError> {
    let projection = Projection::of(path);
    let index = projection.rows.iter().position(|row| row.entry.id() == target && row.is_own());
    let index = index.ok_or_else(|| EditError::Unknown(target.to_string()))?;
    let row = &projection.rows[index];
    let message = message_of(row.entry).ok_or(EditError::NotAMessage)?;
    match (row.kind, projection.compaction) {
        (RowKind::Summarized, Some(by)) => return Err(EditError::Summarized(by.id().to_string())),
        _ if !EDITABLE_ROLES.contains(&message.role()) => return Err(EditError::NotAMessage),
        _ => {}
    }
    match change {
        ContextEdit::Exclude => exclude_message(&projection, index, &message),
        ContextEdit::Replace(text) if text.trim().is_empty() => Err(EditError::Empty),
        ContextEdit::Replace(_) if is_excluded(&projection, index, &message) => Err(EditError::Excluded),
        ContextEdit::Replace(text) => {
            let content = replace_text(&content_of(&message), text);
            Ok(vec![edit_entry(row.entry, Some(content))])
        }
        ContextEdit::Restore => restore_message(path, &projection, index, &message),
    }
}

/// Returns the text of a message that an edit can replace.
pub fn editable_text(message: &AgentMessage) -> String {
    match content_of(message) {
        Value::String(text) => text,
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn edit_entry(entry: &Entry, content: Option<Value>) -> EntryBody {
    let replacement = content.map(|content| json!({"content": content}));
    EntryBody::ContextEdit { target_id: entry.id().to_string(), replacement }
}

fn content_of(message: &AgentMessage) -> Value {
    serde_json::to_value(message)
        .ok()
        .and_then(|mut value| Some(value.get_mut("content")?.take()))
        .unwrap_or_default()
}

/// Returns the content with another text: it replaces the first text part, the other text parts are removed;
/// images and calls are kept.
fn replace_text(content: &Value, text: &str) -> Value {
    let words = json!({"type": "text", "text": text});
    let Value::Array(parts) = content else { return json!([words]) };
    let is = |part: &Value, kind: &str| part["type"] == kind;
    // In an answer without text the new text goes before the calls and after the thinking.
    let index = parts.iter().position(|part| is(part, "text"));
    let index = index.or_else(|| parts.iter().position(|part| !is(part, "thinking"))).unwrap_or(parts.len());
    let mut out: Vec<Value> = Vec::with_capacity(parts.len() + 1);
    for (at, part) in parts.iter().enumerate() {
        if at == index {
            out.push(words.clone());
        }
        if !is(part, "text") {
            out.push(part.clone());
        }
    }
    if index == parts.len() {
        out.push(words);
    }
    Value::Array(out)
}

/// Excludes a message: an answer together with the results of its calls; a result is replaced by a
/// placeholder.
fn exclude_message(
    projection: &Projection<'_>,
    index: usize,
    message: &AgentMessage,
) -> Result<Vec<EntryBody>, EditError> {
    let row = &projection.rows[index];
    if projection.message(row).is_none() {
        return Err(EditError::AlreadyExcluded);
    }
    let note = || Some(json!([{"type": "text", "text": EXCLUDED_PLACEHOLDER}]));
    Ok(match message {
        AgentMessage::Llm(Message::Assistant(_)) => {
            let results = results_of(projection, index).filter(|row| projection.message(row).is_some());
            std::iter::once(row).chain(results).map(|row| edit_entry(row.entry, None)).collect()
        }
        AgentMessage::Llm(Message::ToolResult(_)) => vec![edit_entry(row.entry, note())],
        _ if separates_answers(projection, index) => vec![edit_entry(row.entry, note())],
        _ => vec![edit_entry(row.entry, None)],
    })
}

/// Whether removing this row would put two answers next to each other, or an answer first.
fn separates_answers(projection: &Projection<'_>, index: usize) -> bool {
    let role =
        |row: &Row<'_>| Some(projection.message(row)?.role().to_string()).filter(|role| role != "system");
    let before = projection.rows[..index].iter().rev().find_map(role);
    let after = projection.rows[index + 1..].iter().find_map(role);
    before.is_none_or(|role| role == "assistant") && after.is_some_and(|role| role == "assistant")
}

/// Whether a message is excluded, or the answer whose call it answers.
fn is_excluded(projection: &Projection<'_>, index: usize, message: &AgentMessage) -> bool {
    let answer = match message {
        AgentMessage::Llm(Message::ToolResult(_)) => answer_of_result(projection, index),
        _ => None,
    };
    [Some(index), answer].into_iter().flatten().any(|at| projection.message(&projection.rows[at]).is_none())
}

/// Restores a message: one that was excluded with its group comes back with the group, whose other messages
/// get the content that they had before.
fn restore_message(
    path: &[&Entry],
    projection: &Projection<'_>,
    index: usize,
    message: &AgentMessage,
) -> Result<Vec<EntryBody>, EditError> {
    let row = &projection.rows[index];
    let is_gone = |row: &Row<'_>| projection.message(row).is_none();
    if !is_gone(row) && projection.message(row).as_deref() == Some(message) {
        return Err(EditError::AlreadyOriginal);
    }
    let back = |row: &Row<'_>| Some(edit_entry(row.entry, Some(content_of(&*message_of(row.entry)?))));
    let whole = match message {
        AgentMessage::Llm(Message::Assistant(_)) if is_gone(row) => Some(index),
        AgentMessage::Llm(Message::ToolResult(_)) => {
            answer_of_result(projection, index).filter(|answer| is_gone(&projection.rows[*answer]))
        }
        _ => None,
    };
    let Some(answer) = whole else { return Ok(back(row).into_iter().collect()) };
    let target = row.entry.id();
    let results = results_of(projection, answer).filter(|row| is_gone(row) || row.entry.id() == target);
    let with_others =
        |row: &Row<'_>| match previous_content(path, row.entry).filter(|_| row.entry.id() != target) {
            Some(content) => Some(edit_entry(row.entry, Some(content))),
            None => back(row),
        };
    Ok(std::iter::once(&projection.rows[answer]).chain(results).filter_map(with_others).collect())
}

/// Returns the content of an entry before its latest edit, if that was edited, too.
fn previous_content(path: &[&Entry], entry: &Entry) -> Option<Value> {
    let edits = path.iter().rev().filter(|edit| edit.kind() == "context_edit");
    let mut of_entry = edits.filter_map(|edit| match edit.body() {
        EntryBody::ContextEdit { target_id, replacement } if target_id == entry.id() => Some(replacement),
        _ => None,
    });
    of_entry.nth(1)??.get_mut("content").map(Value::take)
}

/// Returns the results of the calls of an answer: they precede the next answer.
fn results_of<'p, 'a>(projection: &'p Projection<'a>, answer: usize) -> impl Iterator<Item = &'p Row<'a>> {
    let calls: Vec<String> = match message_of(projection.rows[answer].entry).as_deref() {
        Some(AgentMessage::Llm(Message::Assistant(answer))) => {
            answer.tool_calls().map(|call| call.id.clone()).collect()
        }
        _ => Vec::new(),
    };
    let until = |row: &&Row<'_>| {
        !matches!(message_of(row.entry).as_deref(), Some(AgentMessage::Llm(Message::Assistant(_))))
    };
    let of_these = move |row: &&Row<'_>| match message_of(row.entry).as_deref() {
        Some(AgentMessage::Llm(Message::ToolResult(result))) => calls.contains(&result.tool_call_id),
        _ => false,
    };
    projection.rows[answer + 1..].iter().take_while(until).filter(of_these)
}

/// Returns the index of the answer whose call the result answers.
fn answer_of_result(projection: &Projection<'_>, result: usize) -> Option<usize> {
    let before = (0..result).rev().find(|index| {
        matches!(
            message_of(projection.rows[*index].entry).as_deref(),
            Some(AgentMessage::Llm(Message::Assistant(_)))
        )
    })?;
    let id = projection.rows[result].entry.id();
    results_of(projection, before).any(|row| row.entry.id() == id).then_some(before)
}

#[cfg(test)]
mod tests;
