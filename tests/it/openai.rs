//! The Chat Completions adapter over a real socket: what it sends, and what it makes of every
//! kind of answer and fault.

use std::collections::HashMap;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use bowline::base::clock::{ManualClock, SharedClock};
use bowline::llm::auth::Credentials;
use bowline::llm::catalog::Catalog;
use bowline::llm::client::Client;
use bowline::llm::model::{
    AssistantMessage, ErrorKind, LlmError, Message, Request, StopReason, StreamEvent, Thinking, ToolChoice,
    ToolSpec, UserMessage,
};
use bowline::net::http::{Http, Limits};
use futures::StreamExt;
use serde_json::json;

use crate::support::openai as wire;
use crate::support::server::{Piece, Reply, Server, bytes};

fn client(url: &str, key: Option<&str>) -> Client {
    let mut vars = HashMap::from([("OPENAI_BASE_URL".to_string(), url.to_string())]);
    vars.extend(key.map(|key| ("OPENAI_API_KEY".to_string(), key.to_string())));
    let limits = Limits { idle_timeout: Duration::from_millis(150), ..Limits::default() };
    let http = Arc::new(Http::new(limits, false));
    let clock: SharedClock = ManualClock::new(1_000);
    Client::assemble(Catalog::builtin(), &Credentials::new(vars), Vec::new(), &http, &clock, true)
}

fn request(client: &Client) -> Request {
    Request {
        model: (*client.models()[0]).clone(),
        system: vec!["be brief".into()],
        messages: vec![Message::User(UserMessage::text("hi", 0))],
        tools: vec![ToolSpec {
            name: "read".into(),
            description: "reads".into(),
            parameters: json!({"type": "object"}),
            ..ToolSpec::default()
        }],
        tool_choice: ToolChoice::Auto,
        thinking: Thinking::High,
        max_tokens: None,
        session_id: None,
        ..Request::default()
    }
}

async fn collect_events(url: &str) -> Vec<StreamEvent> {
    let client = client(url, None);
    client.stream(request(&client)).collect().await
}

fn expect_done(events: &[StreamEvent]) -> AssistantMessage {
    match events.last().unwrap() {
        StreamEvent::Done { message } => (**message).clone(),
        other => panic!("{other:?}"),
    }
}

