//! The adapter of Amazon Bedrock over a real socket: what it sends, and what it makes of every
//! kind of answer and fault. Where its keys come from is in `bedrock_keys`.

use bowline::llm::model::{ErrorKind, StopReason, StreamEvent};
use futures::StreamExt;
use serde_json::json;

use crate::support::dialect::{access, adapter, collect_events, expect_done, expect_error, request};
use crate::support::frames::{event, exception};
use crate::support::server::{Piece, Reply, Server, bytes};

pub const API: &str = "bedrock-converse-stream";
pub const MODEL: &str = "us.anthropic.claude-opus-5-5-v1:0";
pub const KEYS: [(&str, &str); 3] =
    [("AWS_ACCESS_KEY_ID", "AKID"), ("AWS_SECRET_ACCESS_KEY", "hidden"), ("AWS_REGION", "eu-west-1")];

fn open_text(words: &str) -> Vec<Piece> {
    vec![
        event("messageStart", &json!({"role": "assistant"})),
        event("contentBlockDelta", &json!({"contentBlockIndex": 0, "delta": {"text": words}})),
    ]
}

/// A whole answer of one text.
pub fn text_pieces(words: &str) -> Vec<Piece> {
    let usage = json!({"inputTokens": 12, "outputTokens": 3, "cacheReadInputTokens": 5});
    let close = [
        event("contentBlockStop", &json!({"contentBlockIndex": 0})),
        event("messageStop", &json!({"stopReason": "end_turn"})),
        event("metadata", &json!({"usage": usage, "metrics": {"latencyMs": 1}})),
    ];
    [open_text(words), close.to_vec()].concat()
}

#[tokio::test]
async fn bedrock_request_is_signed_with_environment_keys() {
    let server = Server::start(vec![Reply::Stream(text_pieces("hello"))]);
    let vars = [&KEYS[..], &[("AWS_SESSION_TOKEN", "session")]].concat();
    let adapter = adapter(API, access(&server.url, None), &vars, None);
    let message = expect_done(&collect_events(&adapter, request(API, MODEL)).await);
    assert_eq!((message.text().as_str(), message.stop_reason), ("hello", StopReason::Stop));
    assert_eq!((message.usage.input, message.usage.cache_read, message.usage.output), (12, 5, 3));
    let seen = server.requests().remove(0);
    assert_eq!(seen.path, "/model/us.anthropic.claude-opus-5-5-v1%3A0/converse-stream");
    assert_eq!(seen.body["messages"][0]["content"][0]["text"], "hi");
    assert_eq!(seen.headers["x-amz-date"], "20231114T221320Z");
    assert_eq!(seen.headers["x-amz-security-token"], "session");
    assert!(seen.headers["user-agent"].starts_with("bowline/"));
    let names = "content-type;host;x-amz-date;x-amz-security-token";
    let place = "AKID/20231114/eu-west-1/bedrock/aws4_request";
    let start = format!("AWS4-HMAC-SHA256 Credential={place}, SignedHeaders={names}, Signature=");
    let signature = seen.headers["authorization"].strip_prefix(&start).unwrap();
    assert!(signature.len() == 64 && signature.bytes().all(|byte| byte.is_ascii_hexdigit()));
}

#[tokio::test]
async fn bedrock_bearer_token_is_sent_unless_skip_auth() {
    let token = ("AWS_BEARER_TOKEN_BEDROCK", "tok");
    for (key, vars, expected) in [
        (Some("given"), vec![], Some("Bearer given")),
        (None, vec![token], Some("Bearer tok")),
        (None, vec![token, ("AWS_BEDROCK_SKIP_AUTH", "1")], None),
    ] {
        let server = Server::start(vec![Reply::Stream(text_pieces("hello"))]);
        let root = "https://bedrock-runtime.us-east-1.amazonaws.com";
        let vars = [vars, vec![("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url.as_str())]].concat();
        let adapter = adapter(API, access(root, key), &vars, None);
        assert_eq!(expect_done(&collect_events(&adapter, request(API, MODEL)).await).text(), "hello");
        let seen = server.requests();
        assert_eq!(seen[0].headers.get("authorization").map(String::as_str), expected);
    }
}

#[tokio::test]
async fn bedrock_stream_decodes_any_chunk_boundaries() {
    let words = "Grüße, 世界! 👩‍👩‍👧‍👦 done";
    for size in [1, 3, 7] {
        let pieces = bytes(&text_pieces(words)).chunks(size).map(|c| Piece::Raw(c.to_vec())).collect();
        let server = Server::start(vec![Reply::Stream(pieces)]);
        let adapter = adapter(API, access(&server.url, Some("k")), &[], None);
        assert_eq!(
            expect_done(&collect_events(&adapter, request(API, MODEL)).await).text(),
            words,
            "pieces of {size}"
        );
    }
}

#[tokio::test]
async fn bedrock_http_errors_are_classified() {
    for (code, message, kind) in [
        (400, "Input is too long for requested model.", ErrorKind::ContextLength),
        (403, "The security token included in the request is invalid.", ErrorKind::Authentication),
        (403, "You don't have access to the model with the specified model ID.", ErrorKind::AccessDenied),
        (424, "The model failed.", ErrorKind::Server),
        (429, "Too many tokens, please wait before trying again.", ErrorKind::RateLimit),
        (503, "Service unavailable", ErrorKind::Server),
    ] {
        let body = json!({"message": message}).to_string();
        let headers = vec![("x-amzn-errortype", "SomeException".to_string())];
        let server = Server::start(vec![Reply::Status { code, headers, body }]);
        let adapter = adapter(API, access(&server.url, None), &KEYS, None);
        let (error, _) = expect_error(&collect_events(&adapter, request(API, MODEL)).await);
        assert_eq!(error.kind, kind, "{error}");
        assert!(error.message.contains(message) && !format!("{error:?}").contains("hidden"));
    }
}

#[tokio::test]
async fn bedrock_interrupted_stream_error_keeps_partial_text() {
    let slow = json!({"message": "Too many requests"});
    let broken = || match event("messageStop", &json!({})) {
        Piece::Raw(mut bytes) => {
            *bytes.last_mut().unwrap() ^= 1;
            Piece::Raw(bytes)
        }
        other => other,
    };
    for (more, kind) in [
        (vec![], ErrorKind::Stream),
        (vec![Piece::Cut], ErrorKind::Stream),
        (vec![broken()], ErrorKind::Stream),
        (vec![exception("throttlingException", &slow)], ErrorKind::RateLimit),
        (vec![Piece::Gate], ErrorKind::Timeout),
        (
            vec![event("messageStop", &json!({"stopReason": "guardrail_intervened"}))],
            ErrorKind::ContentFilter,
        ),
    ] {
        let server = Server::start(vec![Reply::Stream([open_text("half"), more].concat())]);
        let adapter = adapter(API, access(&server.url, Some("k")), &[], None);
        let (error, message) = expect_error(&collect_events(&adapter, request(API, MODEL)).await);
        assert_eq!((error.kind, message.text().as_str()), (kind, "half"), "{error}");
    }
}

#[tokio::test]
async fn bedrock_dropped_stream_closes_connection() {
    let server = Server::start(vec![Reply::Stream([open_text("half"), vec![Piece::Gate]].concat())]);
    let adapter = adapter(API, access(&server.url, Some("k")), &[], None);
    let mut stream = adapter.stream(request(API, MODEL));
    while !matches!(stream.next().await, Some(StreamEvent::TextDelta { .. })) {}
    drop(stream);
    tokio::task::spawn_blocking(move || server.wait_for_hang_up()).await.unwrap();
}
