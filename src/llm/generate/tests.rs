//! The loop over a scripted model, and the objects that come of it.

use parking_lot::Mutex;

use futures::FutureExt;

use super::*;
use crate::base::json::json;
use crate::llm::model::{Grammar, GrammarSyntax, ResponseFormat, StopReason, ToolChoice};
use crate::llm::object::{ObjectProgress, generate_object, stream_object};
use crate::llm::providers::scripted::script::{Scripted, Step, Turn};

/// Says what it was called with.
struct Echo(&'static str);

impl Callable for Echo {
    fn spec(&self) -> ToolSpec {
        let properties = json!({"n": {"type": "integer"}});
        let parameters = json!({"type": "object", "properties": properties, "required": ["n"]});
        ToolSpec { name: self.0.into(), description: "echoes".into(), parameters, ..ToolSpec::default() }
    }

    fn call(&self, arguments: Value) -> BoxFuture<'_, Result<Vec<Part>, String>> {
        let n = arguments["n"].as_i64().unwrap_or_default();
        let result =
            if n < 0 { Err("too small".to_string()) } else { Ok(vec![Part::text(format!("n={n}"))]) };
        futures::future::ready(result).boxed()
    }
}

fn client(turns: Vec<Turn>) -> (Arc<Scripted>, Client, Request) {
    let (script, injected) = Scripted::injected(turns);
    let mut client = Client::new();
    client.register(injected.provider, injected.models);
    let model = (*client.models()[0]).clone();
    (script, client, Request { model, ..Request::default() })
}

fn options() -> Options {
    let policy = Policy { base: Duration::from_millis(1), ..Policy::default() };
    Options { tools: vec![Arc::new(Echo("echo"))], policy, ..Options::default() }
}

fn call(id: &str, name: &str, arguments: Value) -> Step {
    Step::Call { id: id.into(), name: name.into(), arguments }
}

fn results(added: &[Message]) -> Vec<String> {
    let results = added.iter().filter_map(|message| match message {
        Message::ToolResult(result) => {
            let mark = if result.is_error { "!" } else { "" };
            let text = result.content.first().and_then(Part::as_text).unwrap_or_default();
            Some(format!("{mark}{} {}", result.tool_call_id, text.lines().next().unwrap_or_default()))
        }
        _ => None,
    });
    results.collect()
}

#[tokio::test]
async fn generate_runs_tools_until_done() {
    let calls = vec![
        call("a", "echo", json!({"n": 1})),
        call("b", "echo", json!({"n": -1})),
        call("c", "echo", json!({"n": "2"})),
        call("d", "echo", json!({})),
        call("e", "nothing", json!({})),
    ];
    let (script, client, request) = client(vec![Turn::of(calls), Turn::text("done")]);
    let outcome = generate(&client, request, options()).await.unwrap();
    assert_eq!(
        results(&outcome.added),
        ["a n=1", "!b too small", "c n=2", "!d The arguments do not fit:", "!e There is no tool `nothing`."]
    );
    assert_eq!((outcome.message.text().as_str(), outcome.usage.input), ("done", 20));
    let requests = script.requests();
    assert_eq!((requests.len(), requests[1].messages.len()), (2, 6), "all results go back in one request");
}

/// Answers when as many others are waiting.
struct Meet(tokio::sync::Barrier);

impl Callable for Meet {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "meet".into(), parameters: json!({"type": "object"}), ..ToolSpec::default() }
    }

    fn call(&self, _: Value) -> BoxFuture<'_, Result<Vec<Part>, String>> {
        self.0.wait().map(|_| Ok(vec![Part::text("met")])).boxed()
    }
}

