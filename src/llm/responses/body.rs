//! Request body of the Responses API. Pure: equal requests give equal bytes, which caching needs; the
//! conversation comes last, so that only its end changes from turn to turn.
//!
//! The server stores nothing: its own data is sent back in the conversation.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::base::json::json;

use super::{Options, input};
use crate::llm::model::{CacheRetention, Model, Request, Thinking, ToolChoice, ToolSpec};
use crate::llm::request::affinity;
use crate::llm::request::extra;
use crate::llm::request::strict;

/// Minimum output limit of the API, in tokens.
const OUTPUT_MIN: u64 = 16;
/// Requests encrypted reasoning, which can be sent back without being stored by the server.
const ENCRYPTED: &str = "reasoning.encrypted_content";

/// Returns the body of `POST …/responses`.
pub fn build(request: &Request, manner: &Options) -> Map<String, Value> {
    let model = &request.model;
    let mut body = Map::new();
    body.insert("model".into(), manner.model.clone().unwrap_or_else(|| model.id.clone()).into());
    body.insert("stream".into(), true.into());
    body.insert("store".into(), false.into());
    let (instructions, role) = system(request, manner);
    if let Some(text) = instructions {
        body.insert("instructions".into(), text.into());
    }
    tools(&mut body, request, manner);
    reasoning(&mut body, request);
    format(&mut body, request);
    limits(&mut body, request, manner);
    cache(&mut body, request, manner);
    extra::add_sampling_and_options(&mut body, request);
    body.insert("input".into(), input::build(role, request, &free_text_tools(request)).into());
    body
}

/// Returns the tools whose input is free text.
pub fn free_text_tools(request: &Request) -> BTreeSet<&str> {
    let supported = request.model.flag("supportsOpenAIGrammarTools");
    let free = request.tools.iter().filter(|tool| supported && tool.grammar.is_some());
    free.map(|tool| tool.name.as_str()).collect()
}

/// Returns the system prompt as instructions, or as a message of the role that the model's data names.
fn system(request: &Request, manner: &Options) -> (Option<String>, Option<(&'static str, String)>) {
    let parts: Vec<&str> =
        request.system.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
    if parts.is_empty() {
        return (None, None);
    }
    let text = parts.join("\n\n");
    match request.model.set_flag("supportsDeveloperRole") {
        Some(known) if !manner.instructions => {
            let role = if known && request.model.reasoning { "developer" } else { "system" };
            (None, Some((role, text)))
        }
        _ => (Some(text), None),
    }
}

fn tools(body: &mut Map<String, Value>, request: &Request, manner: &Options) {
    if request.tools.is_empty() {
        return;
    }
    let free = free_text_tools(request);
    let tools = request.tools.iter().map(|spec| tool(spec, &request.model, &free, manner));
    body.insert("tools".into(), tools.collect());
    let choice: Value = match &request.tool_choice {
        ToolChoice::Auto => return,
        // The tools stay in the request, and so in the cached prefix.
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Named(name) if free.contains(name.as_str()) => json!({"type": "custom", "name": name}),
        ToolChoice::Named(name) => json!({"type": "function", "name": name}),
    };
    body.insert("tool_choice".into(), choice);
}

fn tool(spec: &ToolSpec, model: &Model, free: &BTreeSet<&str>, manner: &Options) -> Value {
    if let Some(grammar) = spec.grammar.as_ref().filter(|_| free.contains(spec.name.as_str())) {
        let format =
            json!({"type": "grammar", "syntax": grammar.syntax.name(), "definition": grammar.definition});
        return json!({"type": "custom", "name": spec.name, "description": spec.description, "format": format});
    }
    let supported = model.set_flag("supportsStrictMode");
    let (parameters, held) = strict::parameters(spec, supported.unwrap_or(manner.strict));
    let mut tool = json!({"type": "function", "name": spec.name, "description": spec.description,
        "parameters": parameters});
    // Without the field the API enforces every tool's schema and rejects those that it cannot.
    if held || supported != Some(false) {
        tool["strict"] = held.into();
    }
    tool
}

/// Adds the model's name for the level, or ours; without thinking `none`, unless the data has another.
fn reasoning(body: &mut Map<String, Value>, request: &Request) {
    let model = &request.model;
    if !model.reasoning {
        return;
    }
    let level = model.nearest_level(request.thinking);
    let word = model.thinking_level_map.get(level.name()).cloned().flatten();
    let reasoning = if level == Thinking::Off {
        json!({"effort": word.as_deref().unwrap_or("none")})
    } else {
        json!({"effort": word.as_deref().unwrap_or(level.name()), "summary": "auto"})
    };
    body.insert("reasoning".into(), reasoning);
    body.insert("include".into(), json!([ENCRYPTED]));
}

fn format(body: &mut Map<String, Value>, request: &Request) {
    let Some(format) = &request.format else { return };
    let held = strict::schema(&format.schema);
    let strict = held.is_some();
    let schema = held.unwrap_or_else(|| format.schema.clone());
    let format = json!({"type": "json_schema", "name": format.name, "schema": schema, "strict": strict});
    body.insert("text".into(), json!({"format": format}));
}

fn limits(body: &mut Map<String, Value>, request: &Request, manner: &Options) {
    let model = &request.model;
    if manner.no_limits || model.set_flag("supportsMaxOutputTokens") == Some(false) {
        return;
    }
    if let Some(max) = request.max_tokens {
        body.insert("max_output_tokens".into(), max.min(model.max_tokens).max(OUTPUT_MIN).into());
    }
}

fn cache(body: &mut Map<String, Value>, request: &Request, manner: &Options) {
    let model = &request.model;
    let key = affinity::cache_key(request).filter(|_| model.word("promptCacheKeyMode") != Some("disabled"));
    if let Some(key) = key {
        body.insert("prompt_cache_key".into(), key.into());
    }
    if manner.no_lifetimes {
        return;
    }
    let long = model.set_flag("supportsLongCacheRetention") != Some(false);
    let (name, value) = match (request.cache, model.flag("supportsExplicitPromptCacheMode")) {
        (CacheRetention::None, true) => ("prompt_cache_options", json!({"mode": "explicit"})),
        (CacheRetention::Long, true) if long => ("prompt_cache_options", json!({"ttl": "30m"})),
        (CacheRetention::Long, false) if long => ("prompt_cache_retention", "24h".into()),
        _ => return,
    };
    body.insert(name.into(), value);
}

#[cfg(test)]
mod tests;
