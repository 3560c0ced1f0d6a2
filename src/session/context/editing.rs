//! Edits of the context by hand: which entries have to be written so that something is not told any more, is
//! told differently, or is told again as it was.
//!
//! Must not know who wishes it. What is made are `context_edit` entries as pi has them: nothing is taken away,
//! and the latest one counts.

use serde_json::Value;

use crate::base::json::json;

use super::projection::{EDITED, Projection, Row, RowKind, message_of};
use crate::llm::model::Message;
use crate::session::format::body::EntryBody;
use crate::session::format::entry::Entry;
use crate::session::format::message::AgentMessage;

/// What stands for something that was left out where nothing at all cannot stand: providers want a result
/// for each call, and words of the user between two answers.
pub const LEFT_OUT: &str = "(left out by the user)";

/// What is to become of an entry in the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextEdit {
    /// It is not told any more.
    Drop,
    /// It is told with these words in place of its own.
    Replace(String),
    /// It is told as it was.
    Restore,
}

/// Why an entry stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// There is no such entry on the path.
    #[error("the conversation has no entry {0} here")]
    Unknown(String),
    /// It is summed up.
    #[error("the entry is summarized by the compaction {0} and is not sent")]
    SummedUp(String),
    /// No message of the conversation.
    #[error("only messages can be edited")]
    NoMessage,
    /// Nothing to say.
    #[error("a message cannot be empty; it can be dropped")]
    Empty,
    /// Nothing to do.
    #[error("that is the original message already")]
    AsItWas,
    /// Nothing to do.
    #[error("that is excluded already")]
    Gone,
    /// It, or what it belongs to, is not told.
    #[error("that is excluded; restore it before you edit it")]
    LeftOut,
}

/// The entries that bring a wish about at the end of a path.
pub fn edits(path: &[&Entry], target: &str, wish: &ContextEdit) -> Result<Vec<EntryBody>, Refused> {
    let projection = Projection::of(path);
    let place = projection.rows.iter().position(|row| row.entry.id() == target && row.is_own());
    let place = place.ok_or_else(|| Refused::Unknown(target.to_string()))?;
    let row = &projection.rows[place];
    let message = message_of(row.entry).ok_or(Refused::NoMessage)?;
    match (row.place, projection.compaction) {
        (RowKind::SummedUp, Some(by)) => return Err(Refused::SummedUp(by.id().to_string())),
        _ if !EDITED.contains(&message.role()) => return Err(Refused::NoMessage),
        _ => {}
    }
    match wish {
        ContextEdit::Drop => dropped(&projection, place, &message),
        ContextEdit::Replace(text) if text.trim().is_empty() => Err(Refused::Empty),
        ContextEdit::Replace(_) if is_left_out(&projection, place, &message) => Err(Refused::LeftOut),
        ContextEdit::Replace(text) => {
            let content = with_words(&content_of(&message), text);
            Ok(vec![edit(row.entry, Some(content))])
        }
        ContextEdit::Restore => restored(path, &projection, place, &message),
    }
}

