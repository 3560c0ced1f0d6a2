//! Streams as servers send them, and what they amount to.

use proptest::prelude::*;

use super::*;
use crate::base::json::json;
use crate::llm::model::{AssistantMessage, ErrorKind, KnownPart, Part};
use crate::llm::stream::accumulate::Accumulator;
use crate::llm::stream::answer::StreamReader as _;
use crate::llm::stream::parsed_events::{last, parse_events};

fn model() -> Model {
    Model::unknown("openai", "gpt-x", "openai-completions", "")
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
    json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-x-2026",
        "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn call(index: usize, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
    let mut call = json!({"index": index, "function": {"arguments": arguments}});
    if let (Some(id), Some(name)) = (id, name) {
        call["id"] = id.into();
        call["type"] = "function".into();
        call["function"]["name"] = name.into();
    }
    delta(&json!({"tool_calls": [call]}))
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": null})
}

fn done() -> Value {
    "[DONE]".into()
}

fn arguments(message: &AssistantMessage) -> Vec<(String, Value)> {
    message.tool_calls().map(|call| (call.id.clone(), call.arguments.clone())).collect()
}

/// Signatures are no events.
fn unsigned(mut message: AssistantMessage) -> Vec<Part> {
    for part in &mut message.content {
        if let Part::Known(KnownPart::Thinking { thinking_signature, .. }) = part {
            *thinking_signature = None;
        }
    }
    message.content
}

fn whole() -> Vec<Value> {
    vec![
        delta(&json!({"role": "assistant", "content": "", "refusal": null})),
        delta(&json!({"reasoning_content": "h", "reasoning": "h"})),
        delta(&json!({"reasoning_content": "m"})),
        delta(&json!({"content": "Hel"})),
        delta(&json!({"content": "lo"})),
        call(0, Some("a"), Some("read"), ""),
        call(0, None, None, "{\"path\""),
        call(1, Some("b"), Some("read"), "{\"path\": "),
        call(0, None, None, ": \"x\"}"),
        call(1, None, None, "\"y\"}"),
        finish("tool_calls"),
        json!({"choices": [], "usage": {"prompt_tokens": 110, "completion_tokens": 7, "total_tokens": 117,
            "prompt_tokens_details": {"cached_tokens": 100},
            "completion_tokens_details": {"reasoning_tokens": 3}}}),
        done(),
    ]
}

#[test]
fn completions_stream_full_answer() {
    let message = last(&read(&whole()));
    let hm = KnownPart::Thinking {
        thinking: "hm".into(),
        thinking_signature: Some("reasoning_content".into()),
        redacted: false,
    };
    assert_eq!((message.content.len(), &message.content[0]), (4, &Part::Known(hm)));
    assert_eq!(message.text(), "Hello");
    let expected = [("a".into(), json!({"path": "x"})), ("b".into(), json!({"path": "y"}))];
    assert_eq!(arguments(&message), expected);
    assert_eq!(
        (message.stop_reason, message.raw_stop_reason.as_deref()),
        (StopReason::ToolUse, Some("tool_calls"))
    );
    assert_eq!(message.response_id.as_deref(), Some("chatcmpl-1"));
    assert_eq!((message.response_model.as_deref(), message.timestamp), (Some("gpt-x-2026"), 5));
    let usage = message.usage;
    assert_eq!((usage.input, usage.cache_read, usage.output, usage.reasoning), (10, 100, 7, Some(3)));
    assert_eq!(usage.total_tokens, 117);
}

#[test]
fn completions_stream_events_fold_and_every_part_ends() {
    let events = read(&whole());
    let mut all = Accumulator::new(&model(), 5);
    events[..events.len() - 1].iter().for_each(|event| all.push(event));
    assert_eq!(unsigned(all.finish()), unsigned(last(&events)));
    let count = |which: fn(&StreamEvent) -> bool| events.iter().filter(|event| which(event)).count();
    assert_eq!(count(|e| matches!(e, StreamEvent::Start)), 1);
    assert_eq!(count(|e| matches!(e, StreamEvent::TextEnd { .. })), 1);
    assert_eq!(count(|e| matches!(e, StreamEvent::ThinkingEnd { .. })), 1);
    assert_eq!(count(|e| matches!(e, StreamEvent::ToolCallEnd { .. })), 2);
}

