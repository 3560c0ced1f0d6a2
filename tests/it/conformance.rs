//! Every dialect runs the same cases over a real socket: texts, thinking, calls, images, forms,
//! caches, refusals, and streams that stall, break off, or make no sense. A dialect without a wire
//! of its own in `support::wires` fails.

use std::sync::Arc;
use std::time::Duration;

use bowline::base::clock::ManualClock;
use bowline::llm::access::{Access, ApiKey, FixedAccess, Variables};
use bowline::llm::model::{
    AssistantMessage, ErrorKind, KnownPart, LlmError, Message, Model, Part, Request, ResponseFormat,
    StopReason, StreamEvent, Thinking, ToolChoice, ToolResultMessage, ToolSpec, UserMessage,
};
use bowline::llm::provider::Provider;
use bowline::llm::providers::{DIALECTS, Setup};
use bowline::net::http::{Http, Limits, Transport};
use futures::StreamExt;
use serde_json::{Map, Value, json};

use crate::support::server::{Piece, Reply, Server};
use crate::support::wires::{Answer, AnswerPart, Feature, TokenCounts, WIRES, Wire, WireStop};

/// Dialects that speak to nobody.
const INNER: [&str; 2] = ["demo", "scripted"];

#[test]
fn dialects_all_have_test_wire() {
    let mut apis: Vec<&str> = DIALECTS.iter().map(|row| row.id).filter(|id| !INNER.contains(id)).collect();
    let mut wires: Vec<&str> = WIRES.iter().map(|wire| wire.api()).collect();
    apis.sort_unstable();
    wires.sort_unstable();
    wires.dedup();
    assert_eq!(apis, wires);
}

pub fn model(wire: &dyn Wire) -> Model {
    let input = vec!["text".to_string(), "image".to_string()];
    let mut model = Model { input, ..Model::unknown("acme", "m", wire.api(), "") };
    wire.model(&mut model);
    model
}

pub fn adapter(wire: &dyn Wire, url: &str) -> Arc<dyn Provider> {
    let row = DIALECTS.iter().find(|row| row.id == wire.api()).unwrap();
    let limits = Limits { idle_timeout: Duration::from_millis(150), ..Limits::default() };
    let transport = if wire.is_socket() { Transport::WebSocketCached } else { Transport::Sse };
    let access = Access {
        base_url: url.to_string(),
        key: Some(ApiKey("key-of-the-test".into())),
        key_name: Some("ACME_KEY".into()),
        account: wire.account().into_iter().map(|(k, v)| (k.to_string(), v.to_string())).collect(),
        ..Access::default()
    };
    (row.build)(Setup {
        provider: "acme".into(),
        keys: Arc::new(FixedAccess(access)),
        variables: Variables::default(),
        idle_timeout: None,
        http: Arc::new(Http::new(limits, true).with_transport(transport)),
        clock: ManualClock::new(1_000),
    })
}

pub fn user(text: &str) -> Message {
    Message::User(UserMessage::text(text, 0))
}

fn tool(name: &str) -> ToolSpec {
    let parameters =
        json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    ToolSpec { name: name.into(), description: format!("{name}s"), parameters, ..ToolSpec::default() }
}

pub fn request(wire: &dyn Wire) -> Request {
    Request {
        model: model(wire),
        system: vec!["be brief".into()],
        messages: vec![user("hi")],
        tools: vec![tool("read"), tool("write")],
        thinking: Thinking::High,
        session_id: Some("session-1".into()),
        ..Request::default()
    }
}

pub fn to_pieces(events: Vec<Vec<u8>>) -> Vec<Piece> {
    events.into_iter().map(Piece::Raw).collect()
}

pub async fn collect_events(wire: &dyn Wire, pieces: Vec<Piece>) -> Vec<StreamEvent> {
    let server = Server::start(vec![Reply::Stream(pieces)]);
    adapter(wire, &server.url).stream(request(wire)).collect().await
}

/// What is asked with a request.
pub async fn request_body(wire: &dyn Wire, request: Request) -> Value {
    let answer = wire.encode_events(&Answer::new(vec![AnswerPart::Text(&["ok"])]));
    let server = Server::start(vec![Reply::Stream(to_pieces(answer))]);
    let events: Vec<_> = adapter(wire, &server.url).stream(request).collect().await;
    expect_done(wire, &events);
    server.requests()[0].body.clone()
}

