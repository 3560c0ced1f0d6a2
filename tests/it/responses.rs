//! The three adapters of the Responses wire over a real socket: what they send, and what they make
//! of answers and faults.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bowline::base::clock::{ManualClock, SharedClock};
use bowline::llm::access::{Access, ApiKey, FixedAccess, KeyKind, Variables};
use bowline::llm::model::{
    AssistantMessage, ErrorKind, LlmError, Message, Model, Request, StopReason, StreamEvent, Thinking,
    ToolSpec, UserMessage,
};
use bowline::llm::provider::Provider;
use bowline::llm::providers::{DIALECTS, Setup};
use bowline::net::http::{Http, Limits};
use futures::StreamExt;
use serde_json::{Value, json};

use crate::support::server::{Piece, Reply, Server, bytes};

fn adapter(api: &str, access: Access, vars: &[(&str, &str)]) -> Arc<dyn Provider> {
    let dialect = DIALECTS.iter().find(|dialect| dialect.id == api).unwrap();
    let limits = Limits { idle_timeout: Duration::from_millis(150), ..Limits::default() };
    let clock: SharedClock = ManualClock::new(1_000);
    let vars: HashMap<_, _> = vars.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
    (dialect.build)(Setup {
        provider: "acme".into(),
        keys: Arc::new(FixedAccess(access)),
        variables: Variables { vars: Arc::new(vars), home: None },
        idle_timeout: None,
        http: Arc::new(Http::new(limits, false)),
        clock,
    })
}

fn access(url: &str) -> Access {
    Access { base_url: url.into(), key: Some(ApiKey("secret".into())), ..Access::default() }
}

fn request(api: &str) -> Request {
    let (name, description) = ("read".to_string(), "reads".to_string());
    Request {
        model: Model { reasoning: true, ..Model::unknown("acme", "gpt-x", api, "") },
        system: vec!["be brief".into()],
        messages: vec![Message::User(UserMessage::text("hi", 0))],
        tools: vec![ToolSpec {
            name,
            description,
            parameters: json!({"type": "object"}),
            ..ToolSpec::default()
        }],
        thinking: Thinking::High,
        session_id: Some("s-1".into()),
        ..Request::default()
    }
}

