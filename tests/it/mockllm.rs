//! Adapters against a mock of the providers' servers that is not ours: a Python program whose path
//! is in `BOWLINE_MOCKLLM`. Without it these tests say that they are skipped.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use bowline::base::clock::{ManualClock, SharedClock};
use bowline::llm::access::{Access, Fixed, KeyKind, Secret, Surroundings};
use bowline::llm::model::{
    AssistantMessage, ErrorKind, KnownPart, Message, Model, Part, Request, StopReason, StreamEvent, Thinking,
    ToolResultMessage, ToolSpec, UserMessage,
};
use bowline::llm::provider::Provider;
use bowline::llm::providers::{DIALECTS, Setup};
use bowline::net::http::{Http, Limits};
use futures::StreamExt;
use serde_json::{Value, json};

const WIRES: [&str; 5] = [
    "openai-responses",
    "azure-openai-responses",
    "openai-codex-responses",
    "openai-completions",
    "mistral-conversations",
];

struct Mock {
    child: Child,
    url: String,
    _dir: tempfile::TempDir,
}

impl Mock {
    /// `None` where there is no mock, or no Python to run it.
    fn start(scenario: &Value) -> Option<Self> {
        let Some(script) = std::env::var_os("BOWLINE_MOCKLLM") else {
            return left_out("BOWLINE_MOCKLLM is not set");
        };
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("scenario.json");
        std::fs::write(&file, scenario.to_string()).unwrap();
        let mut command = Command::new("python3");
        command.arg(script).arg("--scenario").arg(&file).stdout(Stdio::piped()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else { return left_out("there is no python3") };
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        Some(Self { url: told["url"].as_str().unwrap().to_string(), child, _dir: dir })
    }
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn left_out(why: &str) -> Option<Mock> {
    eprintln!("skipped: {why}");
    None
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn adapter(api: &str, url: &str) -> Arc<dyn Provider> {
    let dialect = DIALECTS.iter().find(|dialect| dialect.id == api).unwrap();
    let account = HashMap::from([("accountId".to_string(), "acc".to_string())]);
    let kind = if api.contains("codex") { KeyKind::Login } else { KeyKind::Key };
    let key = Some(Secret("secret".into()));
    let access = Access { base_url: format!("{url}/v1"), key, kind, account, ..Access::default() };
    let clock: SharedClock = ManualClock::new(1_000);
    (dialect.build)(Setup {
        provider: "acme".into(),
        keys: Arc::new(Fixed(access)),
        surroundings: Surroundings::default(),
        silence: None,
        http: Arc::new(Http::new(Limits::default(), false)),
        clock,
    })
}

fn request(api: &str) -> Request {
    let parameters =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    let (name, description) = ("read".to_string(), "reads".to_string());
    Request {
        model: Model { reasoning: true, ..Model::unknown("acme", "gpt-x", api, "") },
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
async fn a_conversation_with_parallel_calls_over_every_wire() {
    for api in WIRES {
        let read = |path: &str| json!({"name": "read", "args": {"path": path}});
        let calls = json!({"tool_calls": [read("a"), read("b")], "interleave": true, "chunk": 3});
        let steps = json!([{"thinking": "hm"}, {"text": "Grüße, 世界"}, calls]);
        let odd =
            json!({"split": "utf8", "eol": "crlf", "comments": true, "bom": true, "extra_fields": true});
        let turns = json!([
            {"match": {"round": 0}, "steps": steps, "wire": odd},
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
async fn every_error_of_the_mock_is_told_by_its_kind() {
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
async fn every_fault_of_the_mock_keeps_what_had_come() {
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
