//! Request body in Converse's format. Pure: equal requests give equal bytes, and the conversation comes last.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::base::json::json;

use super::{family, transcript};
use crate::llm::model::{
    AssistantMessage, CacheRetention, Message, Request, ResponseFormat, Strictness, ToolChoice, ToolSpec,
};
use crate::llm::request::extra;
use crate::llm::request::history;
use crate::llm::request::output_budget;

/// Returns the body of `converse-stream`.
pub fn body(request: &Request, region: &str) -> Value {
    let model = &request.model;
    let mark = cache_point(request);
    let mut messages = transcript::build(&request.messages, model);
    let max = output_budget::max_tokens(request, &messages);
    if let Some(mark) = &mark {
        transcript::mark(&mut messages, mark);
    }
    let mut body = Map::new();
    let texts = request.system.iter().filter(|text| !text.trim().is_empty());
    let mut system: Vec<Value> = texts.map(|text| json!({"text": text})).collect();
    if !system.is_empty() {
        system.extend(mark.clone());
        body.insert("system".into(), system.into());
    }
    body.insert("inferenceConfig".into(), Value::Object(inference(request, max)));
    let tools = tools(request, mark);
    let forced = tools.as_ref().is_some_and(|tools| tools.get("toolChoice").is_some());
    body.extend(tools.map(|tools| ("toolConfig".to_string(), tools)));
    let thinking = family::thinking(model, request.thinking, max, region, forced);
    body.extend(thinking.map(|fields| ("additionalModelRequestFields".to_string(), fields)));
    extra::add_options(&mut body, request, &["region"]);
    body.insert("messages".into(), messages.into());
    Value::Object(body)
}

/// Returns the marker at the end of a cached prefix.
fn cache_point(request: &Request) -> Option<Value> {
    if request.cache == CacheRetention::None || !family::supports_prompt_cache(&request.model) {
        return None;
    }
    let mut point = json!({"type": "default"});
    if request.cache == CacheRetention::Long {
        point["ttl"] = "1h".into();
    }
    Some(json!({"cachePoint": point}))
}

fn inference(request: &Request, max: u64) -> Map<String, Value> {
    let mut config = Map::new();
    config.insert("maxTokens".into(), max.into());
    for (name, value) in request.sampling() {
        let name = match name.as_str() {
            "top_p" => "topP",
            "stop" | "stop_sequences" => "stopSequences",
            other => other,
        };
        // Other parameters are specific to the model's maker and are sent as additional fields.
        if ["temperature", "topP", "stopSequences"].contains(&name) {
            config.insert(name.into(), value);
        }
    }
    config
}

fn tools(request: &Request, mark: Option<Value>) -> Option<Value> {
    let strict = family::supports_strict_tools(&request.model);
    let mut tools: Vec<Value> = match request.tool_choice {
        // `None` can only be expressed by sending no tools.
        ToolChoice::None => Vec::new(),
        _ => request.tools.iter().map(|tool| spec(tool, strict)).collect(),
    };
    let tool_count = tools.len();
    tools.extend(request.format.as_ref().map(answer_tool));
    if tools.is_empty() {
        tools.extend(called_tools(&request.messages));
    }
    if tools.is_empty() {
        return None;
    }
    tools.extend(mark);
    let mut config = json!({"tools": tools});
    let choice = match (&request.format, &request.tool_choice) {
        (Some(format), _) if tool_count == 0 => Some(json!({"tool": {"name": format.name}})),
        // Tools of earlier calls are described, but not available.
        (None, _) if tool_count == 0 => None,
        (_, ToolChoice::Named(name)) => Some(json!({"tool": {"name": name}})),
        (Some(_), _) | (None, ToolChoice::Required) => Some(json!({"any": {}})),
        (None, ToolChoice::Auto | ToolChoice::None) => None,
    };
    if let Some(choice) = choice {
        config["toolChoice"] = choice;
    }
    Some(config)
}

fn spec(tool: &ToolSpec, strict: bool) -> Value {
    let mut spec = json!({"name": tool.name, "description": tool.description,
        "inputSchema": {"json": tool.parameters}});
    if tool.strict == Strictness::Require || (strict && tool.strict == Strictness::Prefer) {
        spec["strict"] = true.into();
    }
    json!({"toolSpec": spec})
}

/// Returns the response format as a tool that must be called.
fn answer_tool(format: &ResponseFormat) -> Value {
    let description = "Gives the final answer. Call it once everything that it needs is known.";
    json!({"toolSpec": {"name": format.name, "description": description,
        "inputSchema": {"json": format.schema}}})
}

/// Returns descriptions of the tools called in the conversation: calls are rejected if no tool is described.
fn called_tools(messages: &[Message]) -> Vec<Value> {
    let answers = messages.iter().filter_map(|message| match message {
        Message::Assistant(answer) => Some(answer),
        _ => None,
    });
    let calls = answers.flat_map(AssistantMessage::tool_calls);
    let names: BTreeSet<_> = calls.map(|call| history::name(&call.name)).collect();
    let spec = |name| {
        json!({"toolSpec": {"name": name, "description": "Not on offer now: do not call it.",
            "inputSchema": {"json": {"type": "object"}}}})
    };
    names.into_iter().map(spec).collect()
}

#[cfg(test)]
mod tests;
