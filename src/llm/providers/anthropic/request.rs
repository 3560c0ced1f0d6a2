//! Request body in Anthropic's format. Pure: equal requests give equal bytes, which caching needs, and the
//! conversation comes last.

use serde_json::{Map, Value};

use crate::base::json::json;

use super::compat::{self, Compat};
use super::{schema, transcript};
use crate::llm::model::{
    CacheRetention, Model, Request, ResponseFormat, Strictness, Thinking, ToolChoice, ToolSpec,
};
use crate::llm::request::extra;
use crate::llm::request::output_budget;

/// Minimum thinking budget of the API, and the minimum that is left for the answer.
const BUDGET_MIN: u64 = 1024;

/// Options of bowline that are not sent.
const INTERNAL_OPTIONS: &[&str] = &["beta_headers", "auto_cache"];

/// Sampling parameters that cannot be combined with thinking.
const SAMPLING: &[&str] = &["temperature", "top_p", "top_k"];

/// Returns the beta header: those that the request needs, and those in its options.
pub fn beta(request: &Request, login: bool) -> Option<String> {
    let Request { model, tools, .. } = request;
    let compat = Compat::of(model);
    let mut names: Vec<&str> = Vec::new();
    let mut add = |wanted: bool, name| names.extend(wanted.then_some(name));
    add(login, "oauth-2025-04-20");
    add(!compat.eager_tool_streaming && !tools.is_empty(), "fine-grained-tool-streaming-2025-05-14");
    add(uses_thinking_budget(request), "interleaved-thinking-2025-05-14");
    add(!compat::fallbacks(model).is_empty(), "server-side-fallback-2026-07-01");
    add(compat.bound_thinking, "thinking-binding-controls-2026-08-01");
    let more = extra::options(request).and_then(|options| options.get("beta_headers"));
    match more {
        Some(Value::Array(list)) => names.extend(list.iter().filter_map(Value::as_str)),
        Some(Value::String(list)) => names.extend(list.split(',')),
        _ => {}
    }
    let mut once: Vec<&str> = Vec::new();
    for name in names.into_iter().map(str::trim).filter(|name| !name.is_empty()) {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    (!once.is_empty()).then(|| once.join(","))
}

/// Returns the body of `POST /v1/messages`.
pub fn body(request: &Request) -> Value {
    let model = &request.model;
    let compat = Compat::of(model);
    let mark = mark(request, compat);
    let mut messages = transcript::build(&request.messages, model, compat.unsigned_thinking);
    let max_tokens = output_budget::max_tokens(request, &messages);
    if let Some(mark) = &mark {
        transcript::mark_cache(&mut messages, mark);
    }
    let mut body = Map::new();
    body.insert("model".into(), model.id.clone().into());
    body.insert("max_tokens".into(), max_tokens.into());
    body.insert("stream".into(), true.into());
    if let Some(system) = system(&request.system, mark.as_ref()) {
        body.insert("system".into(), system);
    }
    let tools = tools(request, compat, mark.as_ref().filter(|_| compat.cached_tools));
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    let choice = tool_choice(request, compat);
    let forced = choice.is_some();
    body.extend(choice.map(|choice| ("tool_choice".to_string(), choice)));
    thinking(&mut body, request, compat, max_tokens, forced);
    if let Some(format) = request.format.as_ref().filter(|_| supports_answer_schema(compat)) {
        let config = body.entry("output_config").or_insert_with(|| json!({}));
        config["format"] = json!({"type": "json_schema", "schema": schema::close_objects(&format.schema)});
    }
    sampling(&mut body, request, compat);
    let fallbacks = compat::fallbacks(model);
    if !fallbacks.is_empty() {
        let list: Vec<Value> = fallbacks.into_iter().map(|model| json!({"model": model})).collect();
        body.insert("fallbacks".into(), list.into());
    }
    extra::add_options(&mut body, request, INTERNAL_OPTIONS);
    body.insert("messages".into(), Value::Array(messages));
    Value::Object(body)
}

/// Returns the marker at the end of a cached prefix; there are at most four.
fn mark(request: &Request, compat: Compat) -> Option<Value> {
    let wanted = extra::options(request).and_then(|options| options.get("auto_cache"));
    match request.cache {
        _ if wanted == Some(&Value::Bool(false)) => None,
        CacheRetention::None => None,
        CacheRetention::Long if compat.long_cache => Some(json!({"type": "ephemeral", "ttl": "1h"})),
        CacheRetention::Short | CacheRetention::Long => Some(json!({"type": "ephemeral"})),
    }
}

fn system(parts: &[String], mark: Option<&Value>) -> Option<Value> {
    let texts = parts.iter().filter(|text| !text.trim().is_empty());
    let mut blocks: Vec<Value> = texts.map(|text| json!({"type": "text", "text": text})).collect();
    let last = blocks.last_mut()?;
    if let Some(mark) = mark {
        last["cache_control"] = mark.clone();
    }
    Some(Value::Array(blocks))
}

/// Whether answers can be constrained to a schema without a tool.
fn supports_answer_schema(compat: Compat) -> bool {
    compat.strict || compat.adaptive_thinking
}

fn answer_tool(request: &Request, compat: Compat) -> Option<&ResponseFormat> {
    request.format.as_ref().filter(|_| !supports_answer_schema(compat))
}

fn tools(request: &Request, compat: Compat, mark: Option<&Value>) -> Vec<Value> {
    // `None` is expressed by sending no tools.
    let available = request.tools.iter().filter(|_| request.tool_choice != ToolChoice::None);
    let mut tools: Vec<Value> = available.map(|spec| tool(spec, compat)).collect();
    tools.extend(answer_tool(request, compat).map(|format| {
        let description = "Gives the final answer. Call it once everything that it needs is known.";
        let input = schema::input_schema(&format.schema);
        json!({"name": format.name, "description": description, "input_schema": input})
    }));
    if let (Some(last), Some(mark)) = (tools.last_mut(), mark) {
        last["cache_control"] = mark.clone();
    }
    tools
}

fn tool(spec: &ToolSpec, compat: Compat) -> Value {
    let strict = match spec.strict {
        Strictness::Free => false,
        Strictness::Prefer => compat.strict && schema::is_closable(&spec.parameters),
        Strictness::Require => true,
    };
    let mut tool = json!({"name": spec.name, "description": spec.description});
    if compat.eager_tool_streaming {
        tool["eager_input_streaming"] = true.into();
    }
    let input = schema::input_schema(&spec.parameters);
    if strict {
        tool["strict"] = true.into();
    }
    tool["input_schema"] = if strict { schema::close_objects(&input) } else { input };
    tool
}

fn tool_choice(request: &Request, compat: Compat) -> Option<Value> {
    let has_tools = request.tool_choice != ToolChoice::None && !request.tools.is_empty();
    match (&request.tool_choice, answer_tool(request, compat)) {
        // A tool choice without tools is rejected.
        (_, None) if !has_tools => None,
        (ToolChoice::Named(name), _) => Some(json!({"type": "tool", "name": name})),
        (_, Some(format)) if !has_tools => Some(json!({"type": "tool", "name": format.name})),
        (_, Some(_)) | (ToolChoice::Required, None) => Some(json!({"type": "any"})),
        (ToolChoice::Auto | ToolChoice::None, None) => None,
    }
}

/// Returns the thinking level; a forced call excludes thinking, so it is the model's minimum.
fn level(request: &Request, forced: bool) -> Thinking {
    request.model.nearest_level(if forced { Thinking::Off } else { request.thinking })
}

fn uses_thinking_budget(request: &Request) -> bool {
    let compat = Compat::of(&request.model);
    let forced = tool_choice(request, compat).is_some();
    request.model.reasoning && !compat.adaptive_thinking && level(request, forced) != Thinking::Off
}

fn thinking(body: &mut Map<String, Value>, request: &Request, compat: Compat, max_tokens: u64, forced: bool) {
    let Request { model, .. } = request;
    if !model.reasoning {
        return;
    }
    let level = level(request, forced);
    if compat.adaptive_thinking {
        return adaptive(body, model, level, compat);
    }
    let budget = level.budget().min(max_tokens.saturating_sub(BUDGET_MIN));
    if level != Thinking::Off && budget >= BUDGET_MIN {
        body.insert("thinking".into(), json!({"type": "enabled", "budget_tokens": budget}));
    }
}

fn adaptive(body: &mut Map<String, Value>, model: &Model, level: Thinking, compat: Compat) {
    let word = model.thinking_level_map.get(level.name()).and_then(Option::as_deref);
    if word == Some("disabled") || (word.is_none() && level == Thinking::Off) {
        body.insert("thinking".into(), json!({"type": "disabled"}));
        return;
    }
    // Without `display` newer models send thinking blocks without text.
    let mut thinking = json!({"type": "adaptive", "display": "summarized"});
    if compat.bound_thinking {
        thinking["block_binding"] = json!({"prefix_mismatch_behavior": "drop_block"});
    }
    body.insert("thinking".into(), thinking);
    if let Some(effort) = word {
        body.insert("output_config".into(), json!({"effort": effort}));
    }
}

/// Adds sampling parameters; newer models reject all of them, older ones only with thinking.
fn sampling(body: &mut Map<String, Value>, request: &Request, compat: Compat) {
    let thinks = body.get("thinking").is_some_and(|thinking| thinking["type"] != "disabled");
    let takes = compat.temperature && !compat.bound_thinking && !thinks;
    for (name, value) in request.sampling() {
        match name.as_str() {
            "stop" | "stop_sequences" => {
                body.insert("stop_sequences".into(), value);
            }
            name if SAMPLING.contains(&name) && takes => {
                body.insert(name.into(), value);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
