//! Conversation as Anthropic's messages: alternating roles, paired calls and results, no foreign thinking.
//! Pure; the output is valid for any history.

use serde_json::Value;

use crate::base::json::json;

use crate::llm::model::{Message, Model};
use crate::llm::request::history;
use crate::llm::request::history::AnswerPart;
use crate::llm::request::history::CallResult;
use crate::llm::request::history::ContentPart;
use crate::llm::request::history::Turn;
use crate::llm::request::media::SupportedMedia;

/// Media types that the API accepts beside text and images.
pub const SUPPORTED_MEDIA: SupportedMedia = SupportedMedia { documents: &["application/pdf"], sounds: &[] };
/// Maximum length of a call id.
const ID_MAX: usize = 64;

/// Returns the `messages` of a request; `unsigned`: the server accepts unsigned thinking.
pub fn build(history: &[Message], model: &Model, unsigned: bool) -> Vec<Value> {
    let mut messages = Vec::new();
    for turn in history::turns(history, model, ID_MAX, &SUPPORTED_MEDIA) {
        match turn {
            Turn::User(parts) => add(&mut messages, "user", content_blocks(&parts)),
            Turn::Answer { said: answer_parts, results, .. } => {
                let blocks: Vec<Value> =
                    answer_parts.iter().filter_map(|part| block(part, unsigned)).collect();
                add(&mut messages, "assistant", blocks);
                add(&mut messages, "user", result_blocks(&results));
            }
        }
    }
    if messages.first().is_some_and(|m| m["role"] != "user") {
        messages.insert(0, json!({"role": "user", "content": [text_block("(the conversation goes on)")]}));
    }
    messages
}

/// Marks the last block of the last user message as a cache point, and of the user message before it, which
/// had the last marker in the previous request.
pub fn mark_cache(messages: &mut [Value], mark: &Value) {
    let users = messages.iter_mut().rev().filter(|m| m["role"] == "user").take(2);
    for message in users {
        if let Some(block) = message["content"].as_array_mut().and_then(|blocks| blocks.last_mut()) {
            block["cache_control"] = mark.clone();
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
    messages.push(json!({"role": role, "content": blocks}));
}

fn block(part: &AnswerPart, unsigned: bool) -> Option<Value> {
    Some(match part {
        AnswerPart::Thinking { signature, redacted: true, .. } => {
            json!({"type": "redacted_thinking", "data": (*signature)?})
        }
        AnswerPart::Thinking { text, signature: Some(signature), .. } => {
            json!({"type": "thinking", "thinking": text, "signature": signature})
        }
        AnswerPart::Thinking { text: words, .. } | AnswerPart::Text { text: words, .. }
            if words.trim().is_empty() =>
        {
            return None;
        }
        AnswerPart::Thinking { text, .. } if unsigned => {
            json!({"type": "thinking", "thinking": text, "signature": ""})
        }
        // Thinking without a signature would be rejected.
        AnswerPart::Text { text: words, .. } | AnswerPart::Thinking { text: words, .. } => text_block(words),
        AnswerPart::Call { id, call } => {
            let input = history::arguments(call);
            json!({"type": "tool_use", "id": id, "name": history::name(&call.name), "input": input})
        }
    })
}

/// Returns the results of an answer's calls. Failed calls cannot contain images: they follow.
fn result_blocks(results: &[CallResult]) -> Vec<Value> {
    let mut left = Vec::new();
    let mut blocks = Vec::new();
    for outcome in results {
        let mut content = content_blocks(&outcome.content);
        if outcome.is_error {
            let images: Vec<Value> = content.extract_if(.., |block| block["type"] == "image").collect();
            if !images.is_empty() {
                left.push(text_block(&format!("Images of the result of {}:", outcome.name)));
                left.extend(images);
            }
            if content.is_empty() {
                content.push(text_block(history::NO_OUTPUT));
            }
        }
        let mut block = json!({"type": "tool_result", "tool_use_id": outcome.id, "content": content});
        if outcome.is_error {
            block["is_error"] = true.into();
        }
        blocks.push(block);
    }
    blocks.extend(left);
    blocks
}

fn text_block(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn content_blocks(parts: &[ContentPart]) -> Vec<Value> {
    let blocks = parts.iter().map(|part| match part {
        ContentPart::Text(words) => text_block(words),
        ContentPart::Image { data, mime_type } => json!({
            "type": "image",
            "source": {"type": "base64", "media_type": mime_type, "data": data},
        }),
        ContentPart::Document { data, mime_type, name } => {
            let source = json!({"type": "base64", "media_type": mime_type, "data": data});
            let mut block = json!({"type": "document", "source": source});
            if let Some(name) = name {
                block["title"] = (*name).into();
            }
            block
        }
        ContentPart::Sound { .. } => text_block(history::NO_SOUND),
    });
    blocks.collect()
}

#[cfg(test)]
mod tests;
