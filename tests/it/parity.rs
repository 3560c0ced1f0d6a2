//! Every dialect does what the others do, seen from the library's highest layer: whole answers,
//! loops of tools, objects, counts, refusals, options. `docs/llm-matrix.md` names these tests.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bowline::llm::client::Client;
use bowline::llm::generate::{Callable, Options, Outcome, Progress, generate, stream};
use bowline::llm::model::{
    ErrorKind, LlmError, Message, Part, Request, ResponseFormat, StopReason, StreamEvent, ToolSpec,
};
use bowline::llm::object::generate_object;
use bowline::llm::retry::Policy;
use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};

use crate::conformance::{adapter, image_part, model, request, request_body, to_pieces, user};
use crate::support::server::{Piece, ReceivedRequest, Reply, Server};
use crate::support::wires::{Answer, AnswerPart, Feature, TokenCounts, WIRES, Wire};

/// A tool that says what it was called with, and remembers it.
#[derive(Default)]
struct RecordingReadTool(Mutex<Vec<Value>>);

impl Callable for RecordingReadTool {
    fn spec(&self) -> ToolSpec {
        let parameters =
            json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
        ToolSpec { name: "read".into(), description: "reads".into(), parameters, ..ToolSpec::default() }
    }

    fn call(&self, arguments: Value) -> BoxFuture<'_, Result<Vec<Part>, String>> {
        self.0.lock().unwrap().push(arguments["path"].clone());
        let path = arguments["path"].as_str().unwrap_or_default().to_string();
        let gives = if path == "missing" { Err("no such file".into()) } else { Ok(vec![Part::text(path)]) };
        futures::future::ready(gives).boxed()
    }
}

/// The library as a program sees it, before one server.
fn client(wire: &dyn Wire, server: &Server) -> Client {
    let mut client = Client::new();
    client.register(adapter(wire, &server.url), vec![Arc::new(model(wire))]);
    client
}

fn request_without_tools(wire: &dyn Wire) -> Request {
    Request { tools: Vec::new(), ..request(wire) }
}

fn options(tool: &Arc<RecordingReadTool>) -> Options {
    let policy = Policy { base: Duration::from_millis(1), ..Policy::default() };
    Options { tools: vec![tool.clone()], policy, ..Options::default() }
}

fn reply(wire: &dyn Wire, answer: &Answer) -> Reply {
    Reply::Stream(to_pieces(wire.encode_events(answer)))
}

fn text_reply(wire: &dyn Wire, text: &'static [&'static str]) -> Reply {
    reply(wire, &Answer::new(vec![AnswerPart::Text(text)]))
}

fn read(id: &'static str, path: &str) -> AnswerPart {
    AnswerPart::Call { id, name: "read", args: vec![json!({"path": path}).to_string()] }
}

/// Plays replies to the library; what came of it, what the tool was called with, what was asked.
async fn play_replies(
    wire: &dyn Wire,
    replies: Vec<Reply>,
) -> (Result<Outcome, LlmError>, Vec<Value>, Server) {
    let server = Server::start(replies);
    let tool = Arc::new(RecordingReadTool::default());
    let outcome = generate(&client(wire, &server), request_without_tools(wire), options(&tool)).await;
    let called = tool.0.lock().unwrap().clone();
    (outcome, called, server)
}

/// How many calls the server has results of in the end, each of which it knows: what it is sent holds all
/// of both, or, over a socket, goes on from what it said itself.
fn count_answered_calls(wire: &dyn Wire, seen: &[ReceivedRequest]) -> usize {
    let told = seen.iter().map(|request| wire.parse_request(&request.body));
    if wire.is_socket() {
        assert!(seen[1..].iter().all(|request| request.body["previous_response_id"].is_string()));
        return told.map(|facts| facts.results.len()).sum();
    }
    let last = told.last().unwrap();
    assert_eq!(last.calls, last.results, "{}", wire.api());
    last.results.len()
}