#[tokio::test]
async fn generate_runs_calls_of_one_answer_in_parallel() {
    let calls = ["a", "b", "c"].map(|id| call(id, "meet", json!({})));
    let (_script, client, request) = client(vec![Turn::of(calls.to_vec()), Turn::text("done")]);
    let tools: Vec<Arc<dyn Callable>> = vec![Arc::new(Meet(tokio::sync::Barrier::new(3)))];
    let options = Options { tools, total_limit: Some(Duration::from_secs(20)), ..options() };
    let outcome = generate(&client, request, options).await.unwrap();
    assert_eq!(results(&outcome.added), ["a met", "b met", "c met"]);
}

#[tokio::test]
async fn generate_limits_steps_and_skips_truncated_calls() {
    let again = || Turn::call("a", "echo", json!({"n": 1}));
    let (script, client, request) = client(vec![again(), again(), again()]);
    let outcome = generate(&client, request.clone(), Options { max_steps: 2, ..options() }).await.unwrap();
    assert_eq!((script.requests().len(), outcome.message.stop_reason), (2, StopReason::ToolUse));

    let (_script, client, request) =
        self::client(vec![again().stop(StopReason::Length), Turn::text("shorter")]);
    let outcome = generate(&client, request, options()).await.unwrap();
    assert!(results(&outcome.added)[0].starts_with("!a Not run"), "{:?}", outcome.added);
}

#[tokio::test]
async fn generate_call_of_unexecutable_tool_ends_loop() {
    let (script, client, mut request) = client(vec![Turn::call("a", "mine", json!({}))]);
    request.tools.push(ToolSpec { name: "mine".into(), ..ToolSpec::default() });
    let outcome = generate(&client, request, options()).await.unwrap();
    assert_eq!((script.requests().len(), outcome.added.len()), (1, 1));
}

#[tokio::test]
async fn generate_invalid_tool_names_fail_before_request() {
    for (names, told) in
        [(["a b", "c"], "`a b` has a name"), (["", "c"], "`` has a name"), (["c", "c"], "`c` is there twice")]
    {
        let (script, client, request) = client(vec![]);
        let tools = names.map(|name| ToolSpec { name: name.into(), ..ToolSpec::default() }).to_vec();
        let error = generate(&client, Request { tools, ..request }, options()).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Configuration);
        assert!(error.message.contains(told) && script.requests().is_empty(), "{error}");
    }
}

#[tokio::test]
async fn generate_required_tool_choice_applies_once() {
    let turns = vec![Turn::call("a", "echo", json!({"n": 1})), Turn::text("done")];
    let (script, client, request) = client(turns);
    let request = Request { tool_choice: ToolChoice::Required, ..request };
    assert_eq!(generate(&client, request, options()).await.unwrap().message.text(), "done");
    let choices: Vec<_> = script.requests().into_iter().map(|request| request.tool_choice).collect();
    assert_eq!(choices, [ToolChoice::Required, ToolChoice::Auto]);
}

#[tokio::test]
async fn generate_repairs_invalid_arguments_once() {
    let turns = vec![Turn::call("a", "echo", json!({"m": 1})), Turn::text("done")];
    let (_script, client, request) = client(turns);
    let repair: Repair = Arc::new(|call, wrong| {
        assert!(wrong.contains("n: missing"), "{wrong}");
        Some(json!({"n": call.arguments["m"]}))
    });
    let options = Options { repair: Some(repair), ..options() };
    let outcome = generate(&client, request, options).await.unwrap();
    assert_eq!(results(&outcome.added), ["a n=1"]);
}

