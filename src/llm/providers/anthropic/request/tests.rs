//! Requests, and the whole bodies that they become.

use super::*;
use crate::llm::catalog::Catalog;
use crate::llm::model::{Message, UserMessage};

fn request(model: &str) -> Request {
    let model = Catalog::builtin().model("anthropic", model).unwrap();
    let spec = |name: &str| ToolSpec {
        name: name.into(),
        description: "does".into(),
        parameters: json!({"type": "object"}),
        ..ToolSpec::default()
    };
    Request {
        model: (*model).clone(),
        system: vec!["one".into(), String::new(), "two".into()],
        messages: vec![Message::User(UserMessage::text("hi", 0))],
        tools: vec![spec("read"), spec("write")],
        tool_choice: ToolChoice::Auto,
        thinking: Thinking::Medium,
        max_tokens: None,
        session_id: None,
        ..Request::default()
    }
}

#[test]
fn anthropic_body_of_first_request() {
    let mark = json!({"type": "ephemeral"});
    let expected = json!({
        "model": "claude-opus-5-5", "max_tokens": 128_000, "stream": true,
        "system": [{"type": "text", "text": "one"}, {"type": "text", "text": "two", "cache_control": mark}],
        "tools": [
            {"name": "read", "description": "does", "eager_input_streaming": true, "input_schema": {"type": "object"}},
            {"name": "write", "description": "does", "eager_input_streaming": true, "input_schema": {"type": "object"}, "cache_control": mark}],
        "thinking": {"type": "adaptive", "display": "summarized",
            "block_binding": {"prefix_mismatch_behavior": "drop_block"}},
        "output_config": {"effort": "medium"},
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi", "cache_control": mark}]}],
    });
    assert_eq!(body(&request("claude-opus-5-5")), expected);
}

#[test]
fn anthropic_thinking_follows_model_and_level() {
    let of = |model: &str, level| {
        let body = body(&Request { thinking: level, ..request(model) });
        (body.get("thinking").cloned(), body.get("output_config").cloned())
    };
    let budget = |n: u64| (Some(json!({"type": "enabled", "budget_tokens": n})), None);
    assert_eq!(of("claude-haiku-4-5", Thinking::Low), budget(2048));
    assert_eq!(of("claude-haiku-4-5", Thinking::Xhigh), budget(16_384));
    assert_eq!(of("claude-haiku-4-5", Thinking::Off), (None, None));
    assert_eq!(of("claude-opus-5", Thinking::Off), (Some(json!({"type": "disabled"})), None));
    let bound = json!({"type": "adaptive", "display": "summarized",
        "block_binding": {"prefix_mismatch_behavior": "drop_block"}});
    assert_eq!(of("claude-opus-5", Thinking::High).0, Some(bound));
    let adaptive = flagged(&json!({"forceAdaptiveThinking": true}));
    let plain = json!({"type": "adaptive", "display": "summarized"});
    assert_eq!(body(&adaptive)["thinking"], plain);
    // A model that cannot stop thinking does as little of it as it can.
    assert_eq!(of("claude-opus-5-5", Thinking::Off).1, Some(json!({"effort": "low"})));
}