#[test]
fn completions_stream_stop_reasons() {
    for (word, expected) in [
        ("stop", StopReason::Stop),
        ("length", StopReason::Length),
        ("content_filter", StopReason::Error),
        ("error", StopReason::Error),
        ("eos", StopReason::Stop),
    ] {
        assert_eq!(last(&read(&[finish(word), done()])).stop_reason, expected, "{word}");
    }
    assert_eq!(kind(&read(&[finish("content_filter"), done()])), Some(ErrorKind::ContentFilter));
    let calls = [call(0, Some("a"), Some("read"), "{}"), finish("stop"), done()];
    assert_eq!(last(&read(&calls)).stop_reason, StopReason::ToolUse);
}

#[test]
fn completions_stream_ends_by_done_or_finish_reason() {
    let text = || delta(&json!({"content": "hi"}));
    assert_eq!(kind(&read(&[text(), finish("stop")])), None);
    assert_eq!(kind(&read(&[text(), done()])), None);
    let cut = read(&[text()]);
    assert_eq!((kind(&cut), last(&cut).text().as_str()), (Some(ErrorKind::Stream), "hi"));
}

#[test]
fn completions_stream_calls_without_index_are_separated() {
    let without_index = |id: &str, arguments: &str| {
        delta(&json!({"tool_calls": [{"id": id, "function": {"name": "read", "arguments": arguments}}]}))
    };
    let expected = [("a".to_string(), json!({"n": 1})), ("b".to_string(), json!({"n": 2}))];
    let data = [without_index("a", "{\"n\": 1}"), without_index("b", "{\"n\": 2}"), done()];
    assert_eq!(arguments(&last(&read(&data))), expected);
    let same_index = [
        call(0, Some("a"), Some("read"), "{\"n\": 1}"),
        call(0, Some("b"), Some("read"), "{\"n\": 2}"),
        done(),
    ];
    assert_eq!(arguments(&last(&read(&same_index))), expected);
    let nameless_id = delta(&json!({"tool_calls": [{"index": 0, "function": {"name": "read"}}]}));
    assert_eq!(arguments(&last(&read(&[nameless_id, done()]))), [("call_0".to_string(), json!({}))]);
    let nameless = call(0, None, None, "{}");
    assert_eq!(kind(&read(&[nameless, finish("tool_calls"), done()])), Some(ErrorKind::Stream));
}

#[test]
fn completions_stream_break_keeps_partial_content() {
    let text = || delta(&json!({"content": "par"}));
    let broken = read(&[text(), "{not json".into(), delta(&json!({"content": "ignored"}))]);
    assert_eq!((kind(&broken), last(&broken).text().as_str()), (Some(ErrorKind::Stream), "par"));
    let error = json!({"error": {"message": "overloaded", "type": "server_error", "code": null}});
    let failed = read(&[text(), error]);
    assert_eq!((kind(&failed), last(&failed).text().as_str()), (Some(ErrorKind::Server), "par"));
    assert!(last(&failed).error_message.unwrap().contains("overloaded"));
    let cut_call = read(&[call(0, Some("a"), Some("read"), "{\"path\": "), finish("length"), done()]);
    assert_eq!(arguments(&last(&cut_call)), [("a".to_string(), json!("{\"path\": "))]);
    assert_eq!(last(&cut_call).stop_reason, StopReason::Length);
}

#[test]
fn completions_stream_without_finish_reason_may_end() {
    let read = |flag: bool| {
        let mut model = model();
        model.compat.insert("supportsFinishReason".into(), flag.into());
        let mut reader = Reader::new(&model, RequestInfo::default(), 5);
        let mut out = Vec::new();
        let chunk = call(0, Some("a"), Some("read"), "{}");
        reader.read_event(&Event { name: String::new(), data: chunk.to_string() }, &mut out);
        reader.end(&mut out);
        last(&out).stop_reason
    };
    assert_eq!((read(true), read(false)), (StopReason::Error, StopReason::ToolUse));
}

