//! Whole bodies, and every flag of a model's data.

use super::*;
use crate::llm::model::{Grammar, GrammarSyntax, Message, ResponseFormat, Strictness, UserMessage};

fn request() -> Request {
    let parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let (name, description) = ("read".to_string(), "reads".to_string());
    Request {
        model: Model::unknown("openai", "gpt-x", "openai-responses", ""),
        system: vec!["be brief".into(), " ".into(), "be kind".into()],
        messages: vec![Message::User(UserMessage::text("hi", 0))],
        tools: vec![ToolSpec { name, description, parameters, ..ToolSpec::default() }],
        ..Request::default()
    }
}

fn of(change: impl FnOnce(&mut Request)) -> Value {
    by(&Options::default(), change)
}

fn by(manner: &Options, change: impl FnOnce(&mut Request)) -> Value {
    let mut request = request();
    change(&mut request);
    Value::Object(build(&request, manner))
}

fn flag(request: &mut Request, name: &str, value: impl Into<Value>) {
    request.model.compat.insert(name.into(), value.into());
}

#[test]
fn responses_body_of_first_request() {
    let body = of(|request| {
        request.model.reasoning = true;
        request.thinking = Thinking::High;
        request.session_id = Some("s-1".into());
        request.max_tokens = Some(3);
        request.cache = CacheRetention::Long;
        request.sampling.insert("temperature".into(), 1.into());
        request.provider_options.insert("openai".into(), json!({"service_tier": "flex"}));
    });
    let parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let expected = json!({
        "model": "gpt-x", "stream": true, "store": false, "instructions": "be brief\n\nbe kind",
        "tools": [{"type": "function", "name": "read", "description": "reads", "parameters": parameters,
            "strict": false}],
        "reasoning": {"effort": "high", "summary": "auto"}, "include": ["reasoning.encrypted_content"],
        "max_output_tokens": 16, "prompt_cache_key": "s-1", "prompt_cache_retention": "24h",
        "temperature": 1, "service_tier": "flex",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}],
    });
    assert_eq!(body, expected);
    assert_eq!(body.as_object().unwrap().keys().next_back().unwrap(), "input");
}

#[test]
fn responses_body_minimal_request() {
    let body = of(|request| {
        request.tools.clear();
        request.system.clear();
        request.tool_choice = ToolChoice::Required;
    });
    let input = json!([{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}]);
    assert_eq!(body, json!({"model": "gpt-x", "stream": true, "store": false, "input": input}));
}

#[test]
fn responses_system_prompt_role_by_flag() {
    let head = |known: bool, reasoning: bool, manner: &Options| {
        let body = by(manner, |request| {
            request.model.reasoning = reasoning;
            flag(request, "supportsDeveloperRole", known);
        });
        (body["input"][0]["role"].clone(), body.get("instructions").is_some())
    };
    let usual = Options::default();
    assert_eq!(head(true, true, &usual), (json!("developer"), false));
    assert_eq!(head(true, false, &usual), (json!("system"), false));
    assert_eq!(head(false, true, &usual), (json!("system"), false));
    let manner = Options { instructions: true, ..Options::default() };
    assert_eq!(head(true, true, &manner), (json!("user"), true));
}

#[test]
fn responses_strict_tools_by_flag_and_option() {
    let strict = |wish, flagged: Option<bool>, manner: bool| {
        let body = by(&Options { strict: manner, ..Options::default() }, |request| {
            request.tools[0].strict = wish;
            if let Some(known) = flagged {
                flag(request, "supportsStrictMode", known);
            }
        });
        (body["tools"][0].get("strict").cloned(), body["tools"][0]["parameters"]["required"].is_array())
    };
    let (yes, no) = (Some(json!(true)), Some(json!(false)));
    assert_eq!(strict(Strictness::Free, Some(true), false), (no.clone(), false));
    assert_eq!(strict(Strictness::Prefer, Some(true), false), (yes.clone(), true));
    assert_eq!(strict(Strictness::Prefer, None, true), (yes.clone(), true));
    assert_eq!(strict(Strictness::Prefer, None, false), (no, false));
    assert_eq!(strict(Strictness::Prefer, Some(false), true), (None, false));
    assert_eq!(strict(Strictness::Require, Some(false), false), (yes, true));
}

#[test]
fn responses_grammar_tools_need_support() {
    let body = |known: bool| {
        of(|request| {
            let definition = "start: /.+/".to_string();
            request.tools[0].grammar = Some(Grammar { syntax: GrammarSyntax::Lark, definition });
            request.tool_choice = ToolChoice::Named("read".into());
            flag(request, "supportsOpenAIGrammarTools", known);
        })
    };
    let format = json!({"type": "grammar", "syntax": "lark", "definition": "start: /.+/"});
    let tool = json!({"type": "custom", "name": "read", "description": "reads", "format": format});
    assert_eq!(body(true)["tools"], json!([tool]));
    assert_eq!(body(true)["tool_choice"], json!({"type": "custom", "name": "read"}));
    assert_eq!(body(false)["tools"][0]["type"], "function");
    assert_eq!(body(false)["tool_choice"], json!({"type": "function", "name": "read"}));
}