#[tokio::test]
async fn generate_returns_text_and_usage() {
    for wire in WIRES {
        let (outcome, _, server) = play_replies(*wire, vec![text_reply(*wire, &["Hel", "lo."])]).await;
        let outcome = outcome.unwrap();
        let name = wire.api();
        assert_eq!((outcome.message.text().as_str(), server.requests().len()), ("Hello.", 1), "{name}");
        assert_eq!(outcome.message.stop_reason, StopReason::Stop, "{name}");
        assert_eq!((outcome.usage.input, outcome.usage.output), (100, 7), "{name}");
        assert_eq!((outcome.message.api.as_str(), outcome.message.provider.as_str()), (name, "acme"));
    }
}

#[tokio::test]
async fn stream_deltas_concatenate_to_text() {
    for wire in WIRES {
        let server = Server::start(vec![text_reply(*wire, &["Hel", "lo ", "wörld."])]);
        let steps: Vec<_> =
            stream(&client(*wire, &server), request_without_tools(*wire), Options::default()).collect().await;
        let of = |step: &Progress| match step {
            Progress::Event(StreamEvent::Start) => Some("<start>".to_string()),
            Progress::Event(StreamEvent::TextStart { .. }) => Some("[".to_string()),
            Progress::Event(StreamEvent::TextDelta { delta, .. }) => Some(delta.clone()),
            Progress::Event(StreamEvent::TextEnd { .. }) => Some("]".to_string()),
            Progress::Event(StreamEvent::Done { .. }) => Some("<done>".to_string()),
            _ => None,
        };
        let told: String = steps.iter().filter_map(of).collect();
        assert_eq!(told, "<start>[Hello wörld.]<done>", "{}", wire.api());
        let Some(Progress::Done(outcome)) = steps.last() else { panic!("{steps:?}") };
        assert_eq!(outcome.usage.output, 7, "{}", wire.api());
    }
}

#[tokio::test]
async fn tool_call_result_is_sent_back() {
    for wire in WIRES {
        let call = Answer::new(vec![AnswerPart::Text(&["I look."]), read("call_a1", "a.rs")]);
        let (outcome, called, server) =
            play_replies(*wire, vec![reply(*wire, &call), text_reply(*wire, &["Seen."])]).await;
        let (outcome, name) = (outcome.unwrap(), wire.api());
        assert_eq!((outcome.message.text().as_str(), &called[..]), ("Seen.", &[json!("a.rs")][..]), "{name}");
        assert_eq!(count_answered_calls(*wire, &server.requests()), 1, "{name}");
        assert_eq!((outcome.added.len(), outcome.usage.output), (3, 14), "{name}: every step is kept");
    }
}

#[tokio::test]
async fn tool_results_of_parallel_calls_share_one_request() {
    for wire in WIRES {
        let calls = vec![read("call_a1", "a"), read("call_b2", "missing"), read("call_c3", "c")];
        let (outcome, called, server) =
            play_replies(*wire, vec![reply(*wire, &Answer::new(calls)), text_reply(*wire, &["Both."])]).await;
        let (outcome, name) = (outcome.unwrap(), wire.api());
        assert_eq!(called, ["a", "missing", "c"], "{name}");
        let seen = server.requests();
        assert_eq!(seen.len(), 2, "{name}");
        assert_eq!(count_answered_calls(*wire, &seen), 3, "{name}");
        let failed = outcome.added.iter().filter(|m| matches!(m, Message::ToolResult(r) if r.is_error));
        assert_eq!(failed.count(), 1, "{name}: what fails is a result");
        assert!(seen[1].text.contains("no such file"), "{name}");
    }
}

#[tokio::test]
async fn tool_loop_runs_three_rounds() {
    for wire in WIRES {
        let round = |id, path| reply(*wire, &Answer::new(vec![read(id, path)]));
        let replies = vec![
            round("call_a1", "one"),
            round("call_b2", "two"),
            round("call_c3", "three"),
            text_reply(*wire, &["Done."]),
        ];
        let (outcome, called, server) = play_replies(*wire, replies).await;
        let (outcome, name) = (outcome.unwrap(), wire.api());
        assert_eq!(called, ["one", "two", "three"], "{name}");
        assert_eq!((outcome.message.text().as_str(), outcome.usage.input), ("Done.", 400), "{name}");
        assert_eq!(count_answered_calls(*wire, &server.requests()), 3, "{name}");
    }
}