pub fn expect_done(wire: &dyn Wire, events: &[StreamEvent]) -> AssistantMessage {
    match events.last() {
        Some(StreamEvent::Done { message }) => (**message).clone(),
        other => panic!("{}: {other:?}", wire.api()),
    }
}

fn expect_error(wire: &dyn Wire, events: &[StreamEvent]) -> (LlmError, AssistantMessage) {
    match events.last() {
        Some(StreamEvent::Error { error, message }) => (error.clone(), (**message).clone()),
        other => panic!("{}: {other:?}", wire.api()),
    }
}

/// Starts, deltas and ends of each part are in order; joined deltas are the part's text. Where a
/// stream was damaged, a call's pieces and its whole may tell different stories.
pub fn check_event_order(wire: &dyn Wire, events: &[StreamEvent], damaged: bool) {
    let name = wire.api();
    let mut open: Vec<(usize, &'static str, String)> = Vec::new();
    let mut closed = Vec::new();
    let last = events.len() - 1;
    for (at, event) in events.iter().enumerate() {
        let mut delta = |index: &usize, kind: &str, text: &str| {
            let part = open.iter_mut().find(|part| part.0 == *index && part.1 == kind);
            part.unwrap_or_else(|| panic!("{name}: {kind} delta of part {index} that is not open")).2 += text;
        };
        match event {
            // A part that begins again begins anew, and so does the whole answer.
            StreamEvent::TextStart { index } => {
                open.retain(|part| part.0 != *index);
                open.push((*index, "text", String::new()));
            }
            StreamEvent::ThinkingStart { index } => {
                open.retain(|part| part.0 != *index);
                open.push((*index, "thinking", String::new()));
            }
            StreamEvent::Start => {
                open.clear();
                closed.clear();
            }
            StreamEvent::ToolCallStart { index, .. } => open.push((*index, "call", String::new())),
            StreamEvent::TextDelta { index, delta: text } => delta(index, "text", text),
            StreamEvent::ThinkingDelta { index, delta: text } => delta(index, "thinking", text),
            StreamEvent::ToolCallDelta { index, delta: text } => delta(index, "call", text),
            StreamEvent::TextEnd { index }
            | StreamEvent::ThinkingEnd { index }
            | StreamEvent::ToolCallEnd { index, .. } => {
                let found = open.iter().position(|part| part.0 == *index);
                closed.push(open.remove(found.unwrap_or_else(|| panic!("{name}: end of {index}"))));
            }
            StreamEvent::Done { .. } | StreamEvent::Error { .. } => assert_eq!(at, last, "{name}: more came"),
            StreamEvent::Limits(_)
            | StreamEvent::Raw { .. }
            | StreamEvent::Usage(_)
            | StreamEvent::Warning(_) => {}
            // What is new has to be judged here before it passes.
            other => panic!("{name}: {other:?}"),
        }
    }
    if let Some(StreamEvent::Done { message }) = events.last() {
        assert!(open.is_empty(), "{name}: {open:?} never ended");
        assert_deltas_are_message(name, closed, message, damaged);
    }
}

/// The joined deltas of each closed part are that part of the message.
fn assert_deltas_are_message(
    name: &str,
    closed: Vec<(usize, &str, String)>,
    message: &AssistantMessage,
    damaged: bool,
) {
    for (index, kind, text) in closed {
        match (kind, &message.content[index]) {
            ("text", Part::Known(KnownPart::Text { text: whole, .. }))
            | ("thinking", Part::Known(KnownPart::Thinking { thinking: whole, .. })) => {
                assert_eq!(*whole, text, "{name}");
            }
            ("call", Part::Known(KnownPart::ToolCall(call))) => {
                if let Ok(strict) = serde_json::from_str::<Value>(&text)
                    && !damaged
                {
                    assert_eq!(call.arguments, strict, "{name}");
                }
            }
            (kind, part) => panic!("{name}: a {kind} became {part:?}"),
        }
    }
}

fn call_part(id: &'static str, name: &'static str, args: &Value, cut: usize) -> AnswerPart {
    let text: Vec<char> = args.to_string().chars().collect();
    AnswerPart::Call { id, name, args: text.chunks(cut).map(|piece| piece.iter().collect()).collect() }
}

/// Thinking, text, two calls.
pub fn rich_answer() -> Answer {
    Answer::new(vec![
        AnswerPart::Thinking(&["let me ", "sée"], "c2lnbmF0dXJl"),
        AnswerPart::Text(&["I will ", "look: é漢👩\u{200d}🚀"]),
        call_part("call_a1", "read", &json!({"path": "a \"b\".rs"}), 3),
        call_part("call_b2", "read", &json!({"path": "ü"}), 4),
    ])
}

#[tokio::test]
async fn stream_events_are_complete_and_ordered() {
    for wire in WIRES {
        let events = collect_events(*wire, to_pieces(wire.encode_events(&rich_answer()))).await;
        check_event_order(*wire, &events, false);
        let message = expect_done(*wire, &events);
        let name = wire.api();
        assert_eq!(message.text(), "I will look: é漢👩\u{200d}🚀", "{name}");
        assert_eq!((message.stop_reason, message.timestamp), (StopReason::ToolUse, 1_000), "{name}");
        let calls: Vec<_> =
            message.tool_calls().map(|call| (call.name.clone(), call.arguments.clone())).collect();
        let expected =
            [json!({"path": "a \"b\".rs"}), json!({"path": "ü"})].map(|args| ("read".to_string(), args));
        assert_eq!(calls, expected, "{name}");
        let ids: Vec<_> = message.tool_calls().map(|call| call.id.clone()).collect();
        assert!(ids[0] != ids[1] && ids.iter().all(|id| !id.is_empty()), "{name}: {ids:?}");
        if wire.supports(Feature::CallIds) {
            assert!(ids[0].starts_with("call_a1") && ids[1].starts_with("call_b2"), "{name}: {ids:?}");
        }
        if wire.supports(Feature::Thinking) {
            let thinking = message.content.iter().find_map(|part| match part {
                Part::Known(KnownPart::Thinking { thinking, thinking_signature, .. }) => {
                    Some((thinking.clone(), thinking_signature.is_some()))
                }
                _ => None,
            });
            let (text, signed) = thinking.unwrap_or_else(|| panic!("{name}: no thinking"));
            assert_eq!(text, "let me sée", "{name}");
            assert!(signed || !wire.supports(Feature::Signatures), "{name}");
        }
    }
}

#[tokio::test]
async fn stream_any_chunk_size_gives_same_message() {
    for wire in WIRES {
        let whole =
            expect_done(*wire, &collect_events(*wire, to_pieces(wire.encode_events(&rich_answer()))).await);
        let bytes = wire.encode_events(&rich_answer()).concat();
        for size in [1, 7, bytes.len()] {
            let cut = bytes.chunks(size).map(|piece| Piece::Raw(piece.to_vec())).collect();
            let message = expect_done(*wire, &collect_events(*wire, cut).await);
            let mut expected = whole.clone();
            if !wire.supports(Feature::CallIds) {
                // Ids that we invent differ from answer to answer.
                for (part, now) in expected.content.iter_mut().zip(&message.content) {
                    if let (Part::Known(KnownPart::ToolCall(call)), Some(now)) = (part, now.as_tool_call()) {
                        call.id.clone_from(&now.id);
                    }
                }
            }
            assert_eq!(message, expected, "{}: pieces of {size}", wire.api());
        }
    }
}

#[tokio::test]
async fn stop_reasons_are_mapped() {
    for wire in WIRES {
        for (stop, reason) in [(WireStop::End, StopReason::Stop), (WireStop::Length, StopReason::Length)] {
            let answer = Answer { stop, ..Answer::new(vec![AnswerPart::Text(&["so"])]) };
            let message =
                expect_done(*wire, &collect_events(*wire, to_pieces(wire.encode_events(&answer))).await);
            assert_eq!(message.stop_reason, reason, "{}", wire.api());
            assert!(message.raw_stop_reason.is_some(), "{}: the provider's own word is kept", wire.api());
        }
        if wire.supports(Feature::Refusals) {
            let answer = Answer { stop: WireStop::Refusal, ..Answer::new(vec![AnswerPart::Text(&["no"])]) };
            let (error, message) =
                expect_error(*wire, &collect_events(*wire, to_pieces(wire.encode_events(&answer))).await);
            assert_eq!(
                (error.kind, message.text().as_str()),
                (ErrorKind::ContentFilter, "no"),
                "{}",
                wire.api()
            );
        }
    }
}

#[tokio::test]
async fn token_usage_counts_cached_tokens_once() {
    for wire in WIRES {
        let cached = if wire.supports(Feature::CacheReads) { 800 } else { 0 };
        let written = if wire.supports(Feature::CacheWrites) { 50 } else { 0 };
        let counts =
            TokenCounts { input: 100, cache_reads: cached, cache_writes: written, output: 7, reasoning: 0 };
        let answer = Answer { tokens: counts, ..Answer::new(vec![AnswerPart::Text(&["so"])]) };
        let usage =
            expect_done(*wire, &collect_events(*wire, to_pieces(wire.encode_events(&answer))).await).usage;
        let got = TokenCounts {
            input: usage.input,
            cache_reads: usage.cache_read,
            cache_writes: usage.cache_write,
            output: usage.output,
            reasoning: 0,
        };
        assert_eq!(got, counts, "{}", wire.api());
        assert_eq!(usage.total_tokens, 107 + cached + written, "{}", wire.api());
    }
}

#[tokio::test]
async fn http_errors_are_classified_by_status_and_message() {
    let cases = [
        (400, "max_tokens: required", ErrorKind::InvalidRequest, false),
        (400, "prompt is too long: 9 tokens > 8 maximum", ErrorKind::ContextLength, false),
        (401, "no such key", ErrorKind::Authentication, false),
        (403, "not for you", ErrorKind::AccessDenied, false),
        (404, "no such model", ErrorKind::NotFound, false),
        (413, "too large", ErrorKind::ContextLength, false),
        (429, "slow down", ErrorKind::RateLimit, true),
        (429, "You exceeded your current quota", ErrorKind::Quota, false),
        (500, "oops", ErrorKind::Server, true),
        (503, "try later", ErrorKind::Server, true),
    ];
    for wire in WIRES {
        let reply = |(code, words, kind, _): (u16, &str, ErrorKind, bool)| {
            let limited = kind == ErrorKind::RateLimit;
            let headers = if limited { vec![("retry-after", "7".to_string())] } else { Vec::new() };
            Reply::Status { code, headers, body: wire.error_body(code, words) }
        };
        let server = Server::start(cases.map(reply).to_vec());
        let adapter = adapter(*wire, &server.url);
        for (status, words, kind, retryable) in cases {
            let events: Vec<_> = adapter.stream(request(*wire)).collect().await;
            let (error, message) = expect_error(*wire, &events);
            let name = wire.api();
            assert_eq!((error.kind, error.retryable()), (kind, retryable), "{name}: {error}");
            assert_eq!(error.status, Some(status), "{name}");
            assert!(error.message.contains(words) && error.message.contains("acme"), "{name}: {error}");
            assert!(!error.message.contains("key-of-the-test"), "{name}: {error}");
            assert_eq!(message.stop_reason, StopReason::Error, "{name}");
            let waits = (kind == ErrorKind::RateLimit).then_some(Duration::from_secs(7));
            assert_eq!(error.retry_after, waits, "{name}");
        }
    }
}

#[tokio::test]
async fn stream_cut_anywhere_is_retryable_error_with_partial_text() {
    for wire in WIRES {
        let events = wire.encode_events(&rich_answer());
        let whole = expect_done(*wire, &collect_events(*wire, to_pieces(events.clone())).await).text();
        for cut in 0..events.len() - 1 {
            let mut some = to_pieces(events[..cut].to_vec());
            let torn = events[cut].len() / 2;
            some.push(Piece::Raw(events[cut][..torn].to_vec()));
            some.push(Piece::Cut);
            let got = collect_events(*wire, some).await;
            check_event_order(*wire, &got, false);
            if let Some(StreamEvent::Done { .. }) = got.last() {
                // The last event may say no more than the one before it.
                assert!(cut + 2 >= events.len(), "{}: {cut}", wire.api());
                continue;
            }
            let (error, message) = expect_error(*wire, &got);
            assert!(whole.starts_with(&message.text()), "{}: {message:?}", wire.api());
            assert!(error.retryable(), "{}: {error}", wire.api());
        }
    }
}

#[tokio::test]
async fn stream_stall_or_garbage_is_error() {
    for wire in WIRES {
        let events = wire.encode_events(&Answer::new(vec![AnswerPart::Text(&["half", "way"])]));
        let begun = || to_pieces(events[..3.min(events.len() - 1)].to_vec());
        let stalled = [begun(), vec![Piece::Gate]].concat();
        let (error, _) = expect_error(*wire, &collect_events(*wire, stalled).await);
        assert_eq!(error.kind, ErrorKind::Timeout, "{}", wire.api());
        if wire.supports(Feature::InvalidJsonEvents) {
            let garbage = [begun(), vec![Piece::Raw(b"data: {nonsense\n\n".to_vec())]].concat();
            let (error, _) = expect_error(*wire, &collect_events(*wire, garbage).await);
            assert_eq!(error.kind, ErrorKind::Stream, "{}", wire.api());
        }
        let noise = vec![Piece::Raw(vec![0xff, 0x00, b'\n', b'\n', 0x80])];
        let (error, _) = expect_error(*wire, &collect_events(*wire, noise).await);
        assert_eq!(error.kind, ErrorKind::Stream, "{}", wire.api());
    }
}

#[tokio::test]
async fn stream_drop_at_any_event_closes_connection() {
    for wire in WIRES {
        let count = collect_events(*wire, to_pieces(wire.encode_events(&rich_answer()))).await.len();
        for stop in [0, 1, count / 2, count - 2] {
            let mut events = wire.encode_events(&rich_answer());
            let last = events.pop().unwrap();
            let mut script = to_pieces(events);
            script.extend([Piece::Gate, Piece::Raw(last)]);
            let server = Server::start(vec![Reply::Stream(script)]);
            let mut stream = adapter(*wire, &server.url).stream(request(*wire));
            for _ in 0..=stop.min(count.saturating_sub(4)) {
                assert!(stream.next().await.is_some(), "{}", wire.api());
            }
            drop(stream);
            tokio::task::spawn_blocking(move || server.wait_for_hang_up()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn request_has_tools_tool_choice_and_format() {
    for wire in WIRES {
        let name = wire.api();
        let facts = wire.parse_request(&request_body(*wire, request(*wire)).await);
        assert_eq!((facts.system.as_str(), facts.choice.as_str()), ("be brief", "auto"), "{name}");
        assert_eq!(facts.tools, ["read", "write"], "{name}");
        assert!(!facts.schema, "{name}");
        for (choice, word) in [
            (ToolChoice::None, "none"),
            (ToolChoice::Required, "required"),
            (ToolChoice::Named("write".into()), "write"),
        ] {
            let facts = wire
                .parse_request(&request_body(*wire, Request { tool_choice: choice, ..request(*wire) }).await);
            assert_eq!(facts.choice, word, "{name}");
        }
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        let format = Some(ResponseFormat { name: "shape".into(), schema });
        let facts = wire.parse_request(&request_body(*wire, Request { format, ..request(*wire) }).await);
        assert!(facts.schema, "{name}");
    }
}

pub fn image_part() -> Part {
    Part::Known(KnownPart::Image { data: "iVBORw0KGgo=".into(), mime_type: "image/png".into() })
}

pub fn tool_result(id: &str, content: Vec<Part>) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: id.into(),
        tool_name: "read".into(),
        content,
        details: None,
        is_error: false,
        timestamp: 0,
        extra: Map::new(),
    })
}

#[tokio::test]
async fn images_are_sent_or_replaced_for_text_only_models() {
    for wire in WIRES {
        let answer =
            expect_done(*wire, &collect_events(*wire, to_pieces(wire.encode_events(&rich_answer()))).await);
        let ids: Vec<_> = answer.tool_calls().map(|call| call.id.clone()).collect();
        let mut picture = UserMessage::text("look", 0);
        picture.content.push(image_part());
        let messages = vec![
            Message::User(picture),
            Message::Assistant(answer),
            tool_result(&ids[0], vec![Part::text("here"), image_part()]),
            tool_result(&ids[1], vec![image_part()]),
        ];
        let seeing = Request { messages, ..request(*wire) };
        assert_eq!(
            wire.parse_request(&request_body(*wire, seeing.clone()).await).images,
            3,
            "{}",
            wire.api()
        );
        let mut blind = seeing;
        blind.model.input = vec!["text".into()];
        let body = request_body(*wire, blind).await;
        assert_eq!(wire.parse_request(&body).images, 0, "{}", wire.api());
        assert_eq!(body.to_string().matches("image was left out").count(), 3, "{}", wire.api());
    }
}