#[test]
fn responses_tool_choice_variants() {
    let choice = |choice| of(|request| request.tool_choice = choice).get("tool_choice").cloned();
    assert_eq!(choice(ToolChoice::Auto), None);
    assert_eq!(choice(ToolChoice::None), Some("none".into()));
    assert_eq!(choice(ToolChoice::Required), Some("required".into()));
}

#[test]
fn responses_reasoning_effort_by_model_and_level() {
    let effort = |level, words: &[(&str, Option<&str>)]| {
        let body = of(|request| {
            request.model.reasoning = true;
            request.thinking = level;
            let words = words.iter().map(|(level, word)| ((*level).to_string(), word.map(str::to_string)));
            request.model.thinking_level_map = words.collect();
        });
        (
            body["reasoning"]["effort"].as_str().unwrap().to_string(),
            body["reasoning"].get("summary").is_some(),
        )
    };
    assert_eq!(effort(Thinking::Off, &[]), ("none".into(), false));
    assert_eq!(effort(Thinking::Off, &[("off", None)]), ("minimal".into(), true));
    assert_eq!(effort(Thinking::Off, &[("off", Some("zero"))]), ("zero".into(), false));
    assert_eq!(effort(Thinking::Minimal, &[("minimal", Some("low"))]), ("low".into(), true));
    assert_eq!(effort(Thinking::Max, &[("max", Some("max"))]), ("max".into(), true));
    assert_eq!(of(|request| request.thinking = Thinking::High).get("reasoning"), None);
}

#[test]
fn responses_response_format_is_strict_if_possible() {
    let text = |schema: Value| {
        of(|request| request.format = Some(ResponseFormat { name: "answer".into(), schema }))["text"].clone()
    };
    let held = json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false});
    let format = json!({"type": "json_schema", "name": "answer", "schema": held, "strict": true});
    assert_eq!(text(json!({"type": "object"})), json!({"format": format}));
    let loose = json!({"type": "object", "oneOf": []});
    assert_eq!(text(loose.clone())["format"]["schema"], loose);
    assert_eq!(text(loose)["format"]["strict"], false);
}

#[test]
fn responses_max_output_tokens_by_flag_and_option() {
    let max = |request: &mut Request| request.max_tokens = Some(u64::MAX);
    assert_eq!(of(max)["max_output_tokens"], 16_384);
    let without = of(|request| {
        max(request);
        flag(request, "supportsMaxOutputTokens", false);
    });
    assert_eq!(without.get("max_output_tokens"), None);
    let plain = by(&Options { no_limits: true, no_lifetimes: true, ..Options::default() }, |request| {
        max(request);
        request.session_id = Some("s".into());
        request.cache = CacheRetention::Long;
    });
    assert_eq!(plain.get("max_output_tokens").or(plain.get("prompt_cache_retention")), None);
    assert_eq!(plain["prompt_cache_key"], "s");
}

#[test]
fn responses_prompt_cache_by_retention_and_flags() {
    let cache = |wish, flags: &[(&str, Value)]| {
        let body = of(|request| {
            request.session_id = Some("s".into());
            request.cache = wish;
            for (name, value) in flags {
                flag(request, name, value.clone());
            }
        });
        let names = ["prompt_cache_key", "prompt_cache_retention", "prompt_cache_options"];
        names.map(|name| body.get(name).cloned().unwrap_or_default())
    };
    let nothing = Value::Null;
    let key = json!("s");
    let (disabled, short) = (("promptCacheKeyMode", json!("disabled")), CacheRetention::Short);
    assert_eq!(cache(short, &[]), [key.clone(), nothing.clone(), nothing.clone()]);
    assert_eq!(cache(short, &[disabled]), [nothing.clone(), nothing.clone(), nothing.clone()]);
    let never = ("supportsLongCacheRetention", json!(false));
    let explicit = ("supportsExplicitPromptCacheMode", json!(true));
    let long = CacheRetention::Long;
    assert_eq!(cache(long, &[]), [key.clone(), json!("24h"), nothing.clone()]);
    assert_eq!(cache(long, &[never]), [key.clone(), nothing.clone(), nothing.clone()]);
    let ttl = json!({"ttl": "30m"});
    assert_eq!(cache(long, std::slice::from_ref(&explicit)), [key, nothing.clone(), ttl]);
    let mode = json!({"mode": "explicit"});
    assert_eq!(cache(CacheRetention::None, &[explicit]), [nothing.clone(), nothing.clone(), mode]);
    assert_eq!(cache(CacheRetention::None, &[]), [nothing.clone(), nothing.clone(), nothing]);
}
