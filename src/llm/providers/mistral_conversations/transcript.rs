//! Conversation as Mistral's messages. Pure; for any history every call is followed by its result, and every
//! call id is valid for Mistral.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::base::json::json;

use crate::llm::model::{Request, ToolCall};
use crate::llm::request::history;
use crate::llm::request::history::AnswerPart;
use crate::llm::request::history::CallResult;
use crate::llm::request::history::ContentPart;
use crate::llm::request::history::Turn;
use crate::llm::request::media::SupportedMedia;

/// Length of a call id, of letters and digits only.
const ID_LEN: usize = 9;
/// Media types that the API accepts beside text and images.
pub const SUPPORTED_MEDIA: SupportedMedia =
    SupportedMedia { documents: &["application/pdf"], sounds: &["audio/wav", "audio/mpeg"] };
/// Maximum length of an id before it is converted.
const ID_MAX: usize = 64;

/// Returns the `messages` of a request.
pub fn build(request: &Request) -> Vec<Value> {
    let mut messages = Vec::new();
    let system: Vec<&str> =
        request.system.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system.join("\n\n")}));
    }
    let mut ids = Ids::default();
    for turn in history::turns(&request.messages, &request.model, ID_MAX, &SUPPORTED_MEDIA) {
        match turn {
            Turn::User(parts) => messages.push(json!({"role": "user", "content": content(&parts)})),
            Turn::Answer { said: answer_parts, results, .. } => {
                messages.push(answer(&answer_parts, &mut ids));
                let calls = answer_parts.iter().filter_map(|part| match part {
                    AnswerPart::Call { call, .. } => Some(*call),
                    _ => None,
                });
                messages.extend(calls.zip(&results).map(|(call, outcome)| result(call, outcome, &mut ids)));
            }
        }
    }
    messages
}

fn answer(parts: &[AnswerPart], ids: &mut Ids) -> Value {
    let mut chunks = Vec::new();
    let mut calls = Vec::new();
    for part in parts {
        match part {
            AnswerPart::Text { text, .. } => chunks.push(json!({"type": "text", "text": text})),
            AnswerPart::Thinking { text, .. } if !text.trim().is_empty() => {
                chunks.push(json!({"type": "thinking", "thinking": [{"type": "text", "text": text}]}));
            }
            AnswerPart::Thinking { .. } => {}
            AnswerPart::Call { id, call } => {
                let arguments = history::arguments(call).to_string();
                let function = json!({"name": history::name(&call.name), "arguments": arguments});
                calls.push(json!({"id": ids.mapped(id), "type": "function", "function": function}));
            }
        }
    }
    let mut message = json!({"role": "assistant"});
    if !chunks.is_empty() {
        message["content"] = chunks.into();
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    message
}

fn result(call: &ToolCall, outcome: &CallResult, ids: &mut Ids) -> Value {
    let id = ids.mapped(&outcome.id);
    let name = history::name(&call.name);
    json!({"role": "tool", "tool_call_id": id, "name": name, "content": content(&outcome.content)})
}

/// Returns the content; a single text is sent as a string.
fn content(parts: &[ContentPart]) -> Value {
    match parts {
        [ContentPart::Text(text)] => (*text).into(),
        parts => parts.iter().map(chunk).collect(),
    }
}

fn chunk(part: &ContentPart) -> Value {
    match part {
        ContentPart::Text(text) => json!({"type": "text", "text": text}),
        ContentPart::Image { data, mime_type } => {
            json!({"type": "image_url", "image_url": format!("data:{mime_type};base64,{data}")})
        }
        ContentPart::Document { data, mime_type, name } => {
            let url = format!("data:{mime_type};base64,{data}");
            let mut chunk = json!({"type": "document_url", "document_url": url});
            if let Some(name) = name {
                chunk["document_name"] = (*name).into();
            }
            chunk
        }
        ContentPart::Sound { data, .. } => json!({"type": "input_audio", "input_audio": data}),
    }
}

/// Call ids in Mistral's form, the same one for a call and its result. Each depends only on earlier ones, so
/// that the encoded conversation is stable.
#[derive(Default)]
struct Ids {
    given: HashMap<String, String>,
    taken: HashSet<String>,
}

impl Ids {
    fn mapped(&mut self, id: &str) -> String {
        if let Some(given) = self.given.get(id) {
            return given.clone();
        }
        let fits = id.len() == ID_LEN && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let mut name = if fits { id.to_string() } else { short_id(id, 0) };
        let mut attempt = 0;
        while !self.taken.insert(name.clone()) {
            attempt += 1;
            name = short_id(id, attempt);
        }
        self.given.insert(id.to_string(), name.clone());
        name
    }
}

/// Returns nine digits and lower-case letters derived from an id (FNV-1a).
fn short_id(id: &str, attempt: u64) -> String {
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ attempt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in id.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    let digits = (0..ID_LEN).map(|_| {
        let digit = DIGITS[(hash % 36) as usize];
        hash /= 36;
        char::from(digit)
    });
    digits.collect()
}

#[cfg(test)]
mod tests;