#[test]
fn completions_stream_reasoning_details_are_kept() {
    let detail = |text: &str| json!({"type": "reasoning.text", "text": text, "index": 0});
    let secret = json!({"type": "reasoning.encrypted", "data": "x", "id": "1"});
    let message = last(&read(&[
        delta(&json!({"reasoning": "a", "reasoning_details": [detail("a")]})),
        delta(&json!({"reasoning": "b", "reasoning_details": [detail("b"), null]})),
        delta(&json!({"content": "hi"})),
        delta(&json!({"reasoning_details": [secret]})),
        finish("stop"),
        done(),
    ]));
    let signature = Some(json!([detail("ab"), secret]).to_string());
    let thinking =
        KnownPart::Thinking { thinking: "ab".into(), thinking_signature: signature, redacted: false };
    assert_eq!((message.content.len(), &message.content[0]), (2, &Part::Known(thinking)));
    let alone = last(&read(&[delta(&json!({"reasoning_details": [secret]})), finish("stop"), done()]));
    let signature = Some(json!([secret]).to_string());
    let thinking =
        KnownPart::Thinking { thinking: String::new(), thinking_signature: signature, redacted: false };
    assert_eq!(alone.content, [Part::Known(thinking)]);
}

#[test]
fn completions_stream_custom_tool_input_is_text() {
    let custom = |more: &Value| {
        delta(&json!({"tool_calls": [{"index": 0, "id": "c", "type": "custom", "custom": more}]}))
    };
    let message = last(&read(&[
        custom(&json!({"name": "patch", "input": ""})),
        custom(&json!({"input": "a\"\n"})),
        custom(&json!({"input": "é"})),
        finish("tool_calls"),
        done(),
    ]));
    assert_eq!(arguments(&message), [("c".to_string(), json!({"input": "a\"\né"}))]);
}

#[test]
fn completions_stream_usage_inside_choice() {
    let usage = json!({"prompt_tokens": 3, "completion_tokens": 2});
    let message =
        last(&read(&[json!({"choices": [{"delta": {}, "finish_reason": "stop", "usage": usage}]}), done()]));
    assert_eq!((message.usage.input, message.usage.output), (3, 2));
}

fn any_chunk() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-z]{0,3}".prop_map(|s| delta(&json!({"content": s}))),
        "[a-z]{0,3}".prop_map(|s| delta(&json!({"reasoning": s}))),
        (0..3usize, proptest::option::of("[ab]{0,1}"), "[{}\"a:]{0,3}").prop_map(|(at, id, text)| call(
            at,
            id.as_deref(),
            Some("read"),
            &text
        )),
        Just(finish("stop")),
        Just(json!({"choices": null, "usage": {"prompt_tokens": 1, "prompt_tokens_details": null}})),
        "\\PC{0,8}".prop_map(Value::String),
    ]
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]

    #[test]
    fn completions_stream_any_chunks_end_exactly_once(mut data in prop::collection::vec(any_chunk(), 0..12), whole: bool) {
        data.extend(whole.then(done));
        let events = read(&data);
        let ends = events.iter().filter(|e| matches!(e, StreamEvent::Done { .. } | StreamEvent::Error { .. }));
        prop_assert_eq!(ends.count(), 1);
        let mut all = Accumulator::new(&model(), 5);
        events[..events.len() - 1].iter().for_each(|event| all.push(event));
        prop_assert_eq!(unsigned(all.finish()), unsigned(last(&events)));
    }
}

#[test]
fn completions_stream_odd_index_and_counts_are_harmless() {
    let text = json!({"choices": [{"index": null, "delta": {"content": "a"}, "finish_reason": null}]});
    let counts = json!({"choices": [], "usage": {"prompt_tokens": u64::MAX, "completion_tokens": u64::MAX}});
    let message = last(&read(&[text, finish("stop"), counts]));
    assert_eq!((message.text().as_str(), message.usage.total_tokens), ("a", u64::MAX));
}
