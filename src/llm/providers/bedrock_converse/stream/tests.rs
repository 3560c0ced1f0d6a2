//! Streams as they come, and the events that they become.

use super::*;
use crate::llm::model::{KnownPart, Part};
use crate::llm::stream::parsed_events::{last, parse_named_events};
use crate::net::frames::{self, Decoder};
use proptest::prelude::*;

fn model() -> Model {
    Model::unknown("amazon-bedrock", "us.anthropic.claude-opus-5-5", "bedrock-converse-stream", "")
}

/// Through the bytes of the wire, so that names and payloads are what a server sends.
fn read(data: &[(&str, Value)]) -> Vec<StreamEvent> {
    let reader = Reader::new(&model(), RequestInfo::default(), 5);
    let mut events = Vec::new();
    let mut decoder = Decoder::default();
    for (name, value) in data {
        let head = match name.strip_prefix('!') {
            Some(name) => (":exception-type", name),
            None => (":event-type", *name),
        };
        decoder.push(&frames::encode(&[head], value.to_string().as_bytes()), &mut events).unwrap();
    }
    parse_named_events(reader, events)
}

fn kind(events: &[StreamEvent]) -> ErrorKind {
    match events.last().unwrap() {
        StreamEvent::Error { error, .. } => error.kind,
        other => panic!("{other:?}"),
    }
}

fn delta(at: usize, delta: &Value) -> (&'static str, Value) {
    ("contentBlockDelta", json!({"contentBlockIndex": at, "delta": delta}))
}

fn stop(at: usize) -> (&'static str, Value) {
    ("contentBlockStop", json!({"contentBlockIndex": at}))
}

