//! Request body in the Chat Completions format. Pure: equal requests give equal bytes, which caching needs.
//!
//! Only requested sampling parameters are sent: reasoning models reject them. Differences between servers are
//! data of the model (`compat`).

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::base::json::json;

use super::compat::Compat;
use super::{cache, thinking, transcript};
use crate::llm::model::{KnownPart, Message, Part, Request, ToolChoice, ToolSpec};
use crate::llm::request::extra;
use crate::llm::request::strict;

/// Returns the body of `POST …/chat/completions`.
pub fn body(request: &Request) -> Value {
    let model = &request.model;
    let compat = Compat::of(model);
    let mut body = Map::new();
    body.insert("model".into(), model.id.clone().into());
    body.insert("stream".into(), true.into());
    if compat.supports_stream_usage() {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    if compat.must_disable_store() {
        body.insert("store".into(), false.into());
    }
    // Without a limit servers use the model's own, which they know better.
    let limit = request.max_tokens.map(|max| max.min(model.max_tokens));
    if let Some(limit) = limit {
        body.insert(compat.limit_field().into(), limit.into());
    }
    let mut tools: Vec<Value> = request.tools.iter().map(|spec| tool(spec, request)).collect();
    let mut messages = transcript::build(request, &free_text_tools(request));
    cache::mark(&mut messages, &mut tools, request);
    add_tools(&mut body, tools, request);
    thinking::add(&mut body, model, request.thinking, limit);
    if let Some(format) = format(request) {
        body.insert("response_format".into(), format);
    }
    cache::add(&mut body, request);
    routing(&mut body, compat);
    extra::add_sampling_and_options(&mut body, request);
    body.insert("messages".into(), messages.into());
    Value::Object(body)
}

/// Returns the tools whose input is free text.
fn free_text_tools(request: &Request) -> BTreeSet<&str> {
    let supported = request.model.flag("supportsOpenAIGrammarTools");
    let free = request.tools.iter().filter(|tool| supported && tool.grammar.is_some());
    free.map(|tool| tool.name.as_str()).collect()
}

fn tool(spec: &ToolSpec, request: &Request) -> Value {
    if let Some(grammar) =
        spec.grammar.as_ref().filter(|_| free_text_tools(request).contains(spec.name.as_str()))
    {
        let grammar = json!({"syntax": grammar.syntax.name(), "definition": grammar.definition});
        let format = json!({"type": "grammar", "grammar": grammar});
        let custom = json!({"name": spec.name, "description": spec.description, "format": format});
        return json!({"type": "custom", "custom": custom});
    }
    let supported = request.model.flag("supportsStrictMode");
    let (parameters, held) = strict::parameters(spec, supported);
    let mut function = json!({"name": spec.name, "description": spec.description, "parameters": parameters});
    if held || supported {
        function["strict"] = held.into();
    }
    json!({"type": "function", "function": function})
}

fn add_tools(body: &mut Map<String, Value>, tools: Vec<Value>, request: &Request) {
    if tools.is_empty() {
        // Some routers reject calls in the history if the request has no tools.
        if request.model.flag("requiresToolsWithToolHistory") && has_calls(&request.messages) {
            body.insert("tools".into(), json!([]));
        }
        return;
    }
    body.insert("tools".into(), tools.into());
    if request.model.flag("zaiToolStream") {
        body.insert("tool_stream".into(), true.into());
    }
    if let Some(choice) = tool_choice(request) {
        body.insert("tool_choice".into(), choice);
    }
}

fn has_calls(history: &[Message]) -> bool {
    let calls = |part: &Part| matches!(part, Part::Known(KnownPart::ToolCall(_)));
    history.iter().any(|message| match message {
        Message::Assistant(answer) => answer.content.iter().any(calls),
        Message::ToolResult(_) => true,
        Message::User(_) => false,
    })
}

fn tool_choice(request: &Request) -> Option<Value> {
    match &request.tool_choice {
        ToolChoice::Auto => None,
        // The tools stay in the request, and so in the cached prefix.
        ToolChoice::None => Some("none".into()),
        ToolChoice::Required => Some("required".into()),
        ToolChoice::Named(name) if free_text_tools(request).contains(name.as_str()) => {
            Some(json!({"type": "custom", "custom": {"name": name}}))
        }
        ToolChoice::Named(name) => Some(json!({"type": "function", "function": {"name": name}})),
    }
}

fn format(request: &Request) -> Option<Value> {
    let format = request.format.as_ref()?;
    let held = strict::schema(&format.schema);
    let strict = held.is_some();
    let schema = held.unwrap_or_else(|| format.schema.clone());
    let schema = json!({"name": format.name, "schema": schema, "strict": strict});
    Some(json!({"type": "json_schema", "json_schema": schema}))
}

/// Adds a router's provider selection, and the service tier.
fn routing(body: &mut Map<String, Value>, compat: Compat) {
    let filled =
        |name: &str| compat.value(name).filter(|value| value.as_object().is_some_and(|map| !map.is_empty()));
    if let Some(routing) = filled("openRouterRouting") {
        body.insert("provider".into(), routing.clone());
    }
    if let Some(routing) = filled("vercelGatewayRouting") {
        let named = ["only", "order"]
            .iter()
            .filter_map(|name| Some(((*name).to_string(), routing.get(name)?.clone())));
        let gateway: Map<String, Value> = named.collect();
        if !gateway.is_empty() {
            body.insert("providerOptions".into(), json!({"gateway": gateway}));
        }
    }
    if let Some(priority) = compat.value("vllmPriority").filter(|priority| priority.is_number()) {
        body.insert("priority".into(), priority.clone());
    }
}

#[cfg(test)]
mod tests;