/// A request to a model of another server, with these flags.
fn flagged(flags: &Value) -> Request {
    let mut model =
        Model { reasoning: true, ..Model::unknown("acme", "m", "anthropic-messages", "http://h") };
    model.compat = flags.as_object().unwrap().clone();
    Request { model, ..request("claude-haiku-4-5") }
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[test]
fn anthropic_eager_tool_streaming_by_field_or_beta() {
    let of = |flags: &Value| {
        let request = flagged(flags);
        (body(&request)["tools"][0].get("eager_input_streaming").cloned(), beta(&request, false).unwrap())
    };
    let thinking = "interleaved-thinking-2025-05-14".to_string();
    assert_eq!(of(&json!({})), (Some(json!(true)), thinking.clone()));
    let without = format!("fine-grained-tool-streaming-2025-05-14,{thinking}");
    assert_eq!(of(&json!({"supportsEagerToolInputStreaming": false})), (None, without));
}

#[test]
fn anthropic_cache_control_follows_retention_and_server() {
    let of = |flags: &Value, cache| body(&Request { cache, ..flagged(flags) });
    let count = |body: &Value, mark: &str| body.to_string().matches(mark).count();
    let (short, long) = (r#""cache_control":{"type":"ephemeral"}"#, r#"{"type":"ephemeral","ttl":"1h"}"#);
    assert_eq!(count(&of(&json!({}), CacheRetention::None), "cache_control"), 0);
    assert_eq!(count(&of(&json!({}), CacheRetention::Short), short), 3);
    assert_eq!(count(&of(&json!({}), CacheRetention::Long), long), 3);
    let limited = of(&json!({"supportsLongCacheRetention": false}), CacheRetention::Long);
    assert_eq!((count(&limited, short), count(&limited, long)), (3, 0));
    let untooled = of(&json!({"supportsCacheControlOnTools": false}), CacheRetention::Short);
    assert_eq!((count(&untooled, short), untooled["tools"].to_string().contains("cache")), (2, false));
    let mut off = flagged(&json!({}));
    off.provider_options = object(&json!({"acme": {"auto_cache": false}}));
    let text = body(&off).to_string();
    assert!(!text.contains("cache"), "{text}");
}

#[test]
fn anthropic_cache_marks_are_at_most_four() {
    let words = |text: &str| Message::User(UserMessage::text(text, 0));
    let mut answer = crate::llm::stream::accumulate::Accumulator::new(&flagged(&json!({})).model, 0).finish();
    answer.content = vec![crate::llm::model::Part::text("so")];
    let turn = || [words("a"), Message::Assistant(answer.clone())];
    let messages = [turn(), turn(), turn()].concat().into_iter().chain([words("z")]).collect();
    let body = body(&Request { messages, ..flagged(&json!({})) });
    assert_eq!(body.to_string().matches("cache_control").count(), 4);
    assert_eq!(body.as_object().unwrap().keys().next_back().unwrap(), "messages", "what grows is at the end");
}

#[test]
fn anthropic_session_affinity_header() {
    let of = |flags: &Value, url: &str| {
        let mut request = flagged(flags);
        request.session_id = Some("s".into());
        request.model.base_url = url.into();
        compat::session_header(&request).map(|(name, value)| format!("{name}={value}"))
    };
    assert_eq!(of(&json!({}), "http://h"), None);
    let on = json!({"sendSessionAffinityHeaders": true});
    assert_eq!(of(&on, "http://h").as_deref(), Some("x-session-affinity=s"));
    let router = json!({"sendSessionAffinityHeaders": true, "sessionAffinityFormat": "openrouter"});
    assert_eq!(of(&router, "http://h").as_deref(), Some("x-session-id=s"));
    assert_eq!(of(&json!({}), "https://openrouter.ai/api").as_deref(), Some("x-session-id=s"));
    let off = json!({"sendSessionAffinityHeaders": false});
    assert_eq!(of(&off, "https://openrouter.ai/api"), None);
}

#[test]
fn anthropic_sampling_is_sent_where_supported() {
    let of = |flags: &Value, thinking| {
        let mut request = Request { thinking, ..flagged(flags) };
        request.sampling = object(&json!({"temperature": 0.5, "stop": ["x"], "seed": 1}));
        let body = body(&request);
        assert_eq!((&body["stop_sequences"], body.get("seed")), (&json!(["x"]), None));
        body.get("temperature").is_some()
    };
    assert!(of(&json!({}), Thinking::Off));
    assert!(!of(&json!({}), Thinking::High), "not beside thinking");
    assert!(!of(&json!({"supportsTemperature": false}), Thinking::Off));
    assert!(!of(&json!({"supportsMidConvoEffort": true}), Thinking::Off));
}

#[test]
fn anthropic_strict_tools_need_closable_schema() {
    let of = |flags: &Value, strict, parameters: &Value| {
        let mut request = flagged(flags);
        request.tools[0].strict = strict;
        request.tools[0].parameters = parameters.clone();
        body(&request)["tools"][0].clone()
    };
    let plain = json!({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}});
    let closed =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": false});
    let can = json!({"supportsStrictTools": true});
    let tool = of(&can, Strictness::Prefer, &plain);
    assert_eq!((&tool["strict"], &tool["input_schema"]), (&json!(true), &closed));
    assert_eq!(of(&json!({}), Strictness::Prefer, &plain)["input_schema"], plain);
    assert_eq!(of(&json!({}), Strictness::Require, &plain)["strict"], json!(true));
    let open = json!({"type": "object", "properties": {"map": {"type": "object"}}});
    assert_eq!(of(&can, Strictness::Prefer, &open).get("strict"), None);
    assert_eq!(of(&can, Strictness::Free, &plain).get("strict"), None);
}

#[test]
fn anthropic_response_format_by_schema_or_tool() {
    let schema = json!({"type": "object", "properties": {}});
    let of = |flags: &Value, tools: bool, choice| {
        let format = Some(ResponseFormat { name: "knot".into(), schema: schema.clone() });
        let mut request = Request { format, tool_choice: choice, ..flagged(flags) };
        if !tools {
            request.tools.clear();
        }
        body(&request)
    };
    // Held to the schema where the model can be.
    let held = of(&json!({"supportsStrictTools": true}), true, ToolChoice::Auto);
    let closed = json!({"type": "object", "properties": {}, "additionalProperties": false});
    assert_eq!(held["output_config"]["format"], json!({"type": "json_schema", "schema": closed}));
    assert_eq!((held["tools"].as_array().unwrap().len(), held.get("tool_choice")), (2, None));
    // By a tool that must be called elsewhere, which excludes thinking.
    let alone = of(&json!({}), false, ToolChoice::Auto);
    assert_eq!(alone["tool_choice"], json!({"type": "tool", "name": "knot"}));
    assert_eq!((alone.get("thinking"), alone.get("output_config")), (None, None));
    let beside = of(&json!({}), true, ToolChoice::Auto);
    assert_eq!(beside["tool_choice"], json!({"type": "any"}));
    assert_eq!(beside["tools"][2]["name"], "knot");
    let only = of(&json!({}), true, ToolChoice::None);
    assert_eq!((only["tools"].as_array().unwrap().len(), &only["tool_choice"]["type"]), (1, &json!("tool")));
}

#[test]
fn anthropic_beta_headers_are_joined() {
    let mut request = request("claude-opus-5-5");
    let options = json!({"beta_headers": ["a", " b ", "a"], "metadata": {"user_id": "u"}});
    request.provider_options = object(&json!({"anthropic": options}));
    let expected = "oauth-2025-04-20,thinking-binding-controls-2026-08-01,a,b";
    assert_eq!(beta(&request, true).as_deref(), Some(expected));
    request.provider_options =
        object(&json!({"anthropic": {"beta_headers": "a, b", "metadata": {"user_id": "u"}}}));
    assert_eq!(beta(&request, false).as_deref(), Some("thinking-binding-controls-2026-08-01,a,b"));
    let body = body(&request);
    assert_eq!((&body["metadata"]["user_id"], body.get("beta_headers")), (&json!("u"), None));
    assert_eq!(beta(&Request { thinking: Thinking::Off, ..flagged(&json!({})) }, false), None);
}

#[test]
fn anthropic_fallback_models_are_requested() {
    let request = flagged(&json!({"allowedFallbackModels": [{"provider": "acme", "model": "other"}]}));
    assert_eq!(body(&request)["fallbacks"], json!([{"model": "other"}]));
    assert!(beta(&request, false).unwrap().contains("server-side-fallback-2026-07-01"));
    assert_eq!(body(&flagged(&json!({}))).get("fallbacks"), None);
}

#[test]
fn anthropic_forced_tool_choice_disables_thinking() {
    let of = |model: &str| body(&Request { tool_choice: ToolChoice::Required, ..request(model) });
    assert_eq!(of("claude-haiku-4-5").get("thinking"), None);
    assert_eq!(of("claude-opus-5")["thinking"], json!({"type": "disabled"}));
    assert_eq!(of("claude-opus-5-5")["output_config"], json!({"effort": "low"}), "as little as it can");
}

#[test]
fn anthropic_thinking_budget_leaves_room_for_answer() {
    let of = |max| {
        let body =
            body(&Request { max_tokens: Some(max), thinking: Thinking::High, ..request("claude-haiku-4-5") });
        (body["max_tokens"].as_u64().unwrap(), body["thinking"]["budget_tokens"].as_u64())
    };
    assert_eq!(of(9_000), (9_000, Some(7_976)));
    assert_eq!(of(2_047), (2_047, None));
    assert_eq!(of(1_000_000), (64_000, Some(16_384)));
}

#[test]
fn anthropic_full_window_shrinks_max_tokens() {
    let long = Message::User(UserMessage::text("x".repeat(500_000), 0));
    let body = body(&Request { messages: vec![long], ..request("claude-haiku-4-5") });
    let max = body["max_tokens"].as_u64().unwrap();
    assert!((50_000..54_000).contains(&max), "{max}");
}

#[test]
fn anthropic_tool_choice_variants() {
    let of = |choice| {
        let body = body(&Request { tool_choice: choice, ..request("claude-haiku-4-5") });
        (body.get("tools").is_some(), body.get("tool_choice").cloned())
    };
    assert_eq!(of(ToolChoice::None), (false, None));
    assert_eq!(of(ToolChoice::Required), (true, Some(json!({"type": "any"}))));
    assert_eq!(of(ToolChoice::Named("x".into())), (true, Some(json!({"type": "tool", "name": "x"}))));
    let nothing = Request { tools: vec![], tool_choice: ToolChoice::Required, ..request("claude-haiku-4-5") };
    assert_eq!(body(&nothing).get("tool_choice"), None, "a choice among nothing is refused");
}
