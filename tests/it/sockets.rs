//! The WebSocket of `openai-codex-responses` over a real socket: what is said on it, how long it is
//! kept, and what happens when it fails. What it shares with the other way, `conformance` tries.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bowline::base::clock::ManualClock;
use bowline::llm::access::{Access, ApiKey, FixedAccess, KeyKind, Variables};
use bowline::llm::model::{
    AssistantMessage, ErrorKind, LlmError, Message, Model, Request, StreamEvent, ToolSpec, UserMessage,
};
use bowline::llm::provider::Provider;
use bowline::llm::providers::{DIALECTS, Setup};
use bowline::net::cassette::Cassette;
use bowline::net::http::{Http, Limits, Transport};
use futures::StreamExt;
use serde_json::{Value, json};

use crate::conformance::tool_result;
use crate::support::server::{Piece, Reply, Server};
use crate::support::sockets::Frame;

const API: &str = "openai-codex-responses";

struct SocketFixture {
    adapter: Arc<dyn Provider>,
    clock: Arc<ManualClock>,
}

fn fixture_with(server: &Server, http: Http) -> SocketFixture {
    let dialect = DIALECTS.iter().find(|dialect| dialect.id == API).unwrap();
    let clock = ManualClock::new(1_000);
    let account = HashMap::from([("accountId".to_string(), "acc".to_string())]);
    let key = Some(ApiKey("secret-of-mine".into()));
    let access =
        Access { base_url: server.url.clone(), key, kind: KeyKind::Login, account, ..Access::default() };
    let adapter = (dialect.build)(Setup {
        provider: "acme".into(),
        keys: Arc::new(FixedAccess(access)),
        variables: Variables::default(),
        idle_timeout: None,
        http: Arc::new(http),
        clock: clock.clone(),
    });
    SocketFixture { adapter, clock }
}

fn http() -> Http {
    let limits = Limits { idle_timeout: Duration::from_millis(300), ..Limits::default() };
    Http::new(limits, true).with_transport(Transport::parse("auto").unwrap())
}

fn fixture(server: &Server) -> SocketFixture {
    fixture_with(server, http())
}

fn request(messages: Vec<Message>) -> Request {
    let (name, parameters) = ("read".to_string(), json!({"type": "object"}));
    Request {
        model: Model { reasoning: true, ..Model::unknown("acme", "m", API, "") },
        system: vec!["be brief".into()],
        messages,
        tools: vec![ToolSpec { name, description: "reads".into(), parameters, ..ToolSpec::default() }],
        session_id: Some("session-1".into()),
        ..Request::default()
    }
}

fn user(text: &str) -> Message {
    Message::User(UserMessage::text(text, 0))
}

fn created() -> Value {
    json!({"type": "response.created", "response": {"id": "resp_1", "status": "in_progress"}})
}

fn done_with(id: &str, item: &Value) -> Vec<Piece> {
    let usage = json!({"input_tokens": 12, "output_tokens": 9, "total_tokens": 21});
    let response = json!({"id": id, "model": "m", "status": "completed", "usage": usage});
    [
        created(),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": response}),
    ]
    .map(Piece::Event)
    .to_vec()
}

fn text_pieces(id: &str, words: &str) -> Vec<Piece> {
    let content = json!([{"type": "output_text", "text": words, "annotations": []}]);
    done_with(id, &json!({"id": "msg_1", "type": "message", "role": "assistant", "content": content}))
}

fn text_reply(words: &str) -> Reply {
    Reply::Stream(text_pieces("resp_1", words))
}

fn error(code: &str) -> Reply {
    Reply::Stream(vec![Piece::Event(json!({"type": "error", "error": {"code": code, "message": code}}))])
}

fn error_reply(code: u16) -> Reply {
    Reply::Status { code, headers: Vec::new(), body: json!({"error": {"message": "no"}}).to_string() }
}

impl SocketFixture {
    async fn collect_events(&self, request: Request) -> Vec<StreamEvent> {
        self.adapter.stream(request).collect().await
    }

