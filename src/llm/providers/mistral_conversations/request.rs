//! Request body in Mistral's format. Pure: equal requests give equal bytes, which caching needs.

use serde_json::{Map, Value};

use crate::base::json::json;

use super::transcript;
use crate::llm::model::{Request, Thinking, ToolChoice, ToolSpec};
use crate::llm::request::affinity;
use crate::llm::request::extra;
use crate::llm::request::strict;

/// Returns the body of `POST …/chat/completions`.
pub fn body(request: &Request) -> Value {
    let model = &request.model;
    let mut body = Map::new();
    body.insert("model".into(), model.id.clone().into());
    body.insert("stream".into(), true.into());
    if let Some(max) = request.max_tokens {
        body.insert("max_tokens".into(), max.min(model.max_tokens).into());
    }
    if !request.tools.is_empty() {
        body.insert("tools".into(), request.tools.iter().map(tool).collect());
        let choice: Option<Value> = match &request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some("none".into()),
            ToolChoice::Required => Some("any".into()),
            ToolChoice::Named(name) => Some(json!({"type": "function", "function": {"name": name}})),
        };
        body.extend(choice.map(|choice| ("tool_choice".to_string(), choice)));
    }
    thinking(&mut body, request);
    if let Some(format) = &request.format {
        let held = strict::schema(&format.schema);
        let strict = held.is_some();
        let schema = held.unwrap_or_else(|| format.schema.clone());
        let schema = json!({"name": format.name, "schema": schema, "strict": strict});
        body.insert("response_format".into(), json!({"type": "json_schema", "json_schema": schema}));
    }
    if let Some(key) = affinity::cache_key(request) {
        body.insert("prompt_cache_key".into(), key.into());
    }
    extra::add_sampling_and_options(&mut body, request);
    body.insert("messages".into(), transcript::build(request).into());
    Value::Object(body)
}

fn tool(spec: &ToolSpec) -> Value {
    let (parameters, held) = strict::parameters(spec, true);
    let function =
        json!({"name": spec.name, "description": spec.description, "parameters": parameters, "strict": held});
    json!({"type": "function", "function": function})
}

/// Adds the thinking level for models whose data names levels; others have one mode of thinking, or none.
fn thinking(body: &mut Map<String, Value>, request: &Request) {
    let model = &request.model;
    if !model.reasoning {
        return;
    }
    let level = model.nearest_level(request.thinking);
    let on = level != Thinking::Off;
    if model.thinking_level_map.is_empty() {
        if on {
            body.insert("prompt_mode".into(), "reasoning".into());
        }
        return;
    }
    let word = model.thinking_level_map.get(level.name()).cloned().flatten();
    if let Some(word) = word.or_else(|| on.then(|| "high".to_string())) {
        body.insert("reasoning_effort".into(), word.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::{CacheRetention, Message, Model, ResponseFormat, Strictness, UserMessage};

    fn of(change: impl FnOnce(&mut Request)) -> Value {
        let (name, description) = ("read".to_string(), "reads".to_string());
        let mut request = Request {
            model: Model::unknown("mistral", "m", "mistral-conversations", ""),
            system: vec!["be brief".into()],
            messages: vec![Message::User(UserMessage::text("hi", 0))],
            tools: vec![ToolSpec {
                name,
                description,
                parameters: json!({"type": "object"}),
                ..ToolSpec::default()
            }],
            ..Request::default()
        };
        change(&mut request);
        body(&request)
    }

    #[test]
    fn mistral_body_of_first_request() {
        let function = json!({"name": "read", "description": "reads", "parameters": {"type": "object"}, "strict": false});
        let expected = json!({
            "model": "m", "stream": true, "max_tokens": 100,
            "tools": [{"type": "function", "function": function}], "prompt_cache_key": "s",
            "temperature": 0, "safe_prompt": true,
            "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}],
        });
        let body = of(|request| {
            request.max_tokens = Some(100);
            request.session_id = Some("s".into());
            request.sampling.insert("temperature".into(), 0.into());
            request.provider_options.insert("mistral".into(), json!({"safe_prompt": true}));
        });
        assert_eq!(body, expected);
        let uncached = of(|request| {
            request.session_id = Some("s".into());
            request.cache = CacheRetention::None;
        });
        assert_eq!(uncached.get("prompt_cache_key"), None);
    }

    #[test]
    fn mistral_tool_choice_and_strict_tools() {
        let choice = |choice| of(|request| request.tool_choice = choice).get("tool_choice").cloned();
        assert_eq!((choice(ToolChoice::Auto), choice(ToolChoice::None)), (None, Some("none".into())));
        assert_eq!(choice(ToolChoice::Required), Some("any".into()));
        let named = json!({"type": "function", "function": {"name": "x"}});
        assert_eq!(choice(ToolChoice::Named("x".into())), Some(named));
        let strict = of(|request| request.tools[0].strict = Strictness::Prefer);
        assert_eq!(strict["tools"][0]["function"]["strict"], true);
        let none = of(|request| {
            request.tools.clear();
            request.tool_choice = ToolChoice::Required;
        });
        assert_eq!(none.get("tools").or(none.get("tool_choice")), None);
    }

    #[test]
    fn mistral_reasoning_by_effort_or_prompt_mode() {
        let asked = |level, words: &[(&str, Option<&str>)]| {
            let body = of(|request| {
                request.model.reasoning = true;
                request.thinking = level;
                let words =
                    words.iter().map(|(level, word)| ((*level).to_string(), word.map(str::to_string)));
                request.model.thinking_level_map = words.collect();
            });
            let word = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_string);
            (word("prompt_mode"), word("reasoning_effort"))
        };
        let word = |word: &str| Some(word.to_string());
        assert_eq!(asked(Thinking::High, &[]), (word("reasoning"), None));
        assert_eq!(asked(Thinking::Off, &[]), (None, None));
        let words = [
            ("off", Some("none")),
            ("minimal", None),
            ("low", None),
            ("medium", None),
            ("high", Some("high")),
        ];
        assert_eq!(asked(Thinking::Medium, &words), (None, word("high")));
        assert_eq!(asked(Thinking::Off, &words), (None, word("none")));
        assert_eq!(asked(Thinking::Low, &[("high", Some("deep"))]), (None, word("high")));
        assert_eq!(asked(Thinking::Off, &[("high", Some("deep"))]), (None, None));
    }

    #[test]
    fn mistral_response_format_is_strict_schema() {
        let schema = json!({"type": "object"});
        let body = of(|request| request.format = Some(ResponseFormat { name: "a".into(), schema }));
        let held = json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
        let schema = json!({"name": "a", "schema": held, "strict": true});
        assert_eq!(body["response_format"], json!({"type": "json_schema", "json_schema": schema}));
    }
}