fn expect_error(events: &[StreamEvent]) -> (LlmError, AssistantMessage) {
    match events.last().unwrap() {
        StreamEvent::Error { error, message } => (error.clone(), (**message).clone()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn openai_request_has_required_fields_only() {
    let server = Server::start(vec![wire::text_reply("hello"), wire::text_reply("again")]);
    let with_key = client(&format!("{}/v1", server.url), Some("secret"));
    let events: Vec<_> = with_key.stream(request(&with_key)).collect().await;
    let message = expect_done(&events);
    assert_eq!((message.text().as_str(), message.timestamp), ("hello", 1_000));
    assert_eq!((message.usage.input, message.usage.cache_read, message.usage.output), (4, 8, 9));
    collect_events(&server.url).await;
    let seen = server.requests();
    let header = |at: usize, name: &str| seen[at].headers.get(name).map(String::as_str);
    assert_eq!((seen[0].path.as_str(), &seen[0].path), ("/v1/chat/completions", &seen[1].path));
    assert_eq!(header(0, "authorization"), Some("Bearer secret"));
    assert_eq!(header(1, "authorization"), None, "this machine needs no key");
    for name in ["temperature", "top_p", "max_tokens"] {
        assert_eq!(seen[0].body.get(name), None);
    }
    assert_eq!(seen[0].body["stream_options"], json!({"include_usage": true}));
    assert_eq!(seen[0].body, seen[1].body, "equal requests are equal bytes");
}

#[tokio::test]
async fn openai_stream_decodes_any_chunk_boundaries() {
    let words = "Grüße, 世界! 👩‍👩‍👧‍👦 done";
    let whole = bytes(&[wire::text(&[words]), wire::close("stop")].concat());
    for size in [1, 3, 7] {
        let pieces = whole.chunks(size).map(|c| Piece::Raw(c.to_vec())).collect();
        let server = Server::start(vec![Reply::Stream(pieces)]);
        assert_eq!(expect_done(&collect_events(&server.url).await).text(), words, "pieces of {size}");
    }
}

#[tokio::test]
async fn openai_http_errors_are_classified() {
    let limited = Reply::Status {
        code: 429,
        headers: vec![("retry-after", "7".into())],
        body: json!({"error": {"code": "rate_limit_exceeded", "message": "slow down"}}).to_string(),
    };
    let server = Server::start(vec![
        wire::error_reply(401, "invalid_api_key", "Incorrect API key provided"),
        wire::error_reply(403, "", "not from here"),
        wire::error_reply(404, "model_not_found", "no such model"),
        limited,
        wire::error_reply(429, "insufficient_quota", "pay first"),
        wire::error_reply(400, "", "This model's maximum context length is 8192 tokens"),
        Reply::Status { code: 503, headers: vec![], body: "<html>busy</html>".into() },
    ]);
    let expected = [
        (ErrorKind::Authentication, 401, false, "(check OPENAI_API_KEY)"),
        (ErrorKind::AccessDenied, 403, false, "(check OPENAI_API_KEY)"),
        (ErrorKind::NotFound, 404, false, &format!("the base URL {})", server.url)),
        (ErrorKind::RateLimit, 429, true, "slow down (send it again in a while)"),
        (ErrorKind::Quota, 429, false, "at its limit)"),
        (ErrorKind::ContextLength, 400, false, "ask for less)"),
        (ErrorKind::Server, 503, true, "busy</html> (send it again in a while)"),
    ];
    for (kind, status, retryable, end) in expected {
        let (error, message) = expect_error(&collect_events(&server.url).await);
        assert_eq!((error.kind, error.status, error.retryable()), (kind, Some(status), retryable), "{error}");
        assert!(error.message.ends_with(end), "{error}");
        assert_eq!(message.error_message, Some(error.message.clone()));
        if kind == ErrorKind::RateLimit {
            assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
        }
    }
}

#[tokio::test]
async fn openai_interrupted_stream_error_keeps_partial_text() {
    let begun = || wire::text(&["half"]);
    let in_stream = json!({"error": {"type": "server_error", "message": "Overloaded"}});
    let cases = [
        (begun(), ErrorKind::Stream),
        ([begun(), vec![Piece::Raw(b"data: {\"choi".to_vec())]].concat(), ErrorKind::Stream),
        ([begun(), vec![Piece::Cut]].concat(), ErrorKind::Stream),
        ([begun(), vec![Piece::Raw(b"data: {nonsense\n\n".to_vec())]].concat(), ErrorKind::Stream),
        ([begun(), vec![Piece::Event(in_stream)]].concat(), ErrorKind::Server),
        ([begun(), vec![Piece::Gate]].concat(), ErrorKind::Timeout),
    ];
    for (pieces, kind) in cases {
        let server = Server::start(vec![Reply::Stream(pieces)]);
        let (error, message) = expect_error(&collect_events(&server.url).await);
        assert_eq!((error.kind, message.text().as_str()), (kind, "half"), "{error}");
        assert_eq!(message.stop_reason, StopReason::Error);
    }
}

#[tokio::test]
async fn openai_error_body_with_status_200_is_reported() {
    let error = br#"{"error": {"code": 503, "message": "nobody is free"}}"#;
    let pieces = |bytes: &[u8]| vec![Piece::Raw(bytes[..9].to_vec()), Piece::Raw(bytes[9..].to_vec())];
    let blank = [vec![Piece::Raw(b"\n ".to_vec())], pieces(error), vec![Piece::Cut]].concat();
    for (pieces, kind, said) in [
        (pieces(error), ErrorKind::Server, "openai answered 503: nobody is free"),
        (blank, ErrorKind::Server, "openai answered 503: nobody is free"),
        (pieces(b"<!doctype html>\n"), ErrorKind::InvalidRequest, "no stream (check the base URL http"),
        (
            pieces("[".repeat(100_000).as_bytes()),
            ErrorKind::InvalidRequest,
            "no stream (check the base URL http",
        ),
    ] {
        let server = Server::start(vec![Reply::Stream(pieces)]);
        let (error, _) = expect_error(&collect_events(&server.url).await);
        assert!(error.kind == kind && error.message.contains(said), "{error}");
    }
}

#[tokio::test]
async fn openai_stream_without_done_marker_is_complete() {
    let mut pieces = [wire::text(&["hi"]), wire::close("stop")].concat();
    pieces.pop();
    let server = Server::start(vec![Reply::Stream(pieces)]);
    assert_eq!(expect_done(&collect_events(&server.url).await).text(), "hi");
}

#[tokio::test]
async fn openai_connection_refused_is_network_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (error, _) = expect_error(&collect_events(&url).await);
    assert_eq!(error.kind, ErrorKind::Network);
    assert!(error.message.ends_with(&format!("(is the server at {url} running?)")), "{error}");
}

#[tokio::test]
async fn openai_dropped_stream_closes_connection() {
    let pieces = [wire::text(&["half"]), vec![Piece::Gate]].concat();
    let server = Server::start(vec![Reply::Stream(pieces)]);
    let client = client(&server.url, None);
    let mut stream = client.stream(request(&client));
    while let Some(event) = stream.next().await {
        if matches!(event, StreamEvent::TextDelta { .. }) {
            break;
        }
    }
    drop(stream);
    tokio::task::spawn_blocking(move || server.wait_for_hang_up()).await.unwrap();
}

#[test]
fn openai_unknown_model_completes_tool_task() {
    let args = json!({"path": "hello.txt"});
    let server =
        Server::start(vec![wire::tool_call_reply("t1", "read", &args), wire::text_reply("It says hello.")]);
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().join("work");
    std::fs::create_dir(&work).unwrap();
    std::fs::write(work.join("hello.txt"), "hello\n").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
    command
        .args(["-p", "read it", "--provider", "openai", "--model", "gpt-x"])
        .current_dir(&work)
        .env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", dir.path()).env("BOWLINE_HOME", dir.path().join("home"));
    command.env("OPENAI_BASE_URL", format!("{}/v1", server.url)).stdin(Stdio::null());
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    assert_eq!((text(&output.stdout).as_str(), text(&output.stderr).as_str()), ("It says hello.\n", ""));
    let body = &server.requests()[1].body;
    assert_eq!(body["model"], "gpt-x");
    let result = body["messages"].as_array().unwrap().last().unwrap();
    assert_eq!((&result["role"], &result["tool_call_id"]), (&json!("tool"), &json!("t1")));
    assert!(result["content"].as_str().unwrap().contains("hello"), "{result}");
}
