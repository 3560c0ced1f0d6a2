//! Parses providers' model lists to pi's schema.
//!
//! Pure; must not know how a list is fetched. The lists differ more in field names than in structure, and no
//! name has two meanings, so one parser handles all of them (its tests name them). Unknown fields are
//! ignored.

use serde_json::{Map, Value};

use crate::base::json::json;

use crate::base::width::is_unsafe;

/// Maximum number of models of one provider.
const MODELS_MAX: usize = 3_000;
/// Maximum number of aliases of a model.
const ALIASES_MAX: usize = 20;
/// Maximum characters of an id or a name.
const NAME_MAX: usize = 200;
/// Maximum plausible tokens of a context window or an answer.
const TOKENS_MAX: u64 = 1_000_000_000;
/// Maximum plausible dollars per million tokens.
const DOLLARS_MAX: f64 = 1e6;

/// One page of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    /// The models' fields.
    pub models: Vec<Value>,
    /// The token for the next page, if there is one.
    pub next: Option<String>,
}

/// Possible paths of the context window, most reliable first.
const WINDOW_FIELDS: &[&str] = &[
    "/top_provider/context_length",
    "/context_length",
    "/context_window",
    "/max_context_length",
    "/max_model_len",
    "/max_input_tokens",
    "/inputTokenLimit",
    "/providers/0/context_length",
];
const OUTPUT_FIELDS: &[&str] = &[
    "/top_provider/max_completion_tokens",
    "/max_completion_tokens",
    "/max_output_tokens",
    "/outputTokenLimit",
    "/max_output_length",
    "/max_tokens",
];
/// Paths of image support.
const VISION_FIELDS: &[&str] = &[
    "/capabilities/vision",
    "/capabilities/image_input/supported",
    "/supports_image_input",
    "/supports_image_in",
    "/supports_vision",
];
/// Paths of reasoning support.
const REASONING_FIELDS: &[&str] = &[
    "/thinking",
    "/capabilities/reasoning",
    "/capabilities/thinking/supported",
    "/supports_reasoning",
    "/supports_thinking",
];
/// Paths of chat support and availability.
const CHAT_FIELDS: &[&str] = &["/capabilities/completion_chat", "/supports_chat", "/active"];
/// Types of models that do not chat.
const KIND_FIELDS: &[&str] =
    &["embedding", "image", "moderation", "rerank", "audio", "video", "transcribe", "classify"];
/// Id substrings of models that do not chat, for lists without types.
const NON_CHAT_IDS: &[&str] = &[
    "embed",
    "whisper",
    "tts",
    "dall-e",
    "moderation",
    "-image",
    "imagen",
    "realtime",
    "transcribe",
    "rerank",
    "sora",
    "veo-",
    "babbage",
    "davinci",
    "-audio",
    "guard",
    "-ocr",
];

/// Parses one response; `None` if it is not a list.
pub fn parse_list(list: &Value) -> Option<Page> {
    let rows = list.as_array().or_else(|| list.get("data")?.as_array());
    let rows = rows.or_else(|| list.get("models")?.as_array())?;
    let more = list.get("has_more").and_then(Value::as_bool) == Some(true);
    let after = list.get("last_id").filter(|_| more).or_else(|| list.get("nextPageToken"));
    let next = after.and_then(Value::as_str).filter(|token| !token.is_empty()).map(str::to_string);
    Some(Page { models: rows.iter().filter_map(model).take(MODELS_MAX).collect(), next })
}