#[tokio::test]
async fn retry_restarts_answer_before_or_after_first_delta() {
    let heard = Arc::new(Mutex::new(0));
    let count = heard.clone();
    let hear: OnRetry = Arc::new(move |error, wait| {
        assert_eq!(error.kind, ErrorKind::Server);
        assert!(wait < Duration::from_millis(4));
        *count.lock() += 1;
    });
    let (_script, client, request) = client(vec![Turn::fail(ErrorKind::Server, "busy"), Turn::text("here")]);
    let options = || Options { on_retry: Some(hear.clone()), ..options() };
    assert_eq!(generate(&client, request, options()).await.unwrap().message.text(), "here");
    assert_eq!(*heard.lock(), 1);

    let broken = Turn::of(vec![
        Step::Text(vec!["ha".into()]),
        Step::Fail(LlmError::new(ErrorKind::Server, "scripted", "broke off")),
    ]);
    let (_script, client, request) = self::client(vec![broken, Turn::text("whole")]);
    let outcome = generate(&client, request, options()).await.unwrap();
    assert_eq!((outcome.message.text().as_str(), *heard.lock()), ("whole", 2));
    assert_eq!(outcome.added.len(), 1, "the broken answer is not kept");
}

#[tokio::test]
async fn retry_drops_calls_of_broken_answer() {
    let broken = Turn::of(vec![
        call("a", "echo", json!({"n": 1})),
        Step::Fail(LlmError::new(ErrorKind::Stream, "scripted", "broke off")),
    ]);
    let turns = vec![broken, Turn::call("b", "echo", json!({"n": 2})), Turn::text("done")];
    let (script, client, request) = client(turns);
    let steps: Vec<_> = stream(&client, request, options()).collect().await;
    let at = steps.iter().position(|step| matches!(step, Progress::Retrying { .. })).unwrap();
    let is_start = |step: &Progress| matches!(step, Progress::Event(StreamEvent::Start));
    assert!(is_start(&steps[at + 1]), "the consumer learns where the answer begins anew: {steps:?}");
    let Some(Progress::Done(outcome)) = steps.last() else { panic!("{steps:?}") };
    assert_eq!(results(&outcome.added), ["b n=2"]);
    assert!(script.requests()[1].messages.is_empty(), "the broken answer is not sent back");
}

/// Takes free text, and says what it got.
struct Free;

impl Callable for Free {
    fn spec(&self) -> ToolSpec {
        let definition = "start: /.+/".to_string();
        let grammar = Some(Grammar { syntax: GrammarSyntax::Lark, definition });
        let parameters = json!({"type": "object", "properties": {"input": {"type": "string"}}});
        ToolSpec { name: "patch".into(), parameters, grammar, ..ToolSpec::default() }
    }

    fn call(&self, arguments: Value) -> BoxFuture<'_, Result<Vec<Part>, String>> {
        futures::future::ready(Ok(vec![Part::text(arguments.to_string())])).boxed()
    }
}

#[tokio::test]
async fn free_text_tool_takes_non_json_arguments_as_text() {
    for (arguments, given) in [
        ("*** Begin Patch", json!({"input": "*** Begin Patch"})),
        ("\"*** Begin Patch\"", json!({"input": "*** Begin Patch"})),
        (r#"{"input": "*** Begin Patch"}"#, json!({"input": "*** Begin Patch"})),
    ] {
        let raw =
            |name: &str| Step::RawCall { id: "a".into(), name: name.into(), arguments: arguments.into() };
        let (_script, client, request) = client(vec![Turn::of(vec![raw("patch")]), Turn::text("done")]);
        let tools: Vec<Arc<dyn Callable>> = vec![Arc::new(Free), Arc::new(Echo("echo"))];
        let outcome =
            generate(&client, request, Options { tools: tools.clone(), ..options() }).await.unwrap();
        assert_eq!(results(&outcome.added), [format!("a {given}")]);
        let Message::Assistant(kept) = &outcome.added[0] else { panic!("{:?}", outcome.added) };
        assert_eq!(kept.tool_calls().next().unwrap().arguments, given, "it goes back as it was understood");
    }
    let raw = Step::RawCall { id: "a".into(), name: "echo".into(), arguments: "words".into() };
    let (_script, client, request) = client(vec![Turn::of(vec![raw]), Turn::text("done")]);
    let tools: Vec<Arc<dyn Callable>> = vec![Arc::new(Free), Arc::new(Echo("echo"))];
    let outcome = generate(&client, request, Options { tools, ..options() }).await.unwrap();
    assert_eq!(results(&outcome.added), ["!a The arguments do not fit:"], "any other tool wants JSON");
}

#[tokio::test]
async fn generate_time_limits_end_with_timeout() {
    let stall = || vec![Turn::of(vec![Step::Stall])];
    for (step, total, what) in [(Some(20), None, "one answer"), (None, Some(20), "the whole of it")] {
        let (_script, client, request) = client(stall());
        let limit = |ms: Option<u64>| ms.map(Duration::from_millis);
        let options = Options { step_limit: limit(step), total_limit: limit(total), ..options() };
        let error = generate(&client, request, options).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Timeout);
        assert!(error.message.contains(what), "{error}");
    }
}

