//! Output limit of an answer within the context window. Pure; must not know any wire format, except that
//! images, documents and audio are objects with known keys.

use serde_json::Value;

use crate::llm::model::Request;
use crate::llm::request::media;

/// Tokens reserved in the context window beside prompt and answer.
const WINDOW_RESERVE: u64 = 4096;
/// Equivalent bytes of an image.
const IMAGE: usize = 4800;

/// Returns the requested limit or the model's own, at most what the window has left, and at least 1.
/// `messages` are the conversation as it is sent; the prompt is estimated at 3.5 bytes per token.
pub fn max_tokens(request: &Request, messages: &[Value]) -> u64 {
    let model = &request.model;
    let requested = request.max_tokens.unwrap_or(model.max_tokens).min(model.max_tokens);
    let tools: usize = request.tools.iter().map(|t| t.description.len() + 500).sum();
    let system: usize = request.system.iter().map(String::len).sum();
    let messages: usize = messages.iter().map(size).sum();
    let prompt = (messages + tools + system) as u64 * 2 / 7;
    let left = model.context_window.saturating_sub(prompt + WINDOW_RESERVE);
    requested.min(left).max(1)
}

/// Returns the approximate bytes of text in a value.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(map) if map.contains_key("image") => IMAGE,
        Value::Object(map) if map.get("type").is_some_and(|kind| kind == "image") => IMAGE,
        Value::Object(map) if map.contains_key("document") => document(value),
        Value::Object(map) if map.get("type").is_some_and(|kind| kind == "document") => document(value),
        Value::Object(map) if map.contains_key("audio") => {
            media::sound_tokens(longest(value)) as usize * 7 / 2
        }
        Value::Object(map) => map.values().map(size).sum(),
        _ => 4,
    }
}

/// Returns the equivalent bytes of a document.
fn document(value: &Value) -> usize {
    media::document_tokens(longest(value)) as usize * 7 / 2
}

/// Returns the length of the longest string in a value: the file's data.
fn longest(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(longest).max().unwrap_or(0),
        Value::Object(map) => map.values().map(longest).max().unwrap_or(0),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::llm::model::Model;

    #[test]
    fn output_budget_ignores_bytes_of_images() {
        let long = "x".repeat(400_000);
        let request = Request { model: Model::unknown("p", "m", "a", ""), ..Request::default() };
        let with = |message: Value| max_tokens(&request, &[message]);
        assert_eq!(with(json!({"type": "image", "source": {"data": long}})), 16_384);
        assert_eq!(with(json!({"image": {"source": {"bytes": long}}})), 16_384);
        let pages = 128_000 - 4096 - 25_000;
        assert_eq!(with(json!({"type": "document", "source": {"data": long}})), 16_384);
        let wide =
            Request { model: Model { max_tokens: 128_000, ..request.model.clone() }, ..request.clone() };
        assert_eq!(max_tokens(&wide, &[json!({"document": {"source": {"bytes": long}}})]), pages);
        assert_eq!(
            max_tokens(&wide, &[json!({"audio": {"source": {"bytes": long}}})]),
            128_000 - 4096 - 2500
        );
        assert_eq!(with(json!({"text": long})), 128_000 - 4096 - (400_000u64 * 2 / 7));
        assert_eq!(with(json!({"text": "x".repeat(4_000_000)})), 1);
    }
}