    async fn ask(&self, request: Request) -> AssistantMessage {
        match self.collect_events(request).await.pop() {
            Some(StreamEvent::Done { message }) => *message,
            other => panic!("{other:?}"),
        }
    }

    async fn ask_hi(&self) -> AssistantMessage {
        self.ask(request(vec![user("hi")])).await
    }

    async fn expect_error(&self) -> (LlmError, AssistantMessage) {
        match self.collect_events(request(vec![user("hi")])).await.pop() {
            Some(StreamEvent::Error { error, message }) => (error, *message),
            other => panic!("{other:?}"),
        }
    }
}

/// How each request came, and how many items of conversation it had.
fn request_methods(server: &Server) -> Vec<(String, usize)> {
    let items = |body: &Value| body["input"].as_array().map_or(0, Vec::len);
    server.requests().iter().map(|seen| (seen.method.clone(), items(&seen.body))).collect()
}

fn method_and_items(method: &str, items: usize) -> (String, usize) {
    (method.to_string(), items)
}

#[tokio::test]
async fn websocket_session_reuses_socket_and_sends_only_new_input() {
    let call = json!({"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "read",
        "arguments": "{}"});
    let server = Server::start(vec![
        Reply::Stream(done_with("resp_1", &call)),
        Reply::Stream(text_pieces("resp_2", "found")),
        text_reply("good"),
    ]);
    let side = fixture(&server);
    let mut messages = vec![user("hi")];
    let answer = side.ask(request(messages.clone())).await;
    let id = answer.tool_calls().next().unwrap().id.clone();
    messages.push(Message::Assistant(answer));
    messages.push(tool_result(&id, vec![bowline::llm::model::Part::text("it says so")]));
    let answer = side.ask(request(messages.clone())).await;
    assert_eq!(answer.text(), "found");
    messages.push(Message::Assistant(answer));
    messages.push(user("thanks"));
    side.ask(request(messages)).await;

    assert_eq!(server.sockets(), 1);
    assert_eq!(
        request_methods(&server),
        [method_and_items("MESSAGE", 1), method_and_items("MESSAGE", 1), method_and_items("MESSAGE", 1)]
    );
    let seen = server.requests();
    assert_eq!(seen[0].path, "/codex/responses");
    for (name, value) in [
        ("authorization", "Bearer secret-of-mine"),
        ("chatgpt-account-id", "acc"),
        ("originator", "bowline"),
        ("openai-beta", "responses_websockets=2026-02-06"),
        ("session-id", "session-1"),
        ("x-client-request-id", "session-1"),
    ] {
        assert_eq!(seen[0].headers.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert!(seen[0].headers["user-agent"].starts_with("bowline/"));
    assert!(!seen[0].headers.contains_key("accept") || seen[0].headers["accept"] == "*/*");
    assert!(seen[0].text.starts_with(r#"{"type":"response.create","model":"m","#), "{}", seen[0].text);
    assert_eq!(seen[0].body.get("previous_response_id"), None);
    assert_eq!(seen[0].body["instructions"], "be brief");
    let output = json!([{"type": "function_call_output", "call_id": "call_1", "output": "it says so"}]);
    assert_eq!((&seen[1].body["previous_response_id"], &seen[1].body["input"]), (&json!("resp_1"), &output));
    assert_eq!(seen[2].body["previous_response_id"], "resp_2");
    assert_eq!(seen[2].body["input"][0]["content"][0]["text"], "thanks");
}

#[tokio::test]
async fn websocket_request_without_continuation_is_sent_in_full() {
    let server = Server::start((0..3).map(|_| text_reply("a")).collect());
    let side = fixture(&server);
    let answer = side.ask_hi().await;
    side.ask(request(vec![user("hi"), Message::Assistant(answer), user("b"), user("c")])).await;
    side.ask(request(vec![user("something else")])).await;
    assert_eq!(server.sockets(), 1);
    let before: Vec<_> =
        server.requests().iter().map(|seen| seen.body["previous_response_id"].clone()).collect();
    assert_eq!(before, [Value::Null, json!("resp_1"), Value::Null]);

    let server = Server::start((0..2).map(|_| text_reply("a")).collect());
    let whole = fixture_with(&server, http().with_transport(Transport::parse("websocket").unwrap()));
    let answer = whole.ask_hi().await;
    whole.ask(request(vec![user("hi"), Message::Assistant(answer), user("b")])).await;
    assert_eq!(request_methods(&server), [method_and_items("MESSAGE", 1), method_and_items("MESSAGE", 3)]);
    assert_eq!(server.sockets(), 1);
}

#[tokio::test]
async fn websocket_idle_or_old_is_replaced() {
    for (steps, sockets) in [
        (vec![Duration::from_secs(299); 2], 1),
        (vec![Duration::from_mins(5)], 2),
        // Busy all the time, and yet too old in the end.
        (vec![Duration::from_mins(4); 14], 2),
    ] {
        let server = Server::start((0..=steps.len()).map(|_| text_reply("a")).collect());
        let side = fixture(&server);
        side.ask_hi().await;
        for step in steps {
            side.clock.advance(step);
            side.ask_hi().await;
        }
        assert_eq!(server.sockets(), sockets);
    }
}

#[tokio::test]
async fn websocket_parallel_requests_use_separate_sockets() {
    let server = Server::start((0..3).map(|_| text_reply("a")).collect());
    let side = fixture(&server);
    futures::future::join(side.ask_hi(), side.ask_hi()).await;
    assert_eq!(server.sockets(), 2);
    side.ask_hi().await;
    let nobody = Request { session_id: None, ..request(vec![user("hi")]) };
    assert_eq!(server.sockets(), 2, "one of them was kept");
    let server = Server::start((0..2).map(|_| text_reply("a")).collect());
    let side = self::fixture(&server);
    side.ask(nobody.clone()).await;
    side.ask(nobody).await;
    assert_eq!(server.sockets(), 2, "nothing is kept where there is no session");
    let ids: Vec<_> = server.requests().iter().map(|seen| seen.headers["session-id"].clone()).collect();
    assert!(ids[0] != ids[1] && ids[0].len() == 36, "{ids:?}");
}

#[tokio::test]
async fn websocket_unsupported_falls_back_to_http() {
    let server = Server::without_sockets(vec![error_reply(404), text_reply("a"), text_reply("b")]);
    let side = fixture(&server);
    assert_eq!((side.ask_hi().await.text(), side.ask_hi().await.text()), ("a".into(), "b".into()));
    assert_eq!(
        request_methods(&server),
        [method_and_items("GET", 0), method_and_items("POST", 1), method_and_items("POST", 1)]
    );
    let headers = &server.requests()[1].headers;
    assert_eq!(
        (headers["accept"].as_str(), headers["session-id"].as_str()),
        ("text/event-stream", "session-1")
    );

    // Who answers as if it were any request has no sockets either.
    let server = Server::without_sockets(vec![text_reply("x"), text_reply("a")]);
    assert_eq!(self::fixture(&server).ask_hi().await.text(), "a");

    // What says nothing about sockets is not remembered.
    let server =
        Server::without_sockets(vec![error_reply(401), error_reply(401), error_reply(429), text_reply("a")]);
    let side = self::fixture(&server);
    let (error, _) = side.expect_error().await;
    assert_eq!((error.kind, error.status), (ErrorKind::Authentication, Some(401)));
    assert!(!error.message.contains("secret-of-mine"), "{error}");
    side.ask_hi().await;
    let methods: Vec<_> = server.requests().iter().map(|seen| seen.method.clone()).collect();
    assert_eq!(methods, ["GET", "POST", "GET", "POST"]);
}

#[tokio::test]
async fn websocket_failure_before_first_event_falls_back_to_http() {
    for first in [
        vec![Piece::Cut],
        vec![Piece::Socket(Frame::Close(1009, ""))],
        vec![Piece::Socket(Frame::Bytes(vec![0xff; 64]))],
        vec![Piece::Gate],
    ] {
        let server = Server::start(vec![Reply::Stream(first), text_reply("a"), text_reply("b")]);
        let side = fixture(&server);
        assert_eq!((side.ask_hi().await.text(), side.ask_hi().await.text()), ("a".into(), "b".into()));
        assert_eq!(
            request_methods(&server),
            [method_and_items("MESSAGE", 1), method_and_items("POST", 1), method_and_items("POST", 1)]
        );
    }
}

#[tokio::test]
async fn websocket_closed_while_idle_is_replaced() {
    let closing =
        [text_pieces("resp_1", "a"), vec![Piece::Socket(Frame::Close(1001, "going away"))]].concat();
    let cutting = [text_pieces("resp_1", "a"), vec![Piece::Cut]].concat();
    for first in [closing, cutting] {
        let server = Server::start(vec![Reply::Stream(first), text_reply("b"), text_reply("c")]);
        let side = fixture(&server);
        let answer = side.ask_hi().await;
        let more = request(vec![user("hi"), Message::Assistant(answer), user("more")]);
        assert_eq!(side.ask(more).await.text(), "b");
        side.ask_hi().await;
        assert_eq!(server.sockets(), 2);
        assert_eq!(
            request_methods(&server)[1],
            method_and_items("MESSAGE", 3),
            "another server knows nothing of it"
        );
    }
}

#[tokio::test]
async fn websocket_limit_or_lost_response_is_retried_once() {
    let full = || error("websocket_connection_limit_reached");
    let server = Server::start(vec![full(), text_reply("a")]);
    assert_eq!(fixture(&server).ask_hi().await.text(), "a");
    assert_eq!((server.sockets(), request_methods(&server).len()), (2, 2));

    let server = Server::start(vec![full(), full(), text_reply("a")]);
    assert_eq!(fixture(&server).ask_hi().await.text(), "a");
    assert_eq!(request_methods(&server)[2], method_and_items("POST", 1));

    let forgot = || error("previous_response_not_found");
    let server = Server::start(vec![text_reply("a"), forgot(), text_reply("b"), forgot(), forgot()]);
    let side = fixture(&server);
    let answer = side.ask_hi().await;
    let more = request(vec![user("hi"), Message::Assistant(answer), user("more")]);
    assert_eq!(side.ask(more).await.text(), "b");
    assert_eq!(
        request_methods(&server),
        [method_and_items("MESSAGE", 1), method_and_items("MESSAGE", 1), method_and_items("MESSAGE", 3)]
    );
    let (error, _) = side.expect_error().await;
    assert_eq!(error.code.as_deref(), Some("previous_response_not_found"));
}

#[tokio::test]
async fn websocket_interrupted_reply_error_keeps_partial_text() {
    let item = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": []});
    let begun = || {
        vec![
            Piece::Event(created()),
            Piece::Event(json!({"type": "response.output_item.added", "output_index": 0, "item": item})),
            Piece::Event(json!({"type": "response.output_text.delta", "output_index": 0, "delta": "half"})),
        ]
    };
    for (then, kind, words) in [
        (Piece::Cut, ErrorKind::Stream, "the response was cut off"),
        (Piece::Socket(Frame::Close(1011, "keepalive failed")), ErrorKind::Stream, "(1011 keepalive failed)"),
        (Piece::Socket(Frame::Close(1009, "")), ErrorKind::Stream, "(1009 message too big)"),
        (Piece::Socket(Frame::Bytes(vec![0xff; 64])), ErrorKind::Stream, "the response was cut off"),
        (Piece::Socket(Frame::Binary(b"{nonsense".to_vec())), ErrorKind::Stream, "invalid response"),
        (Piece::Event(json!({"type": "error", "error": {"message": "oops"}})), ErrorKind::Stream, "oops"),
        (Piece::Gate, ErrorKind::Timeout, "no answer for"),
    ] {
        let broken = [begun(), vec![then]].concat();
        let server = Server::start(vec![Reply::Stream(broken), text_reply("b")]);
        let side = fixture(&server);
        let (error, message) = side.expect_error().await;
        assert_eq!((error.kind, message.text().as_str()), (kind, "half"), "{error}");
        assert!(error.message.contains(words), "{error}");
        assert_eq!(side.ask_hi().await.text(), "b");
        assert_eq!(
            (server.sockets(), request_methods(&server).len()),
            (2, 2),
            "the next one has a new socket"
        );
    }
}

#[tokio::test]
async fn websocket_dropped_stream_closes_connection() {
    let gated = vec![Piece::Event(created()), Piece::Gate];
    let server = Server::start(vec![Reply::Stream(gated)]);
    let mut stream = fixture(&server).adapter.stream(request(vec![user("hi")]));
    assert!(matches!(stream.next().await, Some(StreamEvent::Start)));
    drop(stream);
    tokio::task::spawn_blocking(move || server.wait_for_hang_up()).await.unwrap();
}

#[tokio::test]
async fn websocket_handles_pings_and_split_frames() {
    let words = "é漢👩".repeat(1 << 17);
    let mut pieces = text_pieces("resp_1", &words);
    let Piece::Event(item) = pieces.remove(2) else { panic!("it is an event") };
    assert!(item.to_string().len() > 1 << 20);
    pieces.insert(2, Piece::Socket(Frame::Split(item.to_string(), 60_001)));
    pieces.insert(2, Piece::Socket(Frame::Ping));
    let Piece::Event(first) = pieces.remove(0) else { panic!("it is an event") };
    pieces.insert(0, Piece::Socket(Frame::Binary(first.to_string().into_bytes())));
    let server = Server::start(vec![Reply::Stream(pieces), text_reply("b")]);
    let side = fixture(&server);
    assert_eq!(side.ask_hi().await.text(), words);
    assert_eq!(side.ask_hi().await.text(), "b");
    assert_eq!(server.sockets(), 1);
}

#[tokio::test]
async fn websocket_dropped_adapter_closes_connection() {
    let waits = [text_pieces("resp_1", "a"), vec![Piece::Gate]].concat();
    let server = Server::start(vec![Reply::Stream(waits)]);
    let side = fixture(&server);
    side.ask_hi().await;
    drop(side);
    tokio::task::spawn_blocking(move || server.wait_for_hang_up()).await.unwrap();
}

#[tokio::test]
async fn websocket_parked_too_long_is_closed() {
    let waits = [text_pieces("resp_1", "a"), vec![Piece::Gate]].concat();
    let server = Server::start(vec![Reply::Stream(waits)]);
    let mut socket = http().socket(&format!("{}/x", server.url), &[]).await.unwrap();
    socket.send("{}".into(), Duration::from_secs(9)).await.unwrap();
    for _ in 0..4 {
        socket.next(Duration::from_secs(9)).await.unwrap();
    }
    let parked = socket.park(Duration::from_millis(20));
    tokio::task::spawn_blocking(move || server.wait_for_hang_up()).await.unwrap();
    assert!(parked.take().await.is_none());
}

#[tokio::test]
async fn websocket_handshake_times_out() {
    // Accepts, and says nothing.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/x", listener.local_addr().unwrap());
    let limits = Limits { socket: Duration::from_millis(30), ..Limits::default() };
    let error = Http::new(limits, true).socket(&url, &[]).await.unwrap_err().to_string();
    assert!(error.contains("no answer for"), "{error}");
}

#[tokio::test]
async fn websocket_disabled_with_cassette_or_sse_transport() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tape.jsonl");
    let server = Server::start(vec![text_reply("a")]);
    fixture_with(&server, http().with_cassette(Some(Cassette::record(&path).unwrap()))).ask_hi().await;
    assert_eq!(request_methods(&server), [method_and_items("POST", 1)]);
    let played =
        fixture_with(&server, http().with_cassette(Some(Cassette::replay(&path).unwrap()))).ask_hi().await;
    assert_eq!(played.text(), "a");
    assert_eq!(request_methods(&server).len(), 1);
    let plain = Server::start(vec![text_reply("b")]);
    fixture_with(&plain, http().with_transport(Transport::parse("sse").unwrap())).ask_hi().await;
    assert_eq!(request_methods(&plain), [method_and_items("POST", 1)]);
}