fn knots(turns: Vec<Turn>) -> (Client, Request) {
    let (_script, client, request) = client(turns);
    let properties = json!({"knots": {"type": "array", "items": {"type": "string"}}});
    let schema = json!({"type": "object", "properties": properties, "required": ["knots"]});
    (client, Request { format: Some(ResponseFormat { name: "knots".into(), schema }), ..request })
}

#[tokio::test]
async fn object_stream_grows_and_is_validated() {
    let pieces = ["{\"knots\": [\"bow", "line\", \"cl", "ove\"]}"].map(str::to_string).to_vec();
    let (client, request) = knots(vec![Turn::of(vec![Step::Text(pieces)])]);
    let steps: Vec<_> = stream_object(&client, request, Options::default()).collect().await;
    let partial = |knots: Value| ObjectProgress::Partial(json!({"knots": knots}));
    assert_eq!(
        steps[..3],
        [partial(json!(["bow"])), partial(json!(["bowline", "cl"])), partial(json!(["bowline", "clove"]))]
    );
    assert!(matches!(&steps[3], ObjectProgress::Done(value, _) if value["knots"][1] == "clove"));
}

#[tokio::test]
async fn object_stream_restarts_after_retry() {
    let broken = Turn::of(vec![
        Step::Text(vec!["{\"knots\": [\"half".to_string()]),
        Step::Fail(LlmError::new(ErrorKind::Stream, "scripted", "broke off")),
    ]);
    let (client, request) = knots(vec![broken, Turn::text("{\"knots\": [\"bowline\"]}")]);
    let policy = Policy { base: Duration::from_millis(1), ..Policy::default() };
    let steps: Vec<_> =
        stream_object(&client, request, Options { policy, ..Options::default() }).collect().await;
    let partial = |knots: Value| ObjectProgress::Partial(json!({"knots": knots}));
    assert_eq!(steps[..2], [partial(json!(["half"])), partial(json!(["bowline"]))]);
    assert!(matches!(&steps[2], ObjectProgress::Done(value, _) if value["knots"][0] == "bowline"));
}

#[tokio::test]
async fn object_is_read_from_text_code_block_or_call() {
    for turn in [
        Turn::text("```json\n{\"knots\": []}\n```"),
        Turn::text(" {\"knots\": []} "),
        Turn::call("a", "knots", json!({"knots": []})),
    ] {
        // The call is one of the wire's own making: nobody offered it, and nobody runs it.
        let (client, request) = knots(vec![turn]);
        let (value, _) = generate_object(&client, request, Options::default()).await.unwrap();
        assert_eq!(value, json!({"knots": []}));
    }
}

#[tokio::test]
async fn object_not_matching_schema_is_error() {
    for text in ["no", "[]", "{\"knots\": 1}"] {
        let (client, request) = knots(vec![Turn::text(text)]);
        let error = generate_object(&client, request, Options::default()).await.unwrap_err();
        assert_eq!((error.kind, error.raw.as_deref()), (ErrorKind::NoObject, Some(text)), "{error}");
    }
    let (_script, client, request) = client(vec![]);
    let error = generate_object(&client, request, Options::default()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Configuration);
}
