//! Requests, and the whole bodies that they become.

use super::*;
use crate::llm::model::{KnownPart, Model, Part, Thinking, ToolCall, UserMessage};
use crate::llm::stream::accumulate::Accumulator;

fn model(id: &str) -> Model {
    Model { reasoning: true, ..Model::unknown("amazon-bedrock", id, "bedrock-converse-stream", "") }
}

fn request(id: &str) -> Request {
    let spec = |name: &str| ToolSpec {
        name: name.into(),
        description: "does".into(),
        parameters: json!({"type": "object"}),
        ..ToolSpec::default()
    };
    Request {
        model: model(id),
        system: vec!["one".into(), String::new(), "two".into()],
        messages: vec![Message::User(UserMessage::text("hi", 0))],
        tools: vec![spec("read"), spec("write")],
        thinking: Thinking::Medium,
        ..Request::default()
    }
}

fn called() -> Vec<Message> {
    let mut answer = Accumulator::new(&model("x"), 0).finish();
    answer.content = vec![Part::Known(KnownPart::ToolCall(ToolCall {
        id: "c".into(),
        name: "read".into(),
        arguments: json!({}),
        thought_signature: None,
    }))];
    vec![Message::User(UserMessage::text("hi", 0)), Message::Assistant(answer)]
}

#[test]
fn bedrock_body_of_first_request() {
    let mark = json!({"cachePoint": {"type": "default"}});
    let tool = |name: &str| json!({"toolSpec": {"name": name, "description": "does", "inputSchema": {"json": {"type": "object"}}}});
    let expected = json!({
        "system": [{"text": "one"}, {"text": "two"}, mark],
        "inferenceConfig": {"maxTokens": 16_384},
        "toolConfig": {"tools": [tool("read"), tool("write"), mark]},
        "additionalModelRequestFields": {
            "thinking": {"type": "enabled", "budget_tokens": 8192, "display": "summarized"},
            "anthropic_beta": ["interleaved-thinking-2025-05-14"]},
        "messages": [{"role": "user", "content": [{"text": "hi"}, mark]}],
    });
    let whole = body(&request("anthropic.claude-sonnet-4-5-v1:0"), "us-east-1");
    assert_eq!(whole, expected);
    assert_eq!(
        whole.as_object().unwrap().keys().next_back().unwrap(),
        "messages",
        "what grows is at the end"
    );
}

#[test]
fn bedrock_cache_points_by_retention_and_family() {
    let of = |id: &str, cache| body(&Request { cache, ..request(id) }, "us-east-1").to_string();
    let claude = "anthropic.claude-sonnet-4-5-v1:0";
    assert!(!of(claude, CacheRetention::None).contains("cachePoint"));
    assert!(!of("amazon.nova-pro-v1:0", CacheRetention::Long).contains("cachePoint"));
    assert_eq!(of(claude, CacheRetention::Long).matches(r#"{"type":"default","ttl":"1h"}"#).count(), 3);
    let mut longer = request(claude);
    longer.messages.extend(called());
    longer.messages.push(Message::User(UserMessage::text("on", 0)));
    let text = body(&longer, "us-east-1").to_string();
    assert_eq!(text.matches("cachePoint").count(), 4, "never more than the API takes");
}

#[test]
fn bedrock_tool_choice_variants() {
    let of = |choice, messages: Vec<Message>, format: bool| {
        let mut request = Request { tool_choice: choice, messages, ..request("amazon.nova-pro-v1:0") };
        request.format =
            format.then(|| ResponseFormat { name: "knot".into(), schema: json!({"type": "object"}) });
        let config = body(&request, "us-east-1").get("toolConfig").cloned();
        config.map(|config| {
            let names = config["tools"].as_array().unwrap().iter();
            let names: Vec<_> = names.map(|t| t["toolSpec"]["name"].as_str().unwrap().to_string()).collect();
            (names.join(" "), config.get("toolChoice").cloned())
        })
    };
    let some = |names: &str, choice: Value| Some((names.to_string(), Some(choice)));
    assert_eq!(of(ToolChoice::Auto, vec![], false), Some(("read write".into(), None)));
    assert_eq!(of(ToolChoice::None, vec![], false), None);
    // Calls of the past need a description of their tool.
    assert_eq!(of(ToolChoice::None, called(), false), Some(("read".into(), None)));
    assert_eq!(of(ToolChoice::Required, vec![], false), some("read write", json!({"any": {}})));
    let named = json!({"tool": {"name": "read"}});
    assert_eq!(of(ToolChoice::Named("read".into()), vec![], false), some("read write", named));
    assert_eq!(of(ToolChoice::Auto, vec![], true), some("read write knot", json!({"any": {}})));
    assert_eq!(of(ToolChoice::None, vec![], true), some("knot", json!({"tool": {"name": "knot"}})));
    let nothing =
        Request { tools: vec![], tool_choice: ToolChoice::Required, messages: called(), ..request("m") };
    let config = &body(&nothing, "us-east-1")["toolConfig"];
    assert_eq!(config["tools"][0]["toolSpec"]["name"], "read");
    assert_eq!(config.get("toolChoice"), None, "what is not on offer is not asked for");
}

#[test]
fn bedrock_strict_tools_by_flag_and_strictness() {
    let of = |flag: bool, strict| {
        let mut request = request("amazon.nova-pro-v1:0");
        if flag {
            request.model.compat.insert("supportsStrictMode".into(), true.into());
        }
        request.tools[0].strict = strict;
        body(&request, "us-east-1")["toolConfig"]["tools"][0]["toolSpec"].get("strict").is_some()
    };
    assert!(of(true, Strictness::Prefer) && of(false, Strictness::Require));
    assert!(!of(false, Strictness::Prefer) && !of(true, Strictness::Free));
}

#[test]
fn bedrock_body_sampling_limits_and_options() {
    let mut request = Request { max_tokens: Some(100), ..request("amazon.nova-pro-v1:0") };
    request.sampling = json!({"top_p": 1, "stop": ["x"], "top_k": 3}).as_object().unwrap().clone();
    let options =
        json!({"amazon-bedrock": {"requestMetadata": {"a": "b"}, "inferenceConfig": {"temperature": 0}}});
    request.provider_options = options.as_object().unwrap().clone();
    let body = body(&request, "us-east-1");
    let expected = json!({"maxTokens": 100, "topP": 1, "stopSequences": ["x"], "temperature": 0});
    assert_eq!((&body["inferenceConfig"], &body["requestMetadata"]), (&expected, &json!({"a": "b"})));
}
