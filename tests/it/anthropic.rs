//! The Anthropic adapter over a real socket: what it sends, and what it makes of every kind of
//! answer and fault.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bowline::base::clock::{ManualClock, SharedClock};
use bowline::llm::access::{Access, KeyKind};
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

use crate::support::anthropic as wire;
use crate::support::dialect;
use crate::support::server::{Piece, Reply, Server, bytes};

fn client(url: &str, key: Option<&str>) -> Client {
    let mut vars = HashMap::from([("ANTHROPIC_BASE_URL".to_string(), url.to_string())]);
    vars.extend(key.map(|key| ("ANTHROPIC_API_KEY".to_string(), key.to_string())));
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
async fn anthropic_request_has_required_fields_only() {
    let server = Server::start(vec![wire::text_reply("hello"), wire::text_reply("again")]);
    let with_key = client(&server.url, Some("secret"));
    let events: Vec<_> = with_key.stream(request(&with_key)).collect().await;
    assert_eq!((expect_done(&events).text().as_str(), expect_done(&events).timestamp), ("hello", 1_000));
    collect_events(&server.url).await;
    let seen = server.requests();
    let header = |at: usize, name: &str| seen[at].headers.get(name).map(String::as_str);
    assert_eq!(seen[0].path, "/v1/messages");
    assert_eq!(header(0, "x-api-key"), Some("secret"));
    assert_eq!(header(1, "x-api-key"), None, "this machine needs no key");
    assert_eq!(header(0, "anthropic-version"), Some("2023-06-01"));
    assert_eq!(header(0, "anthropic-beta"), Some("thinking-binding-controls-2026-08-01"));
    for name in ["temperature", "top_p", "top_k"] {
        assert_eq!(seen[0].body.get(name), None);
    }
    assert_eq!(seen[0].body["max_tokens"], 128_000);
    assert_eq!(seen[0].body["output_config"], json!({"effort": "high"}));
    assert_eq!(seen[0].body, seen[1].body, "equal requests are equal bytes");
}

#[tokio::test]
async fn anthropic_stream_decodes_any_chunk_boundaries() {
    let words = "Grüße, 世界! 👩‍👩‍👧‍👦 done";
    let whole = bytes(&[wire::open(), wire::text(0, &[words]), wire::close("end_turn")].concat());
    for size in [1, 3, 7] {
        let pieces = whole.chunks(size).map(|c| Piece::Raw(c.to_vec())).collect();
        let server = Server::start(vec![Reply::Stream(pieces)]);
        let events = collect_events(&server.url).await;
        assert_eq!(expect_done(&events).text(), words, "pieces of {size}");
        let deltas = events.iter().filter_map(|e| match e {
            StreamEvent::TextDelta { delta, .. } => Some(delta.as_str()),
            _ => None,
        });
        assert_eq!(deltas.collect::<String>(), words);
    }
}

#[tokio::test]
async fn anthropic_http_errors_are_classified() {
    let limited = Reply::Status {
        code: 429,
        headers: vec![("retry-after", "7".into())],
        body: json!({"error": {"type": "rate_limit_error", "message": "slow down"}}).to_string(),
    };
    let replies = vec![
        wire::error_reply(401, "authentication_error", "invalid x-api-key"),
        limited,
        wire::error_reply(529, "overloaded_error", "Overloaded"),
        wire::error_reply(400, "invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum"),
        Reply::Status { code: 502, headers: vec![], body: "<html>bad gateway</html>".into() },
    ];
    let server = Server::start(replies);
    let expected = [
        (ErrorKind::Authentication, Some(401), false),
        (ErrorKind::RateLimit, Some(429), true),
        (ErrorKind::Server, Some(529), true),
        (ErrorKind::ContextLength, Some(400), false),
        (ErrorKind::Server, Some(502), true),
    ];
    for (kind, status, retryable) in expected {
        let (error, message) = expect_error(&collect_events(&server.url).await);
        assert_eq!((error.kind, error.status, error.retryable()), (kind, status, retryable), "{error}");
        assert_eq!(
            (message.stop_reason, message.error_message),
            (StopReason::Error, Some(error.message.clone()))
        );
        if kind == ErrorKind::RateLimit {
            assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
        }
    }
}

#[tokio::test]
async fn anthropic_interrupted_stream_error_keeps_partial_text() {
    let begun = || [wire::open(), wire::text(0, &["half"])].concat();
    let mid_event = [begun(), vec![Piece::Raw(b"event: content_block_de".to_vec())]].concat();
    let in_stream = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let cases = [
        (begun(), ErrorKind::Stream),
        (mid_event, ErrorKind::Stream),
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
async fn anthropic_connection_refused_is_network_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let (error, _) = expect_error(&collect_events(&url).await);
    assert_eq!(error.kind, ErrorKind::Network);
    assert!(error.message.contains("refused"), "{error}");
    assert!(error.message.ends_with(&format!("(is the server at {url} running?)")), "{error}");
}

#[tokio::test]
async fn anthropic_dropped_stream_closes_connection() {
    let pieces = [wire::open(), wire::text(0, &["half"]), vec![Piece::Gate]].concat();
    let server = Server::start(vec![Reply::Stream(pieces)]);
    let client = client(&server.url, None);
    let mut stream = client.stream(request(&client));
    while let Some(event) = stream.next().await {
        if matches!(event, StreamEvent::TextEnd { .. }) {
            break;
        }
    }
    drop(stream);
    tokio::task::spawn_blocking(move || server.wait_for_hang_up()).await.unwrap();
}

#[tokio::test]
async fn anthropic_auth_header_matches_key_kind() {
    let cases = [
        (KeyKind::Key, "k", Some("k"), None, None),
        (KeyKind::Bearer, "b", None, Some("Bearer b"), None),
        (KeyKind::Login, "l", None, Some("Bearer l"), Some("oauth-2025-04-20")),
        (KeyKind::Key, "sk-ant-oat01-x", None, Some("Bearer sk-ant-oat01-x"), Some("oauth-2025-04-20")),
    ];
    for (kind, key, api_key, bearer, beta) in cases {
        let server = Server::start(vec![wire::text_reply("hello")]);
        let access = Access { kind, ..dialect::access(&server.url, Some(key)) };
        let adapter = dialect::adapter("anthropic-messages", access, &[], None);
        let mut request = dialect::request("anthropic-messages", "claude-x");
        request.thinking = Thinking::Off;
        assert_eq!(expect_done(&dialect::collect_events(&adapter, request).await).text(), "hello");
        let seen = server.requests().remove(0);
        let header = |name: &str| seen.headers.get(name).map(String::as_str);
        assert_eq!((header("x-api-key"), header("authorization")), (api_key, bearer));
        assert_eq!(header("anthropic-beta"), beta);
        assert!(header("user-agent").unwrap().starts_with("bowline/"));
        assert_eq!(seen.body["system"][0]["text"], "be brief", "no other product's words come first");
        assert_eq!(seen.body["tools"][0]["name"], "read");
    }
}

#[tokio::test]
async fn anthropic_session_and_beta_headers_are_sent() {
    let server = Server::start(vec![wire::text_reply("hello")]);
    let adapter = dialect::adapter("anthropic-messages", dialect::access(&server.url, None), &[], None);
    let mut request = dialect::request("anthropic-messages", "claude-x");
    request.model.compat.insert("sendSessionAffinityHeaders".into(), true.into());
    request.session_id = Some("session-1".into());
    let options = json!({"beta_headers": ["one", "two"]});
    request.provider_options.insert("acme".into(), options);
    dialect::collect_events(&adapter, request).await;
    let seen = server.requests().remove(0);
    assert_eq!(seen.headers["x-session-affinity"], "session-1");
    assert_eq!(seen.headers["anthropic-beta"], "interleaved-thinking-2025-05-14,one,two");
}
