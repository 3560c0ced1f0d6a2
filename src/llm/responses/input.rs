//! A conversation as the items of a Responses request. Pure; whatever the history looks like,
//! every call is followed by its result.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::base::json::json;

use crate::llm::model::{Request, ToolCall};
use crate::llm::request::history;
use crate::llm::request::history::Outcome;
use crate::llm::request::history::Said;
use crate::llm::request::history::Shown;
use crate::llm::request::history::Turn;
use crate::llm::request::media::Takes;
use crate::llm::request::raw_input;

/// A document must be called something.
const UNNAMED: &str = "document.pdf";
/// What the API takes beside text and images.
pub const TAKES: Takes = Takes { documents: &["application/pdf"], sounds: &[] };
/// The longest call id that the API takes, and the longest id of an item.
const ID_MAX: usize = 64;

/// The `input` of a request: the system prompt first, where it is a message of some role. The
/// tools in `free` take text instead of JSON.
pub fn build(system: Option<(&str, String)>, request: &Request, free: &BTreeSet<&str>) -> Vec<Value> {
    let mut items: Vec<Value> =
        system.into_iter().map(|(role, text)| json!({"role": role, "content": text})).collect();
    for (at, turn) in
        history::turns(&request.messages, &request.model, ID_MAX, &TAKES).into_iter().enumerate()
    {
        match turn {
            Turn::User(parts) => items.push(json!({"role": "user", "content": content(&parts)})),
            Turn::Answer { own, said, results } => answer(&mut items, at, own, &said, &results, free),
        }
    }
    items
}

fn answer(
    items: &mut Vec<Value>,
    at: usize,
    own: bool,
    said: &[Said],
    results: &[Outcome],
    free: &BTreeSet<&str>,
) {
    let (mut reasoned, mut lost) = (false, false);
    let mut outputs = results.iter();
    let mut after = Vec::new();
    for (part, what) in said.iter().enumerate() {
        match what {
            Said::Text { text, signature } => {
                let made_up = format!("msg_{at}_{part}");
                let mut item = message(text, *signature, &made_up);
                if lost {
                    item["id"] = made_up.into();
                }
                items.push(item);
            }
            Said::Thinking { signature, .. } => {
                let item = signature.and_then(reasoning);
                // An item is known to the server together with the reasoning before it only.
                (reasoned, lost) = (reasoned || item.is_some(), lost || item.is_none());
                items.extend(item);
            }
            Said::Call { id, call } => {
                let custom = free.contains(call.name.as_str());
                let item = call.id.split_once('|').map(|(_, item)| item);
                let item = item.filter(|_| own && reasoned && !lost);
                items.push(made(id, item, call, custom));
                after.extend(outputs.next().map(|outcome| output(outcome, custom)));
            }
        }
    }
    items.append(&mut after);
}

/// What the model itself said about an item of reasoning, as it came. One that holds nothing but its
/// id stands for what the server was told not to keep: a request with it is refused.
fn reasoning(signature: &str) -> Option<Value> {
    let item: Value = serde_json::from_str(signature).ok()?;
    let holds = item["encrypted_content"].as_str().is_some_and(|content| !content.is_empty())
        || item["content"].as_array().is_some_and(|content| !content.is_empty());
    (item["type"] == "reasoning" && holds).then_some(item)
}

fn message(text: &str, signature: Option<&str>, made_up: &str) -> Value {
    let content = json!([{"type": "output_text", "text": text, "annotations": []}]);
    let told = signature.map(|signature| {
        serde_json::from_str(signature)
            .ok()
            .filter(Value::is_object)
            .unwrap_or_else(|| json!({"id": signature}))
    });
    let told = told.unwrap_or_default();
    let id = told["id"].as_str().filter(|id| !id.is_empty() && id.len() <= ID_MAX).unwrap_or(made_up);
    let mut item = json!({"type": "message", "role": "assistant", "status": "completed", "id": id,
        "content": content});
    if let Some(phase) = told["phase"].as_str() {
        item["phase"] = phase.into();
    }
    item
}

fn made(id: &str, item: Option<&str>, call: &ToolCall, custom: bool) -> Value {
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

/// A result; nothing on this wire marks an error.
fn output(outcome: &Outcome, custom: bool) -> Value {
    let kind = if custom { "custom_tool_call_output" } else { "function_call_output" };
    let texts: Option<Vec<&str>> = outcome
        .shown
        .iter()
        .map(|part| match part {
            Shown::Text(text) => Some(*text),
            Shown::Image { .. } | Shown::Document { .. } | Shown::Sound { .. } => None,
        })
        .collect();
    let output = texts.map_or_else(|| content(&outcome.shown), |texts| texts.join("\n").into());
    json!({"type": kind, "call_id": outcome.id, "output": output})
}

fn content(parts: &[Shown]) -> Value {
    let blocks = parts.iter().map(|part| match part {
        Shown::Text(text) => json!({"type": "input_text", "text": text}),
        Shown::Image { data, mime_type } => {
            let url = format!("data:{mime_type};base64,{data}");
            json!({"type": "input_image", "detail": "auto", "image_url": url})
        }
        Shown::Document { data, mime_type, name } => {
            let data = format!("data:{mime_type};base64,{data}");
            json!({"type": "input_file", "filename": name.unwrap_or(UNNAMED), "file_data": data})
        }
        Shown::Sound { .. } => json!({"type": "input_text", "text": history::NO_SOUND}),
    });
    blocks.collect()
}

#[cfg(test)]
mod tests;