#[tokio::test]
async fn generate_object_validates_schema() {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    for wire in WIRES {
        let format = Some(ResponseFormat { name: "shape".into(), schema: schema.clone() });
        let wish = Request { format, ..request_without_tools(*wire) };
        // Where the wire has no form for answers, a forced call is the answer.
        let forced = wire
            .parse_request(&request_body(*wire, wish.clone()).await)
            .tools
            .iter()
            .any(|name| name == "shape");
        let answer = |text: &'static str| {
            let call = AnswerPart::Call { id: "call_a1", name: "shape", args: vec![text.to_string()] };
            Answer::new(vec![if forced { call } else { AnswerPart::Text(Box::leak(Box::new([text]))) }])
        };
        let replies = [r#"{"n": 3}"#, r#"{"n": "three"}"#].map(|text| reply(*wire, &answer(text)));
        let server = Server::start(replies.to_vec());
        let client = client(*wire, &server);
        let (value, _) = generate_object(&client, wish.clone(), Options::default()).await.unwrap();
        assert_eq!(value, json!({"n": 3}), "{}", wire.api());
        let error = generate_object(&client, wish, Options::default()).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::NoObject, "{}", wire.api());
    }
}

#[tokio::test]
async fn reasoning_is_separate_part_and_counted() {
    for wire in WIRES.iter().filter(|wire| wire.supports(Feature::Thinking)) {
        let counts = TokenCounts { input: 100, output: 7, reasoning: 5, ..TokenCounts::default() };
        let bits = vec![AnswerPart::Thinking(&["h", "m"], "c2lnbmF0dXJl"), AnswerPart::Text(&["so"])];
        let answer = Answer { tokens: counts, ..Answer::new(bits) };
        let (outcome, _, _) = play_replies(*wire, vec![reply(*wire, &answer)]).await;
        let (message, name) = (outcome.unwrap().message, wire.api());
        assert_eq!(message.text(), "so", "{name}: thinking is no text");
        assert_eq!(message.usage.output, 7, "{name}: thinking is counted once");
        let told = wire.supports(Feature::ReasoningCounts).then_some(5);
        assert_eq!(message.usage.reasoning, told, "{name}");
    }
}

#[tokio::test]
async fn auth_and_request_errors_are_not_retried() {
    for wire in WIRES {
        for (code, kind) in [
            (401, ErrorKind::Authentication),
            (403, ErrorKind::AccessDenied),
            (404, ErrorKind::NotFound),
            (400, ErrorKind::InvalidRequest),
        ] {
            let refusal = Reply::Status { code, headers: Vec::new(), body: wire.error_body(code, "no") };
            let (outcome, _, server) =
                play_replies(*wire, vec![refusal, text_reply(*wire, &["never"])]).await;
            let error = outcome.unwrap_err();
            assert_eq!((error.kind, error.status), (kind, Some(code)), "{}", wire.api());
            assert_eq!(server.requests().len(), 1, "{}: {code} is not asked again", wire.api());
        }
    }
}

#[tokio::test]
async fn retry_repeats_busy_servers_and_broken_streams() {
    for wire in WIRES {
        let name = wire.api();
        let busy = |code, headers| Reply::Status { code, headers, body: wire.error_body(code, "busy") };
        let soon = vec![("retry-after", "0.002".to_string())];
        let replies = vec![busy(429, soon), busy(503, Vec::new()), text_reply(*wire, &["at last"])];
        let (outcome, _, server) = play_replies(*wire, replies.clone()).await;
        let text = outcome.unwrap().message.text();
        assert_eq!((text.as_str(), server.requests().len()), ("at last", 3), "{name}");
        // A second step has its own attempts: they are counted for each call.
        let call = reply(*wire, &Answer::new(vec![read("call_a1", "a")]));
        let steps = [replies[..2].to_vec(), vec![call], replies.clone()].concat();
        let (outcome, called, server) = play_replies(*wire, steps).await;
        outcome.unwrap();
        assert_eq!((called.len(), server.requests().len()), (1, 6), "{name}: retries repeat a call, no step");

        let server = Server::start(replies.clone());
        let never = Options { policy: Policy { retries: 0, ..Policy::default() }, ..Options::default() };
        let error = generate(&client(*wire, &server), request_without_tools(*wire), never).await.unwrap_err();
        assert_eq!((error.kind, server.requests().len()), (ErrorKind::RateLimit, 1), "{name}");

        let mut events =
            to_pieces(wire.encode_events(&Answer::new(vec![AnswerPart::Text(&["half", " way", " there"])])));
        events.truncate(events.len() - 3);
        events.push(Piece::Cut);
        let (outcome, _, server) =
            play_replies(*wire, vec![Reply::Stream(events), text_reply(*wire, &["whole"])]).await;
        let outcome = outcome.unwrap();
        assert_eq!((outcome.message.text().as_str(), server.requests().len()), ("whole", 2), "{name}");
        assert_eq!(outcome.added.len(), 1, "{name}: the broken answer is replaced");
        if name == "anthropic-messages" {
            assert_eq!(outcome.usage.input, 200, "what a broken answer has reported was paid for");
        }
    }
}

