//! Adapters against a mock of the providers' servers that is not ours: conversations, every error
//! and every fault that it has, over all the wires that it speaks.

use std::collections::HashMap;
use std::sync::Arc;

use bowline::base::clock::{ManualClock, SharedClock};
use bowline::llm::access::{Access, ApiKey, FixedAccess, KeyKind, Variables};
use bowline::llm::model::{
    AssistantMessage, ErrorKind, KnownPart, Message, Model, Part, Request, StopReason, StreamEvent, Thinking,
    ToolResultMessage, ToolSpec, UserMessage,
};
use bowline::llm::provider::Provider;
use bowline::llm::providers::{DIALECTS, Setup};
use bowline::net::http::{Http, Limits};
use futures::StreamExt;
use serde_json::json;

use crate::support::mock_llm::Mock;

const WIRES: [&str; 9] = [
    "anthropic-messages",
    "bedrock-converse-stream",
    "google-generative-ai",
    "google-vertex",
    "openai-responses",
    "azure-openai-responses",
    "openai-codex-responses",
    "openai-completions",
    "mistral-conversations",
];

pub fn adapter(api: &str, url: &str) -> Arc<dyn Provider> {
    let dialect = DIALECTS.iter().find(|dialect| dialect.id == api).unwrap();
    let account = HashMap::from([("accountId".to_string(), "acc".to_string())]);
    let kind = if api.contains("codex") { KeyKind::Login } else { KeyKind::Key };
    let key = Some(ApiKey("secret".into()));
    let base_url = match api {
        "bedrock-converse-stream" => url.to_string(),
        "google-generative-ai" => format!("{url}/v1beta"),
        _ => format!("{url}/v1"),
    };
    let access = Access { base_url, key, kind, account, ..Access::default() };
    let clock: SharedClock = ManualClock::new(1_000);
    (dialect.build)(Setup {
        provider: "acme".into(),
        keys: Arc::new(FixedAccess(access)),
        variables: Variables::default(),
        idle_timeout: None,
        http: Arc::new(Http::new(Limits::default(), false)),
        clock,
    })
}

/// A model that thinks, as its wire tells by the name.
fn model_name(api: &str) -> &'static str {
    match api {
        "anthropic-messages" => "claude-opus-5-5",
        "bedrock-converse-stream" => "us.anthropic.claude-opus-5-5",
        "google-generative-ai" | "google-vertex" => "gemini-3-pro",
        _ => "gpt-x",
    }
}

pub fn request(api: &str) -> Request {
    let parameters =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let (name, description) = ("read".to_string(), "reads".to_string());
    Request {
        model: Model { reasoning: true, ..Model::unknown("acme", model_name(api), api, "") },
        system: vec!["be brief".into()],
        messages: vec![Message::User(UserMessage::text("hi", 0))],
        tools: vec![ToolSpec { name, description, parameters, ..ToolSpec::default() }],
        thinking: Thinking::High,
        session_id: Some("s-1".into()),
        // By this word the mock knows whom to answer as Mistral does.
        headers: api
            .contains("mistral")
            .then(|| ("user-agent".into(), "bowline (mistral)".into()))
            .into_iter()
            .collect(),
        ..Request::default()
    }
}