fn model(row: &Value) -> Option<Value> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).filter(|text| is_name(text));
    let id = text("id").or_else(|| text("name")).map(|id| id.trim_start_matches("models/"));
    let id = id.filter(|id| !id.is_empty())?;
    if !is_chat_model(row, id) {
        return None;
    }
    let mut fields = Map::new();
    fields.insert("id".into(), id.into());
    let name = text("display_name").or_else(|| text("displayName"));
    if let Some(name) = name.or_else(|| text("name").filter(|name| !name.ends_with(id))) {
        fields.insert("name".into(), name.into());
    }
    let aliases = row.get("aliases").and_then(Value::as_array).into_iter().flatten();
    let aliases = aliases.filter(|alias| alias.as_str().is_some_and(|text| is_name(text) && text != id));
    let aliases: Vec<Value> = aliases.take(ALIASES_MAX).cloned().collect();
    if !aliases.is_empty() {
        fields.insert("aliases".into(), aliases.into());
    }
    let number = |pointers: &[&str]| {
        let found = pointers.iter().filter_map(|pointer| row.pointer(pointer)?.as_u64());
        found.into_iter().find(|number| (1..=TOKENS_MAX).contains(number))
    };
    let sizes = [("contextWindow", number(WINDOW_FIELDS)), ("maxTokens", number(OUTPUT_FIELDS))];
    fields.extend(sizes.into_iter().filter_map(|(name, size)| Some((name.to_string(), size?.into()))));
    let bool_at = |pointers: &[&str]| pointers.iter().find_map(|pointer| row.pointer(pointer)?.as_bool());
    let tag = |pointers: &[&str], wanted: &str| list_contains(row, pointers, wanted);
    let sees = bool_at(VISION_FIELDS)
        .or_else(|| tag(&["/architecture/input_modalities", "/input_modalities"], "image"));
    if let Some(sees) = sees.or_else(|| tag(&["/tags"], "vision")) {
        fields.insert("input".into(), if sees { json!(["text", "image"]) } else { json!(["text"]) });
    }
    let thinks = bool_at(REASONING_FIELDS).or_else(|| tag(&["/supported_parameters", "/tags"], "reasoning"));
    if let Some(thinks) = thinks {
        fields.insert("reasoning".into(), thinks.into());
    }
    let pricing = row.get("pricing").or_else(|| row.pointer("/providers/0/pricing"));
    if let Some(cost) = pricing.and_then(cost) {
        fields.insert("cost".into(), cost);
    }
    Some(Value::Object(fields))
}

fn is_name(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= NAME_MAX && !text.chars().any(is_unsafe)
}

/// Whether a list at one of these paths contains a word; `None` when there is no such list.
fn list_contains(row: &Value, pointers: &[&str], expected: &str) -> Option<bool> {
    let words = pointers.iter().find_map(|pointer| row.pointer(pointer)?.as_array())?;
    Some(words.iter().any(|word| word.as_str() == Some(expected)))
}

fn is_chat_model(row: &Value, id: &str) -> bool {
    let no = |pointer: &&str| row.pointer(pointer).and_then(Value::as_bool) == Some(false);
    if CHAT_FIELDS.iter().any(no) || row.get("archived").and_then(Value::as_bool) == Some(true) {
        return false;
    }
    let writes = list_contains(row, &["/architecture/output_modalities", "/output_modalities"], "text");
    let writes = writes.or_else(|| list_contains(row, &["/supportedGenerationMethods"], "generateContent"));
    if writes == Some(false) {
        return false;
    }
    let kind = row.get("type").and_then(Value::as_str).filter(|kind| !["model", "base"].contains(kind));
    match kind {
        Some(kind) => !KIND_FIELDS.contains(&kind),
        None if CHAT_FIELDS[..2].iter().any(|pointer| row.pointer(pointer).is_some()) => true,
        None => !NON_CHAT_IDS.iter().any(|part| id.to_ascii_lowercase().contains(part)),
    }
}

/// Parses prices as dollars per million tokens. A string is dollars per token, as gateways write it; a number
/// is per million, as hosts write it. Negative prices are ignored.
fn cost(pricing: &Value) -> Option<Value> {
    let price = |names: &[&str]| {
        names.iter().find_map(|name| match pricing.get(name)? {
            Value::String(text) => text.parse::<f64>().ok().map(|price| (price * 1e12).round() / 1e6),
            value => value.as_f64(),
        })
    };
    let (input, output) = (price(&["prompt", "input"])?, price(&["completion", "output"])?);
    let read = price(&["input_cache_read", "cached_input", "cache_read"]).unwrap_or(0.0);
    let write = price(&["input_cache_write", "cache_write"]).unwrap_or(0.0);
    let all = [input, output, read, write];
    let sane = all.iter().all(|price| (0.0..=DOLLARS_MAX).contains(price));
    sane.then(|| json!({"input": input, "output": output, "cacheRead": read, "cacheWrite": write}))
}

#[cfg(test)]
mod tests;