fn tail(reason: &str) -> [(&'static str, Value); 2] {
    let usage = json!({"inputTokens": 10, "outputTokens": 7, "totalTokens": 137,
        "cacheReadInputTokens": 100, "cacheWriteInputTokens": 20,
        "cacheDetails": [{"ttl": "5m", "inputTokens": 5}, {"ttl": "1h", "inputTokens": 15}]});
    [("messageStop", json!({"stopReason": reason})), ("metadata", json!({"usage": usage, "metrics": {}}))]
}

fn whole() -> Vec<(&'static str, Value)> {
    let mut data = vec![
        ("messageStart", json!({"role": "assistant"})),
        delta(0, &json!({"reasoningContent": {"text": "h"}})),
        delta(0, &json!({"reasoningContent": {"text": "m"}})),
        delta(0, &json!({"reasoningContent": {"signature": "si"}})),
        delta(0, &json!({"reasoningContent": {"signature": "g"}})),
        stop(0),
        delta(1, &json!({"reasoningContent": {"redactedContent": "YmxvYg=="}})),
        delta(1, &json!({"reasoningContent": {"redactedContent": "IQ=="}})),
        stop(1),
        delta(2, &json!({"text": "Hel"})),
        delta(2, &json!({"text": "lo"})),
        stop(2),
        (
            "contentBlockStart",
            json!({"contentBlockIndex": 3, "start": {"toolUse": {
            "toolUseId": "tooluse_1", "name": "read"}}}),
        ),
        delta(3, &json!({"toolUse": {"input": ""}})),
        delta(3, &json!({"toolUse": {"input": "{\"path\""}})),
        (
            "contentBlockStart",
            json!({"contentBlockIndex": 4, "start": {"toolUse": {
            "toolUseId": "tooluse_2", "name": "list"}}}),
        ),
        delta(3, &json!({"toolUse": {"input": ": \"a\"}"}})),
        stop(3),
        stop(4),
    ];
    data.extend(tail("tool_use"));
    data
}

#[test]
fn bedrock_stream_full_answer() {
    let events = read(&whole());
    let message = last(&events);
    let thinking = |text: &str, signature: &str, redacted| {
        Part::Known(KnownPart::Thinking {
            thinking: text.into(),
            thinking_signature: Some(signature.into()),
            redacted,
        })
    };
    assert_eq!(message.content[..2], [thinking("hm", "sig", false), thinking("", "YmxvYiE=", true)]);
    assert_eq!(message.text(), "Hello");
    let calls: Vec<_> = message.tool_calls().map(|call| (call.id.as_str(), call.arguments.clone())).collect();
    assert_eq!(calls, [("tooluse_1", json!({"path": "a"})), ("tooluse_2", json!({}))]);
    assert_eq!(
        (message.stop_reason, message.raw_stop_reason.as_deref()),
        (StopReason::ToolUse, Some("tool_use"))
    );
    let usage = message.usage;
    assert_eq!((usage.input, usage.cache_read, usage.cache_write, usage.output), (10, 100, 20, 7));
    assert_eq!((usage.total_tokens, usage.cache_write_hour), (137, Some(15)));
    assert_eq!(events[0], StreamEvent::Start);
}

#[test]
fn bedrock_stream_stop_reasons() {
    let of = |word: &str| {
        let mut data = vec![delta(0, &json!({"text": "par"}))];
        data.extend(tail(word));
        read(&data)
    };
    for (word, expected) in [
        ("end_turn", StopReason::Stop),
        ("stop_sequence", StopReason::Stop),
        ("max_tokens", StopReason::Length),
        ("model_context_window_exceeded", StopReason::Length),
    ] {
        assert_eq!(last(&of(word)).stop_reason, expected, "{word}");
    }
    for (word, expected) in [
        ("guardrail_intervened", ErrorKind::ContentFilter),
        ("content_filtered", ErrorKind::ContentFilter),
        ("malformed_tool_use", ErrorKind::InvalidToolCall),
    ] {
        assert_eq!(kind(&of(word)), expected, "{word}");
        assert_eq!(last(&of(word)).text(), "par");
    }
}

#[test]
fn bedrock_stream_break_keeps_partial_text() {
    let with = |more: Vec<(&'static str, Value)>| {
        let mut data = vec![delta(0, &json!({"text": "par"}))];
        data.extend(more);
        read(&data)
    };
    for (more, expected) in [
        (vec![], ErrorKind::Stream),
        (vec![("contentBlockDelta", json!("nonsense"))], ErrorKind::Stream),
        (vec![("!throttlingException", json!({"message": "slow down"}))], ErrorKind::RateLimit),
        (vec![("!internalServerException", json!({}))], ErrorKind::Server),
        (vec![("!modelStreamErrorException", json!({"originalMessage": "x"}))], ErrorKind::Stream),
        (
            vec![("!validationException", json!({"message": "Input is too long for requested model."}))],
            ErrorKind::ContextLength,
        ),
    ] {
        let events = with(more);
        assert_eq!((kind(&events), last(&events).text().as_str()), (expected, "par"));
    }
}

#[test]
fn bedrock_stream_answer_without_usage_is_complete() {
    let events =
        read(&[delta(0, &json!({"text": "all"})), ("messageStop", json!({"stopReason": "end_turn"}))]);
    assert!(matches!(events.last(), Some(StreamEvent::Done { .. })));
    assert_eq!(events[events.len() - 2], StreamEvent::TextEnd { index: 0 }, "what is open is closed");
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn bedrock_stream_any_events_end_exactly_once(
        data in prop::collection::vec((0usize..8, 0usize..3, ".{0,8}"), 0..12),
    ) {
        let events: Vec<(&str, Value)> = data.iter().map(|(kind, at, text)| match kind {
            0 => delta(*at, &json!({"text": text})),
            1 => delta(*at, &json!({"reasoningContent": {"text": text, "signature": text}})),
            2 => delta(*at, &json!({"reasoningContent": {"redactedContent": text}})),
            3 => delta(*at, &json!({"toolUse": {"input": text}})),
            4 => ("contentBlockStart", json!({"contentBlockIndex": at, "start": {"toolUse": {"name": text}}})),
            5 => stop(*at),
            6 => ("messageStop", json!({"stopReason": text})),
            _ => ("metadata", json!({"usage": {"inputTokens": at}})),
        }).collect();
        let events = read(&events);
        let ends = |e: &&StreamEvent| matches!(e, StreamEvent::Done { .. } | StreamEvent::Error { .. });
        prop_assert_eq!(events.iter().filter(ends).count(), 1);
        prop_assert!(ends(&events.last().unwrap()));
    }
}

#[test]
fn bedrock_stream_second_message_start_restarts_answer() {
    let begin = || ("messageStart", json!({"role": "assistant"}));
    let twice =
        [begin(), delta(0, &json!({"text": "old"})), begin(), delta(0, &json!({"text": "new"})), stop(0)];
    let events = read(&[&twice[..], &tail("end_turn")].concat());
    assert_eq!((last(&events).text().as_str(), last(&events).content.len()), ("new", 1));
    assert_eq!(events.iter().filter(|event| **event == StreamEvent::Start).count(), 2);
}
