//! Whole bodies, and the flags of a model's data that change them.

use super::*;
use crate::llm::model::{Grammar, GrammarSyntax, Model, ResponseFormat, Strictness, Thinking, UserMessage};

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
fn completions_body_of_first_request() {
    let function = json!({"name": "read", "description": "reads", "parameters": {"type": "object"}});
    let expected = json!({
        "model": "gpt-x", "stream": true, "stream_options": {"include_usage": true},
        "tools": [{"type": "function", "function": function}],
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}],
    });
    assert_eq!(body(&request()), expected);
}

#[test]
fn completions_max_tokens_field_by_compat() {
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
fn completions_tool_choice_variants() {
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
fn completions_reasoning_effort_of_reasoning_models() {
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

fn flag(request: &mut Request, name: &str, value: impl Into<Value>) {
    request.model.compat.insert(name.into(), value.into());
}

#[test]
fn completions_store_is_disabled_where_supported() {
    assert_eq!(of(|r| flag(r, "supportsStore", true))["store"], false);
    assert_eq!(of(|r| r.model.base_url = "https://api.openai.com/v1".into())["store"], false);
    assert_eq!(of(|_| ()).get("store"), None);
}

#[test]
fn completions_strict_tools_need_support() {
    let strict = |wish, known: bool| {
        let body = of(|request| {
            request.tools[0].strict = wish;
            flag(request, "supportsStrictMode", known);
        });
        let function = &body["tools"][0]["function"];
        (function.get("strict").cloned(), function["parameters"]["additionalProperties"] == false)
    };
    assert_eq!(strict(Strictness::Free, true), (Some(json!(false)), false));
    assert_eq!(strict(Strictness::Prefer, true), (Some(json!(true)), true));
    assert_eq!(strict(Strictness::Prefer, false), (None, false));
    assert_eq!(strict(Strictness::Require, false), (Some(json!(true)), true));
}

#[test]
fn completions_grammar_tools_need_support() {
    let body = |known: bool| {
        of(|request| {
            let definition = "[a-z]+".to_string();
            request.tools[0].grammar = Some(Grammar { syntax: GrammarSyntax::Regex, definition });
            request.tool_choice = ToolChoice::Named("read".into());
            flag(request, "supportsOpenAIGrammarTools", known);
        })
    };
    let format = json!({"type": "grammar", "grammar": {"syntax": "regex", "definition": "[a-z]+"}});
    let custom = json!({"name": "read", "description": "reads", "format": format});
    assert_eq!(body(true)["tools"], json!([{"type": "custom", "custom": custom}]));
    assert_eq!(body(true)["tool_choice"], json!({"type": "custom", "custom": {"name": "read"}}));
    assert_eq!(body(false)["tools"][0]["type"], "function");
}

#[test]
fn completions_tool_history_sends_empty_tools() {
    let body = |known: bool, calls: bool| {
        of(|request| {
            request.tools.clear();
            let mut answer = crate::llm::stream::accumulate::Accumulator::new(&request.model, 0).finish();
            let call = crate::llm::model::ToolCall {
                id: "a".into(),
                name: "read".into(),
                arguments: json!({}),
                thought_signature: None,
            };
            answer.content.extend(calls.then_some(Part::Known(KnownPart::ToolCall(call))));
            request.messages.push(Message::Assistant(answer));
            flag(request, "requiresToolsWithToolHistory", known);
        })
    };
    assert_eq!(body(true, true)["tools"], json!([]));
    assert_eq!((body(true, false).get("tools"), body(false, true).get("tools")), (None, None));
}

#[test]
fn completions_zai_tool_stream_needs_tools() {
    assert_eq!(of(|r| flag(r, "zaiToolStream", true))["tool_stream"], true);
    let without = of(|request| {
        request.tools.clear();
        flag(request, "zaiToolStream", true);
    });
    assert_eq!(without.get("tool_stream"), None);
}

#[test]
fn completions_router_preferences_are_sent() {
    let routing = json!({"order": ["a"], "allow_fallbacks": false});
    assert_eq!(of(|r| flag(r, "openRouterRouting", routing.clone()))["provider"], routing);
    assert_eq!(of(|r| flag(r, "openRouterRouting", json!({}))).get("provider"), None);
    let gateway = of(|r| flag(r, "vercelGatewayRouting", json!({"only": ["a"], "order": ["b"], "odd": 1})));
    assert_eq!(gateway["providerOptions"], json!({"gateway": {"only": ["a"], "order": ["b"]}}));
    assert_eq!(of(|r| flag(r, "vercelGatewayRouting", json!({"odd": 1}))).get("providerOptions"), None);
    assert_eq!(of(|r| flag(r, "vllmPriority", -3))["priority"], -3);
}

#[test]
fn completions_response_format_is_strict_if_possible() {
    let format = |schema: Value| {
        of(|request| request.format = Some(ResponseFormat { name: "a".into(), schema }))["response_format"]
            .clone()
    };
    let held = json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
    let schema = json!({"name": "a", "schema": held, "strict": true});
    assert_eq!(format(json!({"type": "object"})), json!({"type": "json_schema", "json_schema": schema}));
    assert_eq!(format(json!({"type": "object", "not": {}}))["json_schema"]["strict"], false);
}

#[test]
fn completions_sampling_and_provider_options_are_sent() {
    let body = of(|request| {
        request.sampling.insert("temperature".into(), 0.into());
        request
            .provider_options
            .insert("openai".into(), json!({"service_tier": "flex", "stream_options": null}));
    });
    assert_eq!((&body["temperature"], &body["service_tier"]), (&json!(0), &json!("flex")));
    assert_eq!(body["stream_options"], Value::Null);
    assert_eq!(body.as_object().unwrap().keys().next_back().unwrap(), "messages");
}