#[tokio::test]
async fn token_usage_of_second_turn_has_cache_reads() {
    for wire in WIRES.iter().filter(|wire| wire.supports(Feature::CacheReads)) {
        let counts =
            |input, cached| TokenCounts { input, cache_reads: cached, output: 7, ..TokenCounts::default() };
        let first = Answer { tokens: counts(1000, 0), ..Answer::new(vec![read("call_a1", "a")]) };
        let second = Answer { tokens: counts(100, 1000), ..Answer::new(vec![AnswerPart::Text(&["so"])]) };
        let (outcome, _, _) = play_replies(*wire, vec![reply(*wire, &first), reply(*wire, &second)]).await;
        let (outcome, name) = (outcome.unwrap(), wire.api());
        let last = &outcome.message.usage;
        assert_eq!((last.input, last.cache_read), (100, 1000), "{name}");
        assert_eq!((outcome.usage.input, outcome.usage.cache_read), (1100, 1000), "{name}: of all calls");
        assert_eq!(outcome.usage.total_tokens, 1007 + 1107, "{name}: nothing is counted twice");
    }
}

#[tokio::test]
async fn provider_options_reach_own_provider_only() {
    for wire in WIRES {
        let mut wish = request_without_tools(*wire);
        wish.provider_options.insert("acme".into(), json!({"x_wish": {"deep": 1}}));
        wish.provider_options.insert("other".into(), json!({"x_other": 1}));
        let body = request_body(*wire, wish).await.to_string();
        assert!(
            body.contains(r#""x_wish":{"deep":1}"#) && !body.contains("x_other"),
            "{}: {body}",
            wire.api()
        );
    }
}

#[tokio::test]
async fn stream_timeout_or_drop_closes_connection() {
    for wire in WIRES {
        for limited in [false, true] {
            let mut events =
                to_pieces(wire.encode_events(&Answer::new(vec![AnswerPart::Text(&["half", " way"])])));
            events.insert(events.len() - 2, Piece::Gate);
            let server = Server::start(vec![Reply::Stream(events)]);
            // Long enough for a busy machine to have asked before.
            let total_limit = limited.then_some(Duration::from_millis(500));
            let options = Options { total_limit, ..Options::default() };
            let mut steps = stream(&client(*wire, &server), request_without_tools(*wire), options);
            if limited {
                let last = steps.collect::<Vec<_>>().await.pop();
                let kind = match last {
                    Some(Progress::Failed { error, .. }) => error.kind,
                    other => panic!("{}: {other:?}", wire.api()),
                };
                assert_eq!(kind, ErrorKind::Timeout, "{}", wire.api());
            } else {
                assert!(steps.next().await.is_some(), "{}", wire.api());
                drop(steps);
            }
            tokio::task::spawn_blocking(move || server.wait_for_hang_up()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn message_text_and_images_keep_order() {
    for wire in WIRES {
        let Message::User(mut said) = user("before") else { panic!("a person's message") };
        said.content.extend([image_part(), Part::text("after")]);
        let body = request_body(
            *wire,
            Request { messages: vec![Message::User(said)], ..request_without_tools(*wire) },
        )
        .await;
        let facts = wire.parse_request(&body);
        let text = Value::from(facts.messages).to_string();
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{}: {text}", wire.api()));
        assert!(at("before") < at("iVBORw0KGgo=") && at("iVBORw0KGgo=") < at("after"), "{}", wire.api());
        assert_eq!(facts.images, 1, "{}", wire.api());
    }
}
