//! Conversation as Converse's messages: alternating roles, paired calls and results. Pure; the output is
//! valid for any history.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::family;
use crate::base::json::json;
use crate::llm::model::{Message, Model};
use crate::llm::request::history;
use crate::llm::request::history::AnswerPart;
use crate::llm::request::history::CallResult;
use crate::llm::request::history::ContentPart;
use crate::llm::request::history::Turn;
use crate::llm::request::media::SupportedMedia;

/// Media types that the API accepts beside text and images.
pub const SUPPORTED_MEDIA: SupportedMedia = SupportedMedia {
    documents: &["application/pdf"],
    sounds: &["audio/wav", "audio/mpeg", "audio/aac", "audio/ogg", "audio/flac"],
};
/// Maximum length of a call id.
const ID_MAX: usize = 64;

/// Returns the `messages` of a request.
pub fn build(history: &[Message], model: &Model) -> Vec<Value> {
    let claude = family::is_claude(model);
    let mut messages = Vec::new();
    let mut documents = Names::default();
    for turn in history::turns(history, model, ID_MAX, &SUPPORTED_MEDIA) {
        match turn {
            Turn::User(parts) => add(&mut messages, "user", user_blocks(&parts, &mut documents)),
            Turn::Answer { said: answer_parts, results, .. } => {
                let blocks = answer_parts.iter().filter_map(|part| block(part, claude)).collect();
                add(&mut messages, "assistant", blocks);
                add(&mut messages, "user", result_blocks(&results, claude));
            }
        }
    }
    if messages.first().is_some_and(|m| m["role"] != "user") {
        messages.insert(0, json!({"role": "user", "content": [{"text": "(the conversation goes on)"}]}));
    }
    messages
}

/// Marks the end of the last user message as a cache point, and of the user message before it, which had the
/// last marker in the previous request.
pub fn mark(messages: &mut [Value], mark: &Value) {
    for message in messages.iter_mut().rev().filter(|m| m["role"] == "user").take(2) {
        if let Some(content) = message["content"].as_array_mut() {
            content.push(mark.clone());
        }
    }
}

/// Adds blocks to the last message when it has the same role, else a new message.
fn add(messages: &mut Vec<Value>, role: &str, blocks: Vec<Value>) {
    if blocks.is_empty() {
        return;
    }
    if let Some(last) = messages.last_mut().filter(|m| m["role"] == role)
        && let Some(content) = last["content"].as_array_mut()
    {
        content.extend(blocks);
        return;
    }
    messages.push(json!({"role": role, "content": Value::Array(blocks)}));
}

fn block(part: &AnswerPart, claude: bool) -> Option<Value> {
    Some(match part {
        AnswerPart::Text { text, .. } if text.trim().is_empty() => return None,
        AnswerPart::Text { text, .. } => json!({"text": text}),
        AnswerPart::Thinking { signature, redacted: true, .. } => {
            let data = signature.filter(|data| !data.is_empty() && STANDARD.decode(data).is_ok())?;
            json!({"reasoningContent": {"redactedContent": data}})
        }
        // Only Claude signs thinking, and rejects unsigned thinking; other models reject signatures.
        AnswerPart::Thinking { text, signature: Some(signature), .. } if claude && !signature.is_empty() => {
            json!({"reasoningContent": {"reasoningText": {"text": text, "signature": signature}}})
        }
        AnswerPart::Thinking { text, .. } if text.trim().is_empty() => return None,
        AnswerPart::Thinking { text, .. } if claude => json!({"text": text}),
        AnswerPart::Thinking { text, .. } => json!({"reasoningContent": {"reasoningText": {"text": text}}}),
        AnswerPart::Call { id, call } => {
            let input = history::arguments(call);
            json!({"toolUse": {"toolUseId": id, "name": history::name(&call.name), "input": input}})
        }
    })
}

/// Returns the results in one message. Claude accepts no images in failed calls: they follow.
fn result_blocks(results: &[CallResult], claude: bool) -> Vec<Value> {
    let mut left = Vec::new();
    let mut blocks: Vec<Value> = results
        .iter()
        .map(|outcome| {
            let apart = claude && outcome.is_error;
            let (inside, outside): (Vec<&ContentPart>, Vec<&ContentPart>) =
                outcome.content.iter().partition(|part| !apart || part.text().is_some());
            let mut content: Vec<Value> = inside.into_iter().map(content_block).collect();
            if content.is_empty() {
                content.push(json!({"text": history::NO_OUTPUT}));
            }
            if !outside.is_empty() {
                left.push(json!({"text": format!("Images of the result of {}:", outcome.name)}));
                left.extend(outside.into_iter().map(content_block));
            }
            let status = if outcome.is_error { "error" } else { "success" };
            json!({"toolResult": {"toolUseId": outcome.id, "content": content, "status": status}})
        })
        .collect();
    blocks.extend(left);
    blocks
}

/// Returns the content of a user message. A document needs a unique name and accompanying text.
fn user_blocks(parts: &[ContentPart], documents: &mut Names) -> Vec<Value> {
    let mut blocks: Vec<Value> = parts
        .iter()
        .map(|part| match part {
            ContentPart::Document { data, name, .. } => {
                let name = documents.unique(name.unwrap_or("document"));
                json!({"document": {"format": "pdf", "name": name, "source": {"bytes": data}}})
            }
            part => content_block(part),
        })
        .collect();
    let wordless = parts.iter().all(|part| part.text().is_none());
    if wordless && parts.iter().any(|part| matches!(part, ContentPart::Document { .. })) {
        blocks.push(json!({"text": "(see the document)"}));
    }
    blocks
}

/// Names of documents in the API's form: letters, digits, hyphens, brackets and single spaces, without
/// duplicates. Each depends only on earlier ones, so that the encoded conversation is stable.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    fn unique(&mut self, name: &str) -> String {
        let stem = name.strip_suffix(".pdf").unwrap_or(name);
        let legal = |c: char| c.is_ascii_alphanumeric() || "-()[]".contains(c);
        let words = stem.split(|c| !legal(c)).filter(|word| !word.is_empty());
        let mut base = words.collect::<Vec<_>>().join(" ");
        base.truncate(180);
        let base = if base.is_empty() { "document".to_string() } else { base };
        let mut fit = base.clone();
        let mut n = 1;
        while !self.0.insert(fit.clone()) {
            n += 1;
            fit = format!("{base} {n}");
        }
        fit
    }
}

fn content_block(part: &ContentPart) -> Value {
    match part {
        ContentPart::Text(text) => json!({"text": text}),
        ContentPart::Image { data, mime_type } => match *mime_type {
            "image/png" => image("png", data),
            "image/jpeg" | "image/jpg" => image("jpeg", data),
            "image/gif" => image("gif", data),
            "image/webp" => image("webp", data),
            other => json!({"text": format!("(an image of the kind {other} was left out)")}),
        },
        ContentPart::Document { .. } => json!({"text": history::NO_DOCUMENT}),
        ContentPart::Sound { data, mime_type } => {
            // The supported types are named like their formats, except one.
            let format = mime_type.strip_prefix("audio/").filter(|format| *format != "mpeg").unwrap_or("mp3");
            json!({"audio": {"format": format, "source": {"bytes": data}}})
        }
    }
}

fn image(format: &str, data: &str) -> Value {
    json!({"image": {"format": format, "source": {"bytes": data}}})
}

#[cfg(test)]
mod tests;