async fn ask(adapter: &dyn Provider, request: &Request) -> (Option<ErrorKind>, AssistantMessage) {
    let events: Vec<_> = adapter.stream(request.clone()).collect().await;
    match events.last().unwrap() {
        StreamEvent::Done { message } => (None, (**message).clone()),
        StreamEvent::Error { error, message } => (Some(error.kind), (**message).clone()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn mock_parallel_tool_calls_work_over_every_wire() {
    for api in WIRES {
        let read = |path: &str| json!({"name": "read", "args": {"path": path}});
        let calls = json!({"tool_calls": [read("a"), read("b")], "interleave": true, "chunk": 3});
        let steps = json!([{"thinking": "hm"}, {"text": "Grüße, 世界"}, calls]);
        // Its marks of server-sent events would be garbage between binary frames.
        let binary = api.starts_with("bedrock");
        let sse =
            json!({"split": "utf8", "eol": "crlf", "comments": true, "bom": true, "extra_fields": true});
        let turns = json!([
            {"match": {"round": 0}, "steps": steps, "wire": if binary { json!({"split": "utf8"}) } else { sse }},
            {"match": {"round": 1}, "steps": [{"text": "done"}]}]);
        let Some(mock) = Mock::start(&json!({"name": "t", "check": "strict", "turns": turns})) else {
            return;
        };
        let adapter = adapter(api, &mock.url);
        let mut request = request(api);
        let (error, message) = ask(&*adapter, &request).await;
        assert_eq!(
            (error, message.text().as_str()),
            (None, "Grüße, 世界"),
            "{api}: {:?}",
            message.error_message
        );
        assert_eq!(message.stop_reason, StopReason::ToolUse, "{api}");
        let thought = message.content.iter().find_map(|part| match part {
            Part::Known(KnownPart::Thinking { thinking, .. }) => Some(thinking.as_str()),
            _ => None,
        });
        assert_eq!(thought, Some("hm"), "{api}");
        let calls: Vec<_> = message.tool_calls().cloned().collect();
        let paths: Vec<_> = calls.iter().map(|call| call.arguments["path"].clone()).collect();
        assert_eq!(paths, ["a", "b"], "{api}");
        assert!(message.usage.output > 0, "{api}");
        request.messages.push(Message::Assistant(message));
        request.messages.extend(calls.into_iter().map(|call| {
            Message::ToolResult(ToolResultMessage {
                tool_call_id: call.id,
                tool_name: call.name,
                content: vec![Part::text("text of it")],
                details: None,
                is_error: false,
                timestamp: 0,
                extra: serde_json::Map::new(),
            })
        }));
        let (error, message) = ask(&*adapter, &request).await;
        assert_eq!((error, message.text().as_str()), (None, "done"), "{api}: {:?}", message.error_message);
    }
}

#[tokio::test]
async fn mock_errors_are_classified() {
    for (name, expected) in [
        ("auth", ErrorKind::Authentication),
        ("permission", ErrorKind::AccessDenied),
        ("not_found", ErrorKind::NotFound),
        ("bad_request", ErrorKind::InvalidRequest),
        ("context_overflow", ErrorKind::ContextLength),
        ("too_large", ErrorKind::ContextLength),
        ("rate_limit", ErrorKind::RateLimit),
        ("quota", ErrorKind::Quota),
        ("server_error", ErrorKind::Server),
        ("unavailable", ErrorKind::Server),
        ("overloaded", ErrorKind::Server),
    ] {
        let turns = json!([{"times": null, "steps": [{"error": name}]}]);
        let Some(mock) = Mock::start(&json!({"name": "t", "turns": turns})) else { return };
        for api in WIRES {
            let (error, message) = ask(&*adapter(api, &mock.url), &request(api)).await;
            assert_eq!(error, Some(expected), "{api} {name}: {:?}", message.error_message);
        }
    }
}

#[tokio::test]
async fn mock_stream_faults_keep_partial_text() {
    for fault in [
        json!({"truncate": true}),
        json!({"truncate": "mid-event"}),
        json!({"close": true}),
        json!({"close": "mid-event"}),
        json!({"malformed": true}),
        json!({"error": {"kind": "server_error", "in_stream": true}}),
    ] {
        let turns = json!([{"times": null, "steps": [{"text": "half"}, {"delay": 0.05}, fault]}]);
        let Some(mock) = Mock::start(&json!({"name": "t", "turns": turns})) else { return };
        for api in WIRES {
            let (error, message) = ask(&*adapter(api, &mock.url), &request(api)).await;
            assert!(
                matches!(error, Some(ErrorKind::Stream | ErrorKind::Server)),
                "{api} {fault}: {error:?} {:?}",
                message.error_message
            );
            assert_eq!(message.text(), "half", "{api} {fault}");
        }
    }
}
