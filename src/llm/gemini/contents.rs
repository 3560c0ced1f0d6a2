//! Conversation as Gemini's `contents`: roles `user` and `model`, calls and results matched by name,
//! signatures on their original parts. Pure; the output is valid for any history.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::generation;
use crate::base::json::json;
use crate::llm::model::{Message, Model};
use crate::llm::request::history;
use crate::llm::request::history::AnswerPart;
use crate::llm::request::history::CallResult;
use crate::llm::request::history::ContentPart;
use crate::llm::request::history::Turn;
use crate::llm::request::media::SupportedMedia;

/// Media types that the services accept beside text and images.
pub const SUPPORTED_MEDIA: SupportedMedia = SupportedMedia {
    documents: &["application/pdf"],
    sounds: &["audio/wav", "audio/mpeg", "audio/aac", "audio/ogg", "audio/flac"],
};
/// Maximum length of a call id.
const ID_MAX: usize = 64;

/// Placeholder for a required signature, for calls of another model. The services document it for that.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// Text before images that a result cannot contain.
const IMAGES_FOLLOW: &str = "(the images are in the next message)";

/// Returns the `contents` of a request.
pub fn build(history: &[Message], model: &Model) -> Vec<Value> {
    let ids = generation::has_call_ids(&model.id);
    let mut contents = Vec::new();
    for turn in history::turns(history, model, ID_MAX, &SUPPORTED_MEDIA) {
        match turn {
            Turn::User(parts) => add(&mut contents, "user", content_parts(&parts)),
            Turn::Answer { own, said: answer_parts, results } => {
                let mut parts: Vec<Value> =
                    answer_parts.iter().filter_map(|part| answer_part(part, own, ids)).collect();
                if generation::requires_signatures(&model.id) {
                    add_placeholder_signature(&mut parts);
                }
                add(&mut contents, "model", parts);
                add_results(&mut contents, &results, model);
            }
        }
    }
    if contents.first().is_some_and(|first| first["role"] != "user") {
        contents.insert(0, json!({"role": "user", "parts": [{"text": "(the conversation goes on)"}]}));
    }
    contents
}

fn add(contents: &mut Vec<Value>, role: &str, parts: Vec<Value>) {
    if !parts.is_empty() {
        contents.push(json!({"role": role, "parts": Value::Array(parts)}));
    }
}

fn answer_part(part: &AnswerPart, own: bool, ids: bool) -> Option<Value> {
    let mut out = Map::new();
    let signature = match part {
        AnswerPart::Text { text, signature } => {
            out.insert("text".into(), (*text).into());
            signature.filter(|signature| is_signature(signature))
        }
        AnswerPart::Thinking { redacted: true, .. } => return None,
        AnswerPart::Thinking { text, signature, .. } => {
            out.insert("thought".into(), true.into());
            out.insert("text".into(), (*text).into());
            signature.filter(|signature| is_signature(signature))
        }
        AnswerPart::Call { id, call } => {
            let mut inner = json!({"name": history::name(&call.name), "args": history::arguments(call)});
            if ids {
                inner["id"] = id.as_str().into();
            }
            out.insert("functionCall".into(), inner);
            call.thought_signature.as_deref().filter(|signature| own && is_signature(signature))
        }
    };
    if let Some(signature) = signature {
        out.insert("thoughtSignature".into(), signature.into());
    } else if out.get("text").and_then(Value::as_str).is_some_and(|text| text.trim().is_empty()) {
        return None;
    }
    Some(Value::Object(out))
}

/// Whether the text can be a signature: the services refuse others.
fn is_signature(text: &str) -> bool {
    !text.is_empty() && STANDARD.decode(text).is_ok()
}

/// Adds the placeholder signature to the first call of an answer that lacks one.
fn add_placeholder_signature(parts: &mut [Value]) {
    if let Some(first) = parts.iter_mut().find(|part| part.get("functionCall").is_some())
        && first.get("thoughtSignature").is_none()
    {
        first["thoughtSignature"] = NO_SIGNATURE.into();
    }
}

/// Adds all results of an answer as one content, as the services require; images that a result cannot contain
/// follow.
fn add_results(contents: &mut Vec<Value>, results: &[CallResult], model: &Model) {
    let inside = generation::has_images_in_results(&model.id);
    let ids = generation::has_call_ids(&model.id);
    let mut parts = Vec::new();
    let mut left = Vec::new();
    for outcome in results {
        let (images, texts): (Vec<&ContentPart>, Vec<&ContentPart>) =
            outcome.content.iter().partition(|part| matches!(part, ContentPart::Image { .. }));
        let mut words: Vec<&str> = texts.iter().filter_map(|part| part.text()).collect();
        if !images.is_empty() && !inside {
            words.push(IMAGES_FOLLOW);
        }
        let key = if outcome.is_error { "error" } else { "output" };
        let name = history::name(outcome.name);
        let mut inner = json!({"name": name, "response": {key: words.join("\n")}});
        if ids {
            inner["id"] = outcome.id.as_str().into();
        }
        let images: Vec<Value> = images.into_iter().map(content_part).collect();
        if inside && !images.is_empty() {
            inner["parts"] = images.into();
        } else if !images.is_empty() {
            left.push(json!({"text": format!("Images of the result of {}:", outcome.name)}));
            left.extend(images);
        }
        parts.push(json!({"functionResponse": inner}));
    }
    add(contents, "user", parts);
    add(contents, "user", left);
}

fn content_parts(parts: &[ContentPart]) -> Vec<Value> {
    parts.iter().map(content_part).collect()
}

fn content_part(part: &ContentPart) -> Value {
    match part {
        ContentPart::Text(text) => json!({"text": text}),
        ContentPart::Image { data, mime_type }
        | ContentPart::Document { data, mime_type, .. }
        | ContentPart::Sound { data, mime_type } => {
            json!({"inlineData": {"mimeType": mime_type, "data": data}})
        }
    }
}

#[cfg(test)]
mod tests;
