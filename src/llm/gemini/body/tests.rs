//! Requests, and the whole bodies that they become.

use std::collections::BTreeMap;

use super::*;
use crate::llm::model::{Message, UserMessage};

fn model(id: &str) -> Model {
    Model { reasoning: true, ..Model::unknown("google", id, "google-generative-ai", "") }
}

fn leveled(id: &str) -> Model {
    let word = |level: &str| (level.to_string(), Some(level.to_string()));
    let mut map: BTreeMap<_, _> = ["low", "medium", "high"].map(word).into();
    map.extend(["off", "minimal", "xhigh", "max"].map(|level| (level.to_string(), None)));
    Model { thinking_level_map: map, ..model(id) }
}

fn request(model: Model) -> Request {
    let spec = |name: &str| ToolSpec {
        name: name.into(),
        description: "does".into(),
        parameters: json!({"type": "object", "additionalProperties": false}),
        ..ToolSpec::default()
    };
    Request {
        model,
        system: vec!["one".into(), " ".into(), "two".into()],
        messages: vec![Message::User(UserMessage::text("hi", 0))],
        tools: vec![spec("read"), spec("write")],
        thinking: Thinking::Medium,
        ..Request::default()
    }
}

fn format() -> ResponseFormat {
    ResponseFormat { name: "knot".into(), schema: json!({"type": "object", "$schema": "x"}) }
}

#[test]
fn gemini_body_of_first_request() {
    let tool =
        |name: &str| json!({"name": name, "description": "does", "parametersJsonSchema": {"type": "object"}});
    let expected = json!({
        "systemInstruction": {"parts": [{"text": "one"}, {"text": "two"}]},
        "tools": [{"functionDeclarations": [tool("read"), tool("write")]}],
        "generationConfig": {"maxOutputTokens": 16_384,
            "thinkingConfig": {"includeThoughts": true, "thinkingLevel": "MEDIUM"}},
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
    });
    let whole = body(&request(leveled("gemini-4-argon")));
    assert_eq!(whole, expected);
    assert_eq!(
        whole.as_object().unwrap().keys().next_back().unwrap(),
        "contents",
        "what grows is at the end"
    );
}

#[test]
fn gemini_thinking_follows_generation_and_level() {
    let of = |model: Model, level| {
        let body = body(&Request { thinking: level, ..request(model) });
        body["generationConfig"].get("thinkingConfig").cloned()
    };
    let level = |word: &str| Some(json!({"includeThoughts": true, "thinkingLevel": word}));
    let budget = |n: i64| Some(json!({"includeThoughts": true, "thinkingBudget": n}));
    assert_eq!(of(leveled("gemini-3.1-pro-preview"), Thinking::Max), level("HIGH"));
    assert_eq!(of(leveled("gemini-3.1-pro-preview"), Thinking::Minimal), level("LOW"));
    assert_eq!(of(leveled("gemini-3.1-pro-preview"), Thinking::Off), Some(json!({"thinkingLevel": "LOW"})));
    assert_eq!(of(model("gemini-2.5-pro"), Thinking::High), budget(32_768));
    assert_eq!(of(model("gemini-2.5-pro"), Thinking::Off), Some(json!({"thinkingBudget": 128})));
    assert_eq!(of(model("gemini-2.5-flash"), Thinking::Off), Some(json!({"thinkingBudget": 0})));
    assert_eq!(of(model("gemini-2.5-flash"), Thinking::Xhigh), budget(24_576));
    assert_eq!(of(model("gemini-2.5-flash-lite"), Thinking::Minimal), budget(512));
    assert_eq!(of(model("something-else"), Thinking::Low), budget(-1));
    assert_eq!(of(Model { reasoning: false, ..model("gemini-2.0-flash") }, Thinking::High), None);
}

#[test]
fn gemini_tool_choice_modes() {
    let of = |choice, strict| {
        let mut request = Request { tool_choice: choice, ..request(leveled("gemini-3-flash-preview")) };
        request.tools[0].strict = strict;
        let body = body(&request);
        assert!(body.get("tools").is_some(), "the prompt stays the same");
        body["toolConfig"].get("functionCallingConfig").cloned()
    };
    let mode = |word: &str| Some(json!({"mode": word}));
    assert_eq!(of(ToolChoice::Auto, Strictness::Free), None);
    assert_eq!(of(ToolChoice::Auto, Strictness::Prefer), mode("VALIDATED"));
    assert_eq!(of(ToolChoice::None, Strictness::Require), mode("NONE"));
    assert_eq!(of(ToolChoice::Required, Strictness::Free), mode("ANY"));
    let named = json!({"mode": "ANY", "allowedFunctionNames": ["read"]});
    assert_eq!(of(ToolChoice::Named("read".into()), Strictness::Free), Some(named));
    let none = body(&Request { tools: vec![], ..request(model("gemini-3-flash-preview")) });
    assert_eq!((none.get("tools"), none.get("toolConfig")), (None, None));
}

#[test]
fn gemini_response_schema_by_generation() {
    let of = |id: &str, tools: bool| {
        let mut request = Request { format: Some(format()), ..request(model(id)) };
        if !tools {
            request.tools.clear();
        }
        body(&request)
    };
    let config = of("gemini-3-flash-preview", true)["generationConfig"].clone();
    assert_eq!(config["responseMimeType"], "application/json");
    assert_eq!(config["responseJsonSchema"], json!({"type": "object"}));
    assert_eq!(of("gemini-2.5-flash", false)["generationConfig"]["responseJsonSchema"]["type"], "object");
    assert_eq!(of("gemini-2.0-flash", false)["generationConfig"]["responseSchema"]["type"], "object");
    // Older models refuse it beside tools: there answering is a tool, and one has to be called.
    let older = of("gemini-2.5-flash", true);
    assert_eq!(older["generationConfig"].get("responseMimeType"), None);
    assert_eq!(older["tools"][0]["functionDeclarations"][2]["name"], "knot");
    assert_eq!(older["toolConfig"]["functionCallingConfig"], json!({"mode": "ANY"}));
}

#[test]
fn gemini_body_limits_sampling_and_options() {
    let mut request = Request { max_tokens: Some(99_999_999), ..request(model("gemini-2.5-flash")) };
    request.sampling = json!({"temperature": 0.5, "top_p": 1, "stop": ["x"]}).as_object().unwrap().clone();
    let options =
        json!({"google": {"generationConfig": {"seed": 3}, "safetySettings": [1]}, "other": {"x": 1}});
    request.provider_options = options.as_object().unwrap().clone();
    let body = body(&request);
    let config = &body["generationConfig"];
    assert_eq!(config["maxOutputTokens"], 16_384, "never more than the model can");
    assert_eq!((&config["temperature"], &config["topP"]), (&json!(0.5), &json!(1)));
    assert_eq!((&config["stopSequences"], &config["seed"]), (&json!(["x"]), &json!(3)));
    assert_eq!((body.get("safetySettings"), body.get("x")), (Some(&json!([1])), None));
}
