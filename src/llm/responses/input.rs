//! Conversation as input items of a Responses request. Pure; for any history every call is followed by its
//! result.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::base::json::json;

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
pub const SUPPORTED_MEDIA: SupportedMedia = SupportedMedia { documents: &["application/pdf"], sounds: &[] };
/// Maximum length of a call id or an item id.
const ID_MAX: usize = 64;

/// Returns the `input` of a request: first the system prompt, if it is a message of some role. The tools in
/// `free` have text input instead of JSON.
pub fn build(system: Option<(&str, String)>, request: &Request, free: &BTreeSet<&str>) -> Vec<Value> {
    let mut items: Vec<Value> =
        system.into_iter().map(|(role, text)| json!({"role": role, "content": text})).collect();
    for (at, turn) in
        history::turns(&request.messages, &request.model, ID_MAX, &SUPPORTED_MEDIA).into_iter().enumerate()
    {
        match turn {
            Turn::User(parts) => items.push(json!({"role": "user", "content": content(&parts)})),
            Turn::Answer { own, said: answer_parts, results } => {
                answer(&mut items, at, own, &answer_parts, &results, free);
            }
        }
    }
    items
}

fn answer(
    items: &mut Vec<Value>,
    at: usize,
    own: bool,
    parts: &[AnswerPart],
    results: &[CallResult],
    free: &BTreeSet<&str>,
) {
    let (mut reasoned, mut lost) = (false, false);
    let mut outputs = results.iter();
    let mut after = Vec::new();
    for (part, what) in parts.iter().enumerate() {
        match what {
            AnswerPart::Text { text, signature } => {
                let made_up = format!("msg_{at}_{part}");
                let mut item = message(text, *signature, &made_up);
                if lost {
                    item["id"] = made_up.into();
                }
                items.push(item);
            }
            AnswerPart::Thinking { signature, .. } => {
                let item = signature.and_then(reasoning);
                // The server accepts an item's id only together with the reasoning before it.
                (reasoned, lost) = (reasoned || item.is_some(), lost || item.is_none());
                items.extend(item);
            }
            AnswerPart::Call { id, call } => {
                let custom = free.contains(call.name.as_str());
                let item = call.id.split_once('|').map(|(_, item)| item);
                let item = item.filter(|_| own && reasoned && !lost);
                items.push(tool_call(id, item, call, custom));
                after.extend(outputs.next().map(|outcome| output(outcome, custom)));
            }
        }
    }
    items.append(&mut after);
}

/// Returns a reasoning item of the model, unchanged. One with only an id refers to data that the server was
/// instructed not to store: a request with it is rejected.
fn reasoning(signature: &str) -> Option<Value> {
    let item: Value = serde_json::from_str(signature).ok()?;
    let holds = item["encrypted_content"].as_str().is_some_and(|content| !content.is_empty())
        || item["content"].as_array().is_some_and(|content| !content.is_empty());
    (item["type"] == "reasoning" && holds).then_some(item)
}

fn message(text: &str, signature: Option<&str>, made_up: &str) -> Value {
    let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
    let parsed = signature.map(|signature| {
        serde_json::from_str(signature)
            .ok()
            .filter(Value::is_object)
            .unwrap_or_else(|| json!({"id": signature}))
    });
    let parsed = parsed.unwrap_or_default();
    let id = parsed["id"].as_str().filter(|id| !id.is_empty() && id.len() <= ID_MAX).unwrap_or(made_up);
    let mut item = json!({"type": "message", "role": "assistant", "status": "completed", "id": id,
        "content": content});
    if let Some(phase) = parsed["phase"].as_str() {
        item["phase"] = phase.into();
    }
    item
}

fn tool_call(id: &str, item: Option<&str>, call: &ToolCall, custom: bool) -> Value {
    let prefix = if custom { "ctc_" } else { "fc_" };
    let name = history::name(&call.name);
    let mut made = if custom {
        let input = raw_input::text_of(call);
        json!({"type": "custom_tool_call", "call_id": id, "name": name, "input": input})
    } else {
        let arguments = history::arguments(call).to_string();
        json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
    };
    if let Some(item) = item.filter(|item| item.starts_with(prefix) && item.len() <= ID_MAX) {
        made["id"] = item.into();
    }
    made
}

/// Returns a result; this wire format has no error flag.
fn output(outcome: &CallResult, custom: bool) -> Value {
    let kind = if custom { "custom_tool_call_output" } else { "function_call_output" };
    let texts: Option<Vec<&str>> = outcome
        .content
        .iter()
        .map(|part| match part {
            ContentPart::Text(text) => Some(*text),
            ContentPart::Image { .. } | ContentPart::Document { .. } | ContentPart::Sound { .. } => None,
        })
        .collect();
    let output = texts.map_or_else(|| content(&outcome.content), |texts| texts.join("\n").into());
    json!({"type": kind, "call_id": outcome.id, "output": output})
}

fn content(parts: &[ContentPart]) -> Value {
    let blocks = parts.iter().map(|part| match part {
        ContentPart::Text(text) => json!({"type": "input_text", "text": text}),
        ContentPart::Image { data, mime_type } => {
            let url = format!("data:{mime_type};base64,{data}");
            json!({"type": "input_image", "detail": "auto", "image_url": url})
        }
        ContentPart::Document { data, mime_type, name } => {
            let data = format!("data:{mime_type};base64,{data}");
            json!({"type": "input_file", "filename": name.unwrap_or(DEFAULT_FILE_NAME), "file_data": data})
        }
        ContentPart::Sound { .. } => json!({"type": "input_text", "text": history::NO_SOUND}),
    });
    blocks.collect()
}

#[cfg(test)]
mod tests;