/// The words of a message, which another text can be put in place of.
pub fn words(message: &AgentMessage) -> String {
    match content_of(message) {
        Value::String(text) => text,
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn edit(entry: &Entry, content: Option<Value>) -> EntryBody {
    let replacement = content.map(|content| json!({"content": content}));
    EntryBody::ContextEdit { target_id: entry.id().to_string(), replacement }
}

fn content_of(message: &AgentMessage) -> Value {
    serde_json::to_value(message)
        .ok()
        .and_then(|mut value| Some(value.get_mut("content")?.take()))
        .unwrap_or_default()
}

/// A content with other words: in place of its first text, the others go; pictures and calls stay.
fn with_words(content: &Value, text: &str) -> Value {
    let words = json!({"type": "text", "text": text});
    let Value::Array(parts) = content else { return json!([words]) };
    let is = |part: &Value, kind: &str| part["type"] == kind;
    // Without a text of its own an answer says it before its calls, and behind what it thought.
    let place = parts.iter().position(|part| is(part, "text"));
    let place = place.or_else(|| parts.iter().position(|part| !is(part, "thinking"))).unwrap_or(parts.len());
    let mut out: Vec<Value> = Vec::with_capacity(parts.len() + 1);
    for (at, part) in parts.iter().enumerate() {
        if at == place {
            out.push(words.clone());
        }
        if !is(part, "text") {
            out.push(part.clone());
        }
    }
    if place == parts.len() {
        out.push(words);
    }
    Value::Array(out)
}

/// Leaves a message out: an answer with the results of its calls, a result with a note in its place.
fn dropped(
    projection: &Projection<'_>,
    place: usize,
    message: &AgentMessage,
) -> Result<Vec<EntryBody>, Refused> {
    let row = &projection.rows[place];
    if projection.told(row).is_none() {
        return Err(Refused::Gone);
    }
    let note = || Some(json!([{"type": "text", "text": LEFT_OUT}]));
    Ok(match message {
        AgentMessage::Llm(Message::Assistant(_)) => {
            let results = group(projection, place).filter(|row| projection.told(row).is_some());
            std::iter::once(row).chain(results).map(|row| edit(row.entry, None)).collect()
        }
        AgentMessage::Llm(Message::ToolResult(_)) => vec![edit(row.entry, note())],
        _ if parts_answers(projection, place) => vec![edit(row.entry, note())],
        _ => vec![edit(row.entry, None)],
    })
}

/// Whether without this row an answer would follow another one, or begin the conversation.
fn parts_answers(projection: &Projection<'_>, place: usize) -> bool {
    let role = |row: &Row<'_>| Some(projection.told(row)?.role().to_string()).filter(|role| role != "system");
    let before = projection.rows[..place].iter().rev().find_map(role);
    let after = projection.rows[place + 1..].iter().find_map(role);
    before.is_none_or(|role| role == "assistant") && after.is_some_and(|role| role == "assistant")
}

/// Whether a message is not told, or the answer whose call it answers.
fn is_left_out(projection: &Projection<'_>, place: usize, message: &AgentMessage) -> bool {
    let answer = match message {
        AgentMessage::Llm(Message::ToolResult(_)) => answer_before(projection, place),
        _ => None,
    };
    [Some(place), answer].into_iter().flatten().any(|at| projection.told(&projection.rows[at]).is_none())
}

/// Tells a message as it was: one that was left out with its group comes back with that, whose others are told as
/// they were told before.
fn restored(
    path: &[&Entry],
    projection: &Projection<'_>,
    place: usize,
    message: &AgentMessage,
) -> Result<Vec<EntryBody>, Refused> {
    let row = &projection.rows[place];
    let is_gone = |row: &Row<'_>| projection.told(row).is_none();
    if !is_gone(row) && projection.told(row).as_deref() == Some(message) {
        return Err(Refused::AsItWas);
    }
    let back = |row: &Row<'_>| Some(edit(row.entry, Some(content_of(&*message_of(row.entry)?))));
    let whole = match message {
        AgentMessage::Llm(Message::Assistant(_)) if is_gone(row) => Some(place),
        AgentMessage::Llm(Message::ToolResult(_)) => {
            answer_before(projection, place).filter(|answer| is_gone(&projection.rows[*answer]))
        }
        _ => None,
    };
    let Some(answer) = whole else { return Ok(back(row).into_iter().collect()) };
    let target = row.entry.id();
    let results = group(projection, answer).filter(|row| is_gone(row) || row.entry.id() == target);
    let with_others = |row: &Row<'_>| match told_before(path, row.entry).filter(|_| row.entry.id() != target)
    {
        Some(content) => Some(edit(row.entry, Some(content))),
        None => back(row),
    };
    Ok(std::iter::once(&projection.rows[answer]).chain(results).filter_map(with_others).collect())
}

/// What an entry was told with before its latest edit, where that was not as it says itself.
fn told_before(path: &[&Entry], entry: &Entry) -> Option<Value> {
    let edits = path.iter().rev().filter(|edit| edit.kind() == "context_edit");
    let mut of_entry = edits.filter_map(|edit| match edit.body() {
        EntryBody::ContextEdit { target_id, replacement } if target_id == entry.id() => Some(replacement),
        _ => None,
    });
    of_entry.nth(1)??.get_mut("content").map(Value::take)
}

/// The results of the calls of the answer at a place: they stand before the next answer.
fn group<'p, 'a>(projection: &'p Projection<'a>, answer: usize) -> impl Iterator<Item = &'p Row<'a>> {
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

/// The answer whose call the result at a place answers.
fn answer_before(projection: &Projection<'_>, result: usize) -> Option<usize> {
    let before = (0..result).rev().find(|place| {
        matches!(
            message_of(projection.rows[*place].entry).as_deref(),
            Some(AgentMessage::Llm(Message::Assistant(_)))
        )
    })?;
    let id = projection.rows[result].entry.id();
    group(projection, before).any(|row| row.entry.id() == id).then_some(before)
}

#[cfg(test)]
mod tests;
