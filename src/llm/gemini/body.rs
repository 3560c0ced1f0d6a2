//! Request body in Gemini's format. Pure: equal requests give equal bytes, and the conversation comes last,
//! so that a prompt grows only at its end.

use serde_json::{Map, Value};

use crate::base::json::json;

use super::{contents, generation, schema};
use crate::llm::model::{Model, Request, ResponseFormat, Strictness, Thinking, ToolChoice, ToolSpec};
use crate::llm::request::extra;

/// Returns the body of `streamGenerateContent`.
pub fn body(request: &Request) -> Value {
    let id = &request.model.id;
    let mut body = Map::new();
    let system: Vec<Value> =
        request.system.iter().filter(|t| !t.trim().is_empty()).map(|t| json!({"text": t})).collect();
    if !system.is_empty() {
        body.insert("systemInstruction".into(), json!({"parts": system}));
    }
    // If a response format and tools exclude each other, the format becomes a tool.
    let format = request.format.as_ref();
    let as_tool = format.filter(|_| !request.tools.is_empty() && !generation::has_format_with_tools(id));
    let mut tools: Vec<Value> = request.tools.iter().map(declaration).collect();
    tools.extend(as_tool.map(answer_tool));
    if !tools.is_empty() {
        body.insert("tools".into(), json!([{"functionDeclarations": tools}]));
        if let Some(calling) = tool_config(request, as_tool) {
            body.insert("toolConfig".into(), json!({"functionCallingConfig": calling}));
        }
    }
    let form = format.filter(|_| as_tool.is_none());
    body.insert("generationConfig".into(), Value::Object(generation_config(request, form)));
    extra::add_options(&mut body, request, &[]);
    body.insert("contents".into(), contents::build(&request.messages, &request.model).into());
    Value::Object(body)
}

fn declaration(tool: &ToolSpec) -> Value {
    let parameters = schema::simplify(&tool.parameters);
    json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": parameters})
}

fn answer_tool(format: &ResponseFormat) -> Value {
    let description = "Gives the final answer. Call it once everything that it needs is known.";
    let parameters = schema::simplify(&format.schema);
    json!({"name": format.name, "description": description, "parametersJsonSchema": parameters})
}

fn tool_config(request: &Request, as_tool: Option<&ResponseFormat>) -> Option<Value> {
    let strict = request.tools.iter().any(|tool| tool.strict != Strictness::Free);
    match &request.tool_choice {
        ToolChoice::Named(name) => Some(json!({"mode": "ANY", "allowedFunctionNames": [name]})),
        ToolChoice::None => {
            let named =
                |format: &ResponseFormat| json!({"mode": "ANY", "allowedFunctionNames": [format.name]});
            Some(as_tool.map_or_else(|| json!({"mode": "NONE"}), named))
        }
        ToolChoice::Required => Some(json!({"mode": "ANY"})),
        ToolChoice::Auto if as_tool.is_some() => Some(json!({"mode": "ANY"})),
        // Enforces the arguments' schema without forcing a call.
        ToolChoice::Auto if strict && generation::requires_signatures(&request.model.id) => {
            Some(json!({"mode": "VALIDATED"}))
        }
        ToolChoice::Auto => None,
    }
}

fn generation_config(request: &Request, form: Option<&ResponseFormat>) -> Map<String, Value> {
    let model = &request.model;
    let mut config = Map::new();
    let max = request.max_tokens.unwrap_or(model.max_tokens).min(model.max_tokens).max(1);
    config.insert("maxOutputTokens".into(), max.into());
    if let Some(thinking) = thinking(model, request.thinking) {
        config.insert("thinkingConfig".into(), thinking);
    }
    if let Some(form) = form {
        let key =
            if generation::has_json_schema(&model.id) { "responseJsonSchema" } else { "responseSchema" };
        config.insert("responseMimeType".into(), "application/json".into());
        config.insert(key.into(), schema::simplify(&form.schema));
    }
    for (name, value) in request.sampling() {
        config.insert(camel_case(&name), value);
    }
    config
}

fn thinking(model: &Model, requested: Thinking) -> Option<Value> {
    if !model.reasoning {
        return None;
    }
    let level = model.nearest_level(requested);
    let mut config = Map::new();
    // With thinking off, unavoidable thoughts are not requested.
    if requested != Thinking::Off {
        config.insert("includeThoughts".into(), true.into());
    }
    if generation::has_levels(&model.id) && level != Thinking::Off {
        let word = model.thinking_level_map.get(level.name()).and_then(Option::as_deref);
        let word = word.unwrap_or(level.name()).to_ascii_uppercase();
        config.insert("thinkingLevel".into(), word.into());
    } else {
        config.insert("thinkingBudget".into(), generation::budget(model, level).into());
    }
    Some(Value::Object(config))
}

/// Converts names of other services to Google's.
fn camel_case(name: &str) -> String {
    let mut out = String::new();
    let mut up = false;
    for c in if name == "stop" { "stop_sequences" } else { name }.chars() {
        match c {
            '_' => up = true,
            c if up => {
                out.push(c.to_ascii_uppercase());
                up = false;
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
