//! A conversation as Chat Completions messages. Pure; whatever the history looks like, every
//! call is followed by its result and nothing else.

use serde_json::{Value, json};

use crate::llm::history::{self, Outcome, Said, Shown, Turn};
use crate::llm::model::{Message, Model};

/// The longest call id that the API takes.
const ID_MAX: usize = 40;
/// What stands in a result for its images, which follow in a user message.
const IMAGE_FOLLOWS: &str = "(see the attached image)";
/// Models that lose the thread unless their reasoning goes back with their calls.
const KEEPS_REASONING: &str = "requiresReasoningContentOnAssistantMessages";

/// The `messages` of a request.
pub fn build(system: &[String], history: &[Message], model: &Model) -> Vec<Value> {
    let mut messages = Vec::new();
    let system: Vec<&str> =
        system.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
    if !system.is_empty() {
        // One message: the templates of some local models refuse a second.
        messages.push(json!({"role": "system", "content": system.join("\n\n")}));
    }
    for turn in history::turns(history, model, ID_MAX) {
        match turn {
            Turn::User(parts) => messages.push(json!({"role": "user", "content": content(&parts)})),
            Turn::Answer { said, results, .. } => {
                messages.push(answer(&said, model));
                messages.extend(results.iter().map(result));
                messages.extend(images(&results));
            }
        }
    }
    messages
}

fn answer(said: &[Said], model: &Model) -> Value {
    let mut message = json!({"role": "assistant", "content": null});
    let mut words = Vec::new();
    let mut reasoning = Vec::new();
    let mut calls = Vec::new();
    for part in said {
        match part {
            Said::Text { text, .. } => words.push(*text),
            Said::Thinking { text, .. } => reasoning.push(*text),
            Said::Call { id, call } => {
                let arguments = history::arguments(call).to_string();
                let function = json!({"name": call.name, "arguments": arguments});
                calls.push(json!({"id": id, "type": "function", "function": function}));
            }
        }
    }
    if !words.is_empty() {
        message["content"] = words.join("\n\n").into();
    }
    if model.flag(KEEPS_REASONING) {
        message["reasoning_content"] = reasoning.concat().into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    message
}

/// Results hold nothing but text on this wire, and no mark for an error.
fn result(outcome: &Outcome) -> Value {
    let texts = outcome.shown.iter().filter_map(|part| match part {
        Shown::Text(text) => Some(*text),
        Shown::Image { .. } => None,
    });
    let texts: Vec<&str> = texts.collect();
    let content = if texts.is_empty() { IMAGE_FOLLOWS.to_string() } else { texts.join("\n") };
    json!({"role": "tool", "tool_call_id": outcome.id, "content": content})
}

/// The images of results, behind all of them: nothing may stand between two results.
fn images(results: &[Outcome]) -> Option<Value> {
    let images = results.iter().flat_map(|outcome| &outcome.shown);
    let images: Vec<Value> = images.filter(|part| matches!(part, Shown::Image { .. })).map(block).collect();
    if images.is_empty() {
        return None;
    }
    let mut content = vec![json!({"type": "text", "text": "Images from the tool results above:"})];
    content.extend(images);
    Some(json!({"role": "user", "content": content}))
}

/// A lone text goes as a string, which every server takes.
fn content(parts: &[Shown]) -> Value {
    match parts {
        [Shown::Text(text)] => (*text).into(),
        parts => parts.iter().map(block).collect(),
    }
}

fn block(part: &Shown) -> Value {
    match part {
        Shown::Text(text) => json!({"type": "text", "text": text}),
        Shown::Image { data, mime_type } => {
            json!({"type": "image_url", "image_url": {"url": format!("data:{mime_type};base64,{data}")}})
        }
    }
}

#[cfg(test)]
mod tests;
