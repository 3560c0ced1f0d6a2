//! Conversation as Chat Completions messages. Pure; for any history every call is followed directly by its
//! result.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::base::json::json;

use super::compat::Compat;
use super::reasoning;
use crate::llm::model::{Request, ToolCall};
use crate::llm::request::history;
use crate::llm::request::history::AnswerPart;
use crate::llm::request::history::CallResult;
use crate::llm::request::history::ContentPart;
use crate::llm::request::history::Turn;
use crate::llm::request::media::SupportedMedia;
use crate::llm::request::raw_input;

/// Default file name: a document must have one.
const DEFAULT_FILE_NAME: &str = "document.pdf";
/// Media types that the API accepts beside text and images.
pub const SUPPORTED_MEDIA: SupportedMedia =
    SupportedMedia { documents: &["application/pdf"], sounds: &["audio/wav", "audio/mpeg"] };
/// Maximum length of a call id.
const ID_MAX: usize = 40;
/// Text of a result whose images follow in a user message.
const IMAGE_FOLLOWS: &str = "(see the attached image)";
/// Model message between results and a user message, for servers that require one.
const BRIDGE: &str = "The results are in.";

/// Returns the `messages` of a request; the tools in `free` have text input instead of JSON.
pub fn build(request: &Request, free: &BTreeSet<&str>) -> Vec<Value> {
    let compat = Compat::of(&request.model);
    let mut messages = Vec::new();
    let system: Vec<&str> =
        request.system.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
    if !system.is_empty() {
        // A single message: the templates of some local models reject a second one.
        messages.push(json!({"role": compat.system_role(), "content": system.join("\n\n")}));
    }
    for turn in history::turns(&request.messages, &request.model, ID_MAX, &SUPPORTED_MEDIA) {
        match turn {
            Turn::User(parts) => {
                bridge(&mut messages, compat);
                messages.push(json!({"role": "user", "content": content(&parts)}));
            }
            Turn::Answer { said: answer_parts, results, .. } => {
                messages.push(answer(&answer_parts, compat, free));
                let calls = answer_parts.iter().filter_map(|part| match part {
                    AnswerPart::Call { call, .. } => Some(*call),
                    _ => None,
                });
                messages.extend(calls.zip(&results).map(|(call, outcome)| result(call, outcome, compat)));
                if let Some(images) = images(&results) {
                    bridge(&mut messages, compat);
                    messages.push(images);
                }
            }
        }
    }
    messages
}

/// Adds a model message after results, if the server rejects a user message there.
fn bridge(messages: &mut Vec<Value>, compat: Compat) {
    let after_result = messages.last().is_some_and(|last| last["role"] == "tool");
    if after_result && compat.flag("requiresAssistantAfterToolResult") {
        messages.push(json!({"role": "assistant", "content": BRIDGE}));
    }
}

fn answer(parts: &[AnswerPart], compat: Compat, free: &BTreeSet<&str>) -> Value {
    let filled = ["requiresAssistantAfterToolResult", "requiresNonNullAssistantContent"];
    let nothing = if filled.iter().any(|flag| compat.flag(flag)) { json!("") } else { Value::Null };
    let mut message =
        Map::from_iter([("role".to_string(), json!("assistant")), ("content".to_string(), nothing)]);
    let mut words = Vec::new();
    let mut thoughts = Vec::new();
    let mut calls = Vec::new();
    for part in parts {
        match part {
            AnswerPart::Text { text, .. } => words.push(*text),
            AnswerPart::Thinking { text, signature, .. } => thoughts.push((*text, *signature)),
            AnswerPart::Call { id, call } => calls.push(tool_call(id, call, free)),
        }
    }
    if compat.flag("requiresThinkingAsText") {
        let thought = thoughts.drain(..).map(|(text, _)| text).filter(|text| !text.trim().is_empty());
        words.splice(0..0, thought.collect::<Vec<_>>());
    }
    if !words.is_empty() {
        message.insert("content".into(), words.join("\n\n").into());
    }
    reasoning::add(&mut message, &thoughts, compat);
    if !calls.is_empty() {
        message.insert("tool_calls".into(), calls.into());
    }
    Value::Object(message)
}

fn tool_call(id: &str, call: &ToolCall, free: &BTreeSet<&str>) -> Value {
    if free.contains(call.name.as_str()) {
        let custom = json!({"name": history::name(&call.name), "input": raw_input::text_of(call)});
        return json!({"id": id, "type": "custom", "custom": custom});
    }
    let arguments = history::arguments(call).to_string();
    let function = json!({"name": history::name(&call.name), "arguments": arguments});
    json!({"id": id, "type": "function", "function": function})
}

/// Returns a result: only text, and no error flag in this wire format.
fn result(call: &ToolCall, outcome: &CallResult, compat: Compat) -> Value {
    let texts = outcome.content.iter().filter_map(|part| match part {
        ContentPart::Text(text) => Some(*text),
        ContentPart::Image { .. } | ContentPart::Document { .. } | ContentPart::Sound { .. } => None,
    });
    let texts: Vec<&str> = texts.collect();
    let content = if texts.is_empty() { IMAGE_FOLLOWS.to_string() } else { texts.join("\n") };
    let mut message = json!({"role": "tool", "tool_call_id": outcome.id, "content": content});
    if compat.flag("requiresToolResultName") {
        message["name"] = history::name(&call.name).into();
    }
    message
}

/// Returns the images of results, to send after all of them: nothing may stand between two results.
fn images(results: &[CallResult]) -> Option<Value> {
    let images = results.iter().flat_map(|outcome| &outcome.content);
    let images: Vec<Value> =
        images.filter(|part| matches!(part, ContentPart::Image { .. })).map(block).collect();
    if images.is_empty() {
        return None;
    }
    let mut content = vec![json!({"type": "text", "text": "Images from the tool results above:"})];
    content.extend(images);
    Some(json!({"role": "user", "content": content}))
}

/// Returns the content; a single text is sent as a string, which every server accepts.
fn content(parts: &[ContentPart]) -> Value {
    match parts {
        [ContentPart::Text(text)] => (*text).into(),
        parts => parts.iter().map(block).collect(),
    }
}

fn block(part: &ContentPart) -> Value {
    match part {
        ContentPart::Text(text) => json!({"type": "text", "text": text}),
        ContentPart::Image { data, mime_type } => {
            json!({"type": "image_url", "image_url": {"url": format!("data:{mime_type};base64,{data}")}})
        }
        ContentPart::Document { data, mime_type, name } => {
            let data = format!("data:{mime_type};base64,{data}");
            json!({"type": "file", "file": {"filename": name.unwrap_or(DEFAULT_FILE_NAME), "file_data": data}})
        }
        ContentPart::Sound { data, mime_type } => {
            let format = if *mime_type == "audio/wav" { "wav" } else { "mp3" };
            json!({"type": "input_audio", "input_audio": {"data": data, "format": format}})
        }
    }
}

#[cfg(test)]
mod tests;
