//! The Mistral adapter over a real socket: what it sends, and what it makes of answers and faults.

use std::sync::Arc;
use std::time::Duration;

use bowline::base::clock::{ManualClock, SharedClock};
use bowline::llm::access::{Access, ApiKey, FixedAccess, Variables};
use bowline::llm::model::{
    AssistantMessage, ErrorKind, KnownPart, Message, Model, Part, Request, StreamEvent, Thinking, UserMessage,
};
use bowline::llm::providers::{DIALECTS, Setup};
use bowline::net::http::{Http, Limits};
use futures::StreamExt;
use serde_json::json;

use crate::support::openai as wire;
use crate::support::server::{Piece, Reply, Server, bytes};

async fn collect_events(url: &str) -> Vec<StreamEvent> {
    let dialect = DIALECTS.iter().find(|dialect| dialect.id == "mistral-conversations").unwrap();
    let limits = Limits { idle_timeout: Duration::from_millis(150), ..Limits::default() };
    let clock: SharedClock = ManualClock::new(1_000);
    let access = Access { base_url: url.into(), key: Some(ApiKey("secret".into())), ..Access::default() };
    let adapter = (dialect.build)(Setup {
        provider: "mistral".into(),
        keys: Arc::new(FixedAccess(access)),
        variables: Variables::default(),
        idle_timeout: None,
        http: Arc::new(Http::new(limits, false)),
        clock,
    });
    let request = Request {
        model: Model { reasoning: true, ..Model::unknown("mistral", "m", "mistral-conversations", "") },
        system: vec!["be brief".into()],
        messages: vec![Message::User(UserMessage::text("hi", 0))],
        thinking: Thinking::High,
        session_id: Some("s-1".into()),
        ..Request::default()
    };
    adapter.stream(request).collect().await
}

fn last_result(events: &[StreamEvent]) -> (Option<ErrorKind>, AssistantMessage) {
    match events.last().unwrap() {
        StreamEvent::Done { message } => (None, (**message).clone()),
        StreamEvent::Error { error, message } => (Some(error.kind), (**message).clone()),
        other => panic!("{other:?}"),
    }
}

fn thinking_piece(words: &str) -> Piece {
    wire::delta(&json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": words}]}]}))
}

#[tokio::test]
async fn mistral_request_and_chunked_stream_are_valid() {
    let words = "Grüße, 世界!";
    let whole = [vec![thinking_piece("hm")], wire::text(&[words]), wire::close("stop")].concat();
    let pieces = bytes(&whole).chunks(3).map(|chunk| Piece::Raw(chunk.to_vec())).collect();
    let server = Server::start(vec![Reply::Stream(pieces)]);
    let (error, message) = last_result(&collect_events(&server.url).await);
    assert_eq!((error, message.text().as_str()), (None, words));
    assert!(
        matches!(&message.content[0], Part::Known(KnownPart::Thinking { thinking, .. }) if thinking == "hm")
    );
    assert_eq!((message.usage.input, message.usage.cache_read, message.usage.output), (4, 8, 9));
    let seen = &server.requests()[0];
    assert_eq!(seen.path, "/v1/chat/completions");
    let header = |name: &str| seen.headers.get(name).map(String::as_str);
    assert_eq!((header("authorization"), header("x-affinity")), (Some("Bearer secret"), Some("s-1")));
    assert!(header("user-agent").is_some_and(|agent| agent.starts_with("bowline/")));
    assert_eq!(
        (&seen.body["prompt_mode"], &seen.body["prompt_cache_key"]),
        (&json!("reasoning"), &json!("s-1"))
    );
    assert_eq!(seen.body.get("stream_options"), None, "it counts without being asked");
}

#[tokio::test]
async fn mistral_errors_are_classified_and_keep_partial_text() {
    let half = || wire::text(&["half"]);
    let status =
        |code: u16, body: serde_json::Value| Reply::Status { code, headers: vec![], body: body.to_string() };
    let overflow = "Prompt contains 9 tokens, too large for model with 8 maximum context length";
    for (reply, kind, text) in [
        (status(401, json!({"detail": "Unauthorized"})), ErrorKind::Authentication, ""),
        (
            status(400, json!({"message": overflow, "type": "invalid_request_error"})),
            ErrorKind::ContextLength,
            "",
        ),
        (
            status(429, json!({"message": "Rate limit exceeded", "type": "rate_limited"})),
            ErrorKind::RateLimit,
            "",
        ),
        (Reply::Stream(half()), ErrorKind::Stream, "half"),
        (Reply::Stream([half(), vec![Piece::Cut]].concat()), ErrorKind::Stream, "half"),
        (Reply::Stream([half(), vec![Piece::Gate]].concat()), ErrorKind::Timeout, "half"),
        (Reply::Stream([half(), wire::close("error")].concat()), ErrorKind::Server, "half"),
    ] {
        let server = Server::start(vec![reply]);
        let (error, message) = last_result(&collect_events(&server.url).await);
        assert_eq!((error, message.text().as_str()), (Some(kind), text), "{:?}", message.error_message);
    }
}
