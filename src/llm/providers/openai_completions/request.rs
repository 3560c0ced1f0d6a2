//! A request as Chat Completions JSON. Pure: equal requests give equal bytes, which caching
//! needs.
//!
//! No sampling parameter is ever sent: reasoning models refuse them. What differs between
//! servers is data of the model (`compat`), in pi's names.

use serde_json::{Map, Value, json};

use super::transcript;
use crate::llm::model::{Model, Request, Thinking, ToolChoice, ToolSpec};

/// The body of `POST …/chat/completions`.
pub fn body(request: &Request) -> Value {
    let model = &request.model;
    let mut body = Map::new();
    body.insert("model".into(), model.id.clone().into());
    body.insert("stream".into(), true.into());
    if !denied(model, "supportsUsageInStreaming") {
        body.insert("stream_options".into(), json!({"include_usage": true}));
    }
    // Servers take their model's own limit for one that is not given, and know it better.
    if let Some(max) = request.max_tokens {
        let field = model.compat.get("maxTokensField").and_then(Value::as_str);
        body.insert(field.unwrap_or("max_completion_tokens").into(), max.min(model.max_tokens).into());
    }
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
        if let Some(choice) = tool_choice(&request.tool_choice) {
            body.insert("tool_choice".into(), choice);
        }
    }
    if let Some(effort) = effort(model, request.thinking) {
        body.insert("reasoning_effort".into(), effort.into());
    }
    let messages = transcript::build(&request.system, &request.messages, model);
    body.insert("messages".into(), messages.into());
    Value::Object(body)
}

fn tool(spec: &ToolSpec) -> Value {
    let function = json!({"name": spec.name, "description": spec.description, "parameters": spec.parameters});
    json!({"type": "function", "function": function})
}

fn tool_choice(choice: &ToolChoice) -> Option<Value> {
    match choice {
        ToolChoice::Auto => None,
        // The tools stay in the request, and with them the cached prefix.
        ToolChoice::None => Some("none".into()),
        ToolChoice::Required => Some("required".into()),
        ToolChoice::Named(name) => Some(json!({"type": "function", "function": {"name": name}})),
    }
}

/// The model's word for the level, or ours. No thinking needs a word of the model's own; without
/// one the model does as it does by default.
fn effort(model: &Model, level: Thinking) -> Option<String> {
    if !model.reasoning || denied(model, "supportsReasoningEffort") {
        return None;
    }
    let level = model.nearest_level(level);
    match model.thinking_level_map.get(level.name()) {
        Some(word) => word.clone(),
        None => (level != Thinking::Off).then(|| level.name().to_string()),
    }
}

/// Whether a flag that is on by default is switched off.
fn denied(model: &Model, flag: &str) -> bool {
    model.compat.get(flag) == Some(&Value::Bool(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::{Message, UserMessage};

    fn request() -> Request {
        let parameters = json!({"type": "object"});
        Request {
            model: Model::unknown("openai", "gpt-x", "openai-completions", ""),
            system: vec!["be brief".into()],
            messages: vec![Message::User(UserMessage::text("hi", 0))],
            tools: vec![ToolSpec {
                name: "read".into(),
                description: "reads".into(),
                parameters,
                ..ToolSpec::default()
            }],
            tool_choice: ToolChoice::Auto,
            thinking: Thinking::High,
            max_tokens: None,
            session_id: None,
            ..Request::default()
        }
    }

    fn of(change: impl FnOnce(&mut Request)) -> Value {
        let mut request = request();
        change(&mut request);
        body(&request)
    }

    #[test]
    fn the_whole_body_of_a_first_request() {
        let function = json!({"name": "read", "description": "reads", "parameters": {"type": "object"}});
        let expected = json!({
            "model": "gpt-x", "stream": true, "stream_options": {"include_usage": true},
            "tools": [{"type": "function", "function": function}],
            "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}],
        });
        assert_eq!(body(&request()), expected);
    }

    #[test]
    fn limits_by_the_field_that_the_server_knows() {
        assert_eq!(of(|r| r.max_tokens = Some(100))["max_completion_tokens"], 100);
        assert_eq!(of(|r| r.max_tokens = Some(u64::MAX))["max_completion_tokens"], 16_384);
        let old = of(|r| {
            r.max_tokens = Some(100);
            r.model.compat.insert("maxTokensField".into(), "max_tokens".into());
            r.model.compat.insert("supportsUsageInStreaming".into(), false.into());
        });
        assert_eq!((&old["max_tokens"], old.get("max_completion_tokens")), (&json!(100), None));
        assert_eq!(old.get("stream_options"), None);
    }

    #[test]
    fn tool_choices() {
        let choice = |choice| of(|r| r.tool_choice = choice)["tool_choice"].clone();
        assert_eq!(choice(ToolChoice::None), "none");
        assert_eq!(choice(ToolChoice::Required), "required");
        let named = json!({"type": "function", "function": {"name": "x"}});
        assert_eq!(choice(ToolChoice::Named("x".into())), named);
        let without = of(|r| {
            r.tools.clear();
            r.tool_choice = ToolChoice::None;
        });
        assert_eq!((without.get("tools"), without.get("tool_choice")), (None, None));
    }

    #[test]
    fn effort_of_models_that_reason() {
        let effort = |level, map: &[(&str, Option<&str>)], compat: bool| {
            let body = of(|r| {
                r.thinking = level;
                r.model.reasoning = true;
                let words = map.iter().map(|(k, v)| ((*k).to_string(), v.map(str::to_string)));
                r.model.thinking_level_map = words.collect();
                r.model.compat.insert("supportsReasoningEffort".into(), compat.into());
            });
            body.get("reasoning_effort").and_then(Value::as_str).map(str::to_string)
        };
        assert_eq!(effort(Thinking::High, &[], true).as_deref(), Some("high"));
        assert_eq!(effort(Thinking::Xhigh, &[], true).as_deref(), Some("high"));
        assert_eq!(effort(Thinking::Off, &[], true), None);
        assert_eq!(effort(Thinking::Off, &[("off", Some("none"))], true).as_deref(), Some("none"));
        assert_eq!(effort(Thinking::Off, &[("off", None)], true).as_deref(), Some("minimal"));
        assert_eq!(effort(Thinking::High, &[], false), None);
    }
}