async fn ask(adapter: &dyn Provider, api: &str) -> Vec<StreamEvent> {
    adapter.stream(request(api)).collect().await
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

fn open_pieces(words: &str) -> Vec<Piece> {
    let response = json!({"id": "resp_1", "model": "gpt-x", "status": "in_progress"});
    let item = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": []});
    vec![
        Piece::Event(json!({"type": "response.created", "response": response})),
        Piece::Event(json!({"type": "response.output_item.added", "output_index": 0, "item": item})),
        Piece::Event(json!({"type": "response.output_text.delta", "output_index": 0, "delta": words})),
    ]
}

fn text_pieces(words: &str) -> Vec<Piece> {
    let content = json!([{"type": "output_text", "text": words, "annotations": []}]);
    let item = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": content});
    let usage = json!({"input_tokens": 12, "output_tokens": 9, "total_tokens": 21,
        "input_tokens_details": {"cached_tokens": 8}});
    let response = json!({"id": "resp_1", "model": "gpt-x", "status": "completed", "usage": usage});
    let mut pieces = open_pieces(words);
    pieces.push(Piece::Event(json!({"type": "response.output_item.done", "output_index": 0, "item": item})));
    pieces.push(Piece::Event(json!({"type": "response.completed", "response": response})));
    pieces
}

#[tokio::test]
async fn responses_request_matches_each_dialect() {
    let server = Server::start((0..4).map(|_| Reply::Stream(text_pieces("hello"))).collect());
    let plain = adapter("openai-responses", access(&format!("{}/v1", server.url)), &[]);
    let message = expect_done(&ask(&*plain, "openai-responses").await);
    assert_eq!((message.text().as_str(), message.timestamp), ("hello", 1_000));
    assert_eq!((message.usage.input, message.usage.cache_read, message.usage.output), (4, 8, 9));
    ask(&*plain, "openai-responses").await;
    let vars = [("AZURE_OPENAI_DEPLOYMENT_NAME_MAP", "gpt-x=mine")];
    let azure = adapter("azure-openai-responses", access(&format!("{}/openai/v1", server.url)), &vars);
    expect_done(&ask(&*azure, "azure-openai-responses").await);
    let account = HashMap::from([("accountId".to_string(), "acc".to_string())]);
    let login = Access { kind: KeyKind::Login, account, ..access(&server.url) };
    let codex = adapter("openai-codex-responses", login, &[]);
    expect_done(&ask(&*codex, "openai-codex-responses").await);

    let seen = server.requests();
    let paths: Vec<_> = seen.iter().map(|seen| seen.path.as_str()).collect();
    let azure = "/openai/v1/responses?api-version=v1";
    assert_eq!(paths, ["/v1/responses", "/v1/responses", azure, "/codex/responses"]);
    let header = |at: usize, name: &str| seen[at].headers.get(name).map(String::as_str);
    assert_eq!(header(0, "authorization"), Some("Bearer secret"));
    assert_eq!((header(0, "session-id"), header(0, "x-client-request-id")), (Some("s-1"), Some("s-1")));
    assert_eq!((header(2, "api-key"), header(2, "authorization")), (Some("secret"), None));
    assert_eq!((header(3, "chatgpt-account-id"), header(3, "originator")), (Some("acc"), Some("bowline")));
    assert!((0..4).all(|at| header(at, "user-agent").is_some_and(|agent| agent.starts_with("bowline/"))));
    assert_eq!(seen[0].body, seen[1].body, "equal requests are equal bytes");
    let models: Vec<_> = seen.iter().map(|seen| seen.body["model"].clone()).collect();
    assert_eq!(models, ["gpt-x", "gpt-x", "mine", "gpt-x"]);
    assert!(seen.iter().all(|seen| seen.body["instructions"] == "be brief" && seen.body["store"] == false));
}

#[tokio::test]
async fn responses_stream_decodes_any_chunk_boundaries() {
    let words = "Grüße, 世界! 👩‍👩‍👧‍👦 done";
    let whole = bytes(&text_pieces(words));
    for size in [1, 3, 7] {
        let pieces = whole.chunks(size).map(|chunk| Piece::Raw(chunk.to_vec())).collect();
        let server = Server::start(vec![Reply::Stream(pieces)]);
        let adapter = adapter("openai-responses", access(&server.url), &[]);
        assert_eq!(expect_done(&ask(&*adapter, "openai-responses").await).text(), words, "pieces of {size}");
    }
}

#[tokio::test]
async fn responses_http_errors_are_classified() {
    let refusal = |code: u16, name: &str, message: &str| Reply::Status {
        code,
        headers: vec![("content-type", "application/json".into())],
        body: json!({"error": {"message": message, "type": "invalid_request_error", "code": name}})
            .to_string(),
    };
    let overflow =
        "Your input exceeds the context window of this model. Please adjust your input and try again.";
    let limit = json!({"error": {"type": "usage_limit_reached", "message": "The usage limit has been reached",
        "plan_type": "plus", "resets_at": 1_700_000_000}});
    for (reply, kind, retryable) in [
        (refusal(401, "invalid_api_key", "Incorrect API key"), ErrorKind::Authentication, false),
        (refusal(404, "model_not_found", "no gpt-x"), ErrorKind::NotFound, false),
        (refusal(400, "context_length_exceeded", overflow), ErrorKind::ContextLength, false),
        (refusal(400, "", overflow), ErrorKind::ContextLength, false),
        (refusal(400, "unsupported_parameter", "Unsupported parameter"), ErrorKind::InvalidRequest, false),
        (refusal(429, "rate_limit_exceeded", "Slow down"), ErrorKind::RateLimit, true),
        (refusal(429, "insufficient_quota", "pay"), ErrorKind::Quota, false),
        (refusal(500, "server_error", "oops"), ErrorKind::Server, true),
        (Reply::Status { code: 429, headers: vec![], body: limit.to_string() }, ErrorKind::Quota, false),
    ] {
        let server = Server::start(vec![reply]);
        let adapter = adapter("openai-responses", access(&server.url), &[]);
        let (error, _) = expect_error(&ask(&*adapter, "openai-responses").await);
        assert_eq!((error.kind, error.retryable()), (kind, retryable), "{error}");
        assert!(!error.message.contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn responses_interrupted_stream_error_keeps_partial_text() {
    let half = || open_pieces("half");
    let failed_event = json!({"type": "response.failed",
        "response": {"status": "failed", "error": {"code": "server_error", "message": "oops"}}});
    for (pieces, kind) in [
        (half(), ErrorKind::Stream),
        ([half(), vec![Piece::Raw(b"data: {\"type".to_vec())]].concat(), ErrorKind::Stream),
        ([half(), vec![Piece::Cut]].concat(), ErrorKind::Stream),
        ([half(), vec![Piece::Event(failed_event)]].concat(), ErrorKind::Server),
        ([half(), vec![Piece::Gate]].concat(), ErrorKind::Timeout),
    ] {
        let server = Server::start(vec![Reply::Stream(pieces)]);
        let adapter = adapter("openai-responses", access(&server.url), &[]);
        let (error, message) = expect_error(&ask(&*adapter, "openai-responses").await);
        assert_eq!((error.kind, message.text().as_str()), (kind, "half"), "{error}");
        assert_eq!(message.stop_reason, StopReason::Error);
    }
}

#[tokio::test]
async fn responses_missing_configuration_sends_no_request() {
    for (api, access, kind, words) in [
        ("azure-openai-responses", access(""), ErrorKind::Configuration, "set AZURE_OPENAI_BASE_URL"),
        ("openai-codex-responses", access("http://127.0.0.1:1"), ErrorKind::Authentication, "bowline login"),
    ] {
        let adapter = adapter(api, access, &[]);
        let (error, _) = expect_error(&ask(&*adapter, api).await);
        assert_eq!(error.kind, kind);
        assert!(error.message.contains(words), "{error}");
    }
}

#[tokio::test]
async fn responses_dropped_stream_closes_connection() {
    let server = Server::start(vec![Reply::Stream([open_pieces("half"), vec![Piece::Gate]].concat())]);
    let adapter = adapter("openai-responses", access(&server.url), &[]);
    let mut stream = adapter.stream(request("openai-responses"));
    while let Some(event) = stream.next().await {
        if matches!(event, StreamEvent::TextDelta { .. }) {
            break;
        }
    }
    drop(stream);
    tokio::task::spawn_blocking(move || server.wait_for_hang_up()).await.unwrap();
}

#[tokio::test]
async fn responses_request_prefix_is_stable_across_turns() {
    let server = Server::start((0..2).map(|_| Reply::Stream(text_pieces("hello"))).collect());
    let adapter = adapter("openai-responses", access(&server.url), &[]);
    let mut request = request("openai-responses");
    let answer = expect_done(&adapter.stream(request.clone()).collect::<Vec<_>>().await);
    request.messages.push(Message::Assistant(answer));
    request.messages.push(Message::User(UserMessage::text("go on", 5)));
    adapter.stream(request).collect::<Vec<_>>().await;
    let body = |at: usize| server.requests()[at].body.clone();
    let input = |at: usize| body(at)["input"].as_array().cloned().unwrap();
    assert_eq!(input(1)[..1], input(0));
    assert_eq!(input(1).len(), 3);
    let head = |mut body: Value| {
        body["input"] = Value::Null;
        body
    };
    assert_eq!(head(body(0)), head(body(1)));
}
