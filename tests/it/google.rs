//! The adapter of Google's Generative Language API over a real socket: what it sends, and what it
//! makes of every kind of answer and fault.

use std::time::Duration;

use bowline::llm::model::{ErrorKind, Message, StopReason, StreamEvent};
use futures::StreamExt;
use serde_json::{Value, json};

use crate::support::dialect::{access, adapter, collect_events, expect_done, expect_error, request};
use crate::support::server::{Piece, Reply, Server, bytes};

const API: &str = "google-generative-ai";
const MODEL: &str = "gemini-3-flash-preview";

fn chunk(parts: &Value, finish: Option<&str>) -> Piece {
    let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
    if let Some(finish) = finish {
        candidate["finishReason"] = finish.into();
    }
    let usage = json!({"promptTokenCount": 12, "candidatesTokenCount": 3, "thoughtsTokenCount": 4,
        "cachedContentTokenCount": 10});
    Piece::Event(json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODEL,
        "responseId": "resp_1"}))
}

fn text_pieces(words: &[&str]) -> Vec<Piece> {
    let mut pieces: Vec<_> = words.iter().map(|text| chunk(&json!([{"text": text}]), None)).collect();
    pieces.push(chunk(&json!([{"text": ""}]), Some("STOP")));
    pieces
}

fn status(code: u16, name: &str, message: &str) -> Reply {
    let body = json!({"error": {"code": code, "message": message, "status": name}}).to_string();
    Reply::Status { code, headers: vec![("content-type", "application/json".into())], body }
}

#[tokio::test]
async fn google_request_is_complete_and_append_only() {
    let call = json!([{"functionCall": {"name": "read", "args": {"path": "a"}}, "thoughtSignature": "c2ln"}]);
    let calls = vec![chunk(&call, None), chunk(&json!([]), Some("STOP"))];
    let server = Server::start(vec![Reply::Stream(calls), Reply::Stream(text_pieces(&["hello"]))]);
    let adapter = adapter(API, access(&server.url, Some("secret")), &[], None);
    let first = expect_done(&collect_events(&adapter, request(API, MODEL)).await);
    assert_eq!(first.stop_reason, StopReason::ToolUse);
    let usage = &first.usage;
    assert_eq!((usage.input, usage.cache_read, usage.output, usage.reasoning), (2, 10, 7, Some(4)));
    let mut second = request(API, MODEL);
    second.messages.push(Message::Assistant(first));
    assert_eq!(expect_done(&collect_events(&adapter, second).await).text(), "hello");
    let seen = server.requests();
    assert_eq!(seen[0].path, format!("/v1beta/models/{MODEL}:streamGenerateContent?alt=sse"));
    assert_eq!(seen[0].headers["x-goog-api-key"], "secret");
    assert!(seen[0].headers["user-agent"].starts_with("bowline/"));
    assert_eq!(seen[1].body["contents"][1]["parts"][0]["thoughtSignature"], "c2ln");
    let text = |at: usize| seen[at].body.to_string();
    let shorter = text(0);
    assert!(text(1).starts_with(shorter.strip_suffix("]}").unwrap()), "turn two begins with turn one");
}

#[tokio::test]
async fn google_stream_decodes_any_chunk_boundaries() {
    let words = "Grüße, 世界! 👩‍👩‍👧‍👦 done";
    for size in [1, 3, 7] {
        let pieces = bytes(&text_pieces(&[words])).chunks(size).map(|c| Piece::Raw(c.to_vec())).collect();
        let server = Server::start(vec![Reply::Stream(pieces)]);
        let adapter = adapter(API, access(&server.url, None), &[], None);
        let events = collect_events(&adapter, request(API, MODEL)).await;
        assert_eq!(expect_done(&events).text(), words, "pieces of {size}");
    }
}

#[tokio::test]
async fn google_http_errors_are_classified() {
    let quota = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
        "message": "You exceeded your current quota, please check your plan and billing details.",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}]}});
    let too_long = "The input token count (215432) exceeds the maximum number of tokens allowed (200000).";
    let cases = [
        (
            status(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
            ErrorKind::Authentication,
        ),
        (Reply::Status { code: 429, headers: vec![], body: quota.to_string() }, ErrorKind::RateLimit),
        (status(503, "UNAVAILABLE", "The model is overloaded. Please try again later."), ErrorKind::Server),
        (status(400, "INVALID_ARGUMENT", too_long), ErrorKind::ContextLength),
        (status(404, "NOT_FOUND", "models/x is not found for API version v1beta"), ErrorKind::NotFound),
    ];
    for (reply, kind) in cases {
        let server = Server::start(vec![reply]);
        let adapter = adapter(API, access(&server.url, Some("secret")), &[], None);
        let (error, message) = expect_error(&collect_events(&adapter, request(API, MODEL)).await);
        assert_eq!((error.kind, message.stop_reason), (kind, StopReason::Error), "{error}");
        assert!(!format!("{error:?}").contains("secret"));
        if kind == ErrorKind::RateLimit {
            assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
        }
    }
}

#[tokio::test]
async fn google_interrupted_stream_error_keeps_partial_text() {
    let begun = || vec![chunk(&json!([{"text": "half"}]), None)];
    let in_stream = json!({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}});
    let cases = [
        (begun(), ErrorKind::Stream),
        ([begun(), vec![Piece::Cut]].concat(), ErrorKind::Stream),
        ([begun(), vec![Piece::Raw(b"data: {nonsense\n\n".to_vec())]].concat(), ErrorKind::Stream),
        ([begun(), vec![Piece::Event(in_stream)]].concat(), ErrorKind::Server),
        ([begun(), vec![Piece::Gate]].concat(), ErrorKind::Timeout),
        ([begun(), vec![chunk(&json!([]), Some("SAFETY"))]].concat(), ErrorKind::ContentFilter),
    ];
    for (pieces, kind) in cases {
        let server = Server::start(vec![Reply::Stream(pieces)]);
        let adapter = adapter(API, access(&server.url, None), &[], None);
        let (error, message) = expect_error(&collect_events(&adapter, request(API, MODEL)).await);
        assert_eq!((error.kind, message.text().as_str()), (kind, "half"), "{error}");
    }
}

#[tokio::test]
async fn google_dropped_stream_closes_connection() {
    let pieces = vec![chunk(&json!([{"text": "half"}]), None), Piece::Gate];
    let server = Server::start(vec![Reply::Stream(pieces)]);
    let adapter = adapter(API, access(&server.url, None), &[], None);
    let mut stream = adapter.stream(request(API, MODEL));
    while !matches!(stream.next().await, Some(StreamEvent::TextDelta { .. })) {}
    drop(stream);
    tokio::task::spawn_blocking(move || server.wait_for_hang_up()).await.unwrap();
}
