//! Streams as the server sends them, and what they amount to.

use proptest::prelude::*;

use super::*;
use crate::base::json::json;
use crate::llm::model::{KnownPart, Part};
use crate::llm::stream::accumulate::Accumulator;
use crate::llm::stream::parsed_events::{last, parse_events};

fn model() -> Model {
    Model::unknown("mistral", "m", "mistral-conversations", "")
}

fn read(data: &[Value]) -> Vec<StreamEvent> {
    let reader = Reader::new(&model(), RequestInfo::default(), 5);
    parse_events(reader, data)
}

fn kind(events: &[StreamEvent]) -> Option<ErrorKind> {
    match events.last().unwrap() {
        StreamEvent::Error { error, .. } => Some(error.kind),
        _ => None,
    }
}

fn delta(delta: &Value) -> Value {
    json!({"id": "cmpl-1", "object": "chat.completion.chunk", "model": "m-2026",
        "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"id": "cmpl-1", "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": reason}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107, "num_cached_tokens": 60}})
}

fn think(words: &str) -> Value {
    delta(&json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": words}]}]}))
}

fn whole() -> Vec<Value> {
    let call = |index: usize, id: &str, arguments: Value| json!({"id": id, "function": {"name": "read", "arguments": arguments}, "index": index});
    vec![
        delta(&json!({"role": "assistant", "content": ""})),
        think("h"),
        delta(&json!({"content": ""})),
        think("m"),
        delta(
            &json!({"content": [{"type": "text", "text": "Grü"}, {"type": "reference", "reference_ids": [1]}]}),
        ),
        delta(&json!({"content": "ße"})),
        delta(
            &json!({"tool_calls": [call(0, "Abc123xyz", json!("{\"a\":")), call(1, "null", json!({"b": 2}))]}),
        ),
        delta(&json!({"tool_calls": [call(0, "null", json!("1}"))]})),
        finish("tool_calls"),
        "[DONE]".into(),
    ]
}

#[test]
fn mistral_stream_full_answer() {
    let events = read(&whole());
    let message = last(&events);
    let thinking = KnownPart::Thinking { thinking: "hm".into(), thinking_signature: None, redacted: false };
    assert_eq!((message.content.len(), &message.content[0]), (4, &Part::Known(thinking)));
    assert_eq!(message.text(), "Grüße");
    let calls: Vec<_> = message.tool_calls().map(|call| (call.id.as_str(), call.arguments.clone())).collect();
    assert_eq!(calls, [("Abc123xyz", json!({"a": 1})), ("call00001", json!({"b": 2}))]);
    assert_eq!(
        (message.stop_reason, message.response_model.as_deref()),
        (StopReason::ToolUse, Some("m-2026"))
    );
    let usage = &message.usage;
    assert_eq!((usage.input, usage.cache_read, usage.output, usage.total_tokens), (40, 60, 7, 107));
    let mut all = Accumulator::new(&model(), 5);
    events[..events.len() - 1].iter().for_each(|event| all.push(event));
    assert_eq!(all.finish().content, message.content);
}

#[test]
fn mistral_stream_stop_reasons_and_errors() {
    let hi = || delta(&json!({"content": "hi"}));
    for (word, reason, expected) in [
        ("stop", StopReason::Stop, None),
        ("length", StopReason::Length, None),
        ("model_length", StopReason::Length, None),
        ("error", StopReason::Error, Some(ErrorKind::Server)),
        ("content_filter", StopReason::Error, Some(ErrorKind::ContentFilter)),
        ("odd", StopReason::Error, Some(ErrorKind::Stream)),
    ] {
        let events = read(&[hi(), finish(word)]);
        assert_eq!((last(&events).stop_reason, kind(&events)), (reason, expected), "{word}");
        assert_eq!(last(&events).text(), "hi");
    }
    for cut in [vec![hi()], vec![hi(), "[DONE]".into()], vec![hi(), "{no".into()]] {
        assert_eq!(kind(&read(&cut)), Some(ErrorKind::Stream));
    }
    let error =
        json!({"object": "error", "message": "Rate limit exceeded", "type": "rate_limited", "code": "1300"});
    assert_eq!(kind(&read(&[hi(), error])), Some(ErrorKind::RateLimit));
}

fn any_chunk() -> impl Strategy<Value = Value> {
    let call = |id: Option<&str>, index: Option<usize>, arguments: String| {
        delta(&json!({"tool_calls": [{"id": id, "index": index, "function": {"arguments": arguments}}]}))
    };
    prop_oneof![
        "[a-zé]{0,3}".prop_map(|words| delta(&json!({"content": words}))),
        "[a-zé]{0,3}".prop_map(|words| think(&words)),
        (any::<bool>(), proptest::option::of(0usize..3), "[{}\":a]{0,3}")
            .prop_map(move |(id, index, text)| call(id.then_some("a"), index, text)),
        Just(delta(&json!({"content": [null, "x", {"type": "thinking"}]}))),
        Just(finish("stop")),
        "\\PC{0,8}".prop_map(Value::String),
    ]
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]

    #[test]
    fn mistral_stream_any_events_end_exactly_once(data in prop::collection::vec(any_chunk(), 0..10)) {
        let events = read(&data);
        let ends = events.iter().filter(|e| matches!(e, StreamEvent::Done { .. } | StreamEvent::Error { .. }));
        prop_assert_eq!(ends.count(), 1);
        let mut all = Accumulator::new(&model(), 5);
        events[..events.len() - 1].iter().for_each(|event| all.push(event));
        prop_assert_eq!(all.finish().content, last(&events).content);
    }
}

#[test]
fn mistral_stream_usage_may_come_in_own_chunk() {
    let counts = json!({"id": "cmpl-1", "usage": {"prompt_tokens": 4, "completion_tokens": 2}});
    let done = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
    let message = last(&read(&[delta(&json!({"content": "a"})), done, counts]));
    assert_eq!((message.text().as_str(), message.usage.input, message.usage.output), ("a", 4, 2));
    assert_eq!(kind(&read(&[json!({"message": "no"})])), Some(ErrorKind::Stream));
}
