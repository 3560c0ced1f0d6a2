//! Streams as they come, and the events that they become.

use super::*;
use crate::base::json::json;
use crate::llm::model::KnownPart;
use crate::llm::stream::accumulate::Accumulator;
use crate::llm::stream::answer::StreamReader as _;
use crate::llm::stream::parsed_events::{last, parse_events};
use proptest::prelude::*;

fn model() -> Model {
    Model::unknown("google", "gemini-4-argon", "google-generative-ai", "")
}

fn read(data: &[Value]) -> Vec<StreamEvent> {
    let reader = Reader::new(&model(), RequestInfo::default(), 5);
    parse_events(reader, data)
}

fn kind(events: &[StreamEvent]) -> ErrorKind {
    match events.last().unwrap() {
        StreamEvent::Error { error, .. } => error.kind,
        other => panic!("{other:?}"),
    }
}

fn chunk(parts: &Value) -> Value {
    json!({"candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0}],
        "usageMetadata": {"promptTokenCount": 100, "totalTokenCount": 100},
        "modelVersion": "gemini-4-argon", "responseId": "resp_1"})
}

fn close(reason: &str) -> Value {
    json!({"candidates": [{"content": {"parts": [{"text": ""}], "role": "model"}, "finishReason": reason}],
        "usageMetadata": {"promptTokenCount": 100, "cachedContentTokenCount": 40,
            "candidatesTokenCount": 7, "thoughtsTokenCount": 3, "totalTokenCount": 110}})
}

fn whole() -> Vec<Value> {
    vec![
        chunk(&json!([{"text": "h", "thought": true}])),
        chunk(&json!([{"text": "m", "thought": true, "thoughtSignature": "c2lnMQ=="}])),
        chunk(&json!([{"text": "Hel"}])),
        chunk(&json!([{"text": "lo"}, {"text": "", "thoughtSignature": "c2lnMg=="}])),
        chunk(&json!([
            {"functionCall": {"name": "read", "args": {"path": "a"}}, "thoughtSignature": "c2lnMw=="},
            {"functionCall": {"id": "given", "name": "read", "args": {}}},
            {"functionCall": {"id": "given", "name": "write"}}])),
        close("STOP"),
    ]
}

#[test]
fn gemini_stream_full_answer() {
    let message = last(&read(&whole()));
    let thinking = KnownPart::Thinking {
        thinking: "hm".into(),
        thinking_signature: Some("c2lnMQ==".into()),
        redacted: false,
    };
    let text = KnownPart::Text { text: "Hello".into(), text_signature: Some("c2lnMg==".into()) };
    let parts: Vec<_> = [thinking, text].into_iter().map(crate::llm::model::Part::Known).collect();
    assert_eq!(message.content[..2], parts);
    let calls: Vec<_> = message.tool_calls().collect();
    let ids: Vec<_> = calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["read_5_1", "given", "write_5_3"], "none is given twice");
    assert_eq!(calls[0].arguments, json!({"path": "a"}));
    assert_eq!(calls[0].thought_signature.as_deref(), Some("c2lnMw=="));
    assert_eq!((&calls[2].arguments, &calls[2].thought_signature), (&json!({}), &None));
    assert_eq!(message.stop_reason, StopReason::ToolUse, "calls tell, the wire does not");
    assert_eq!(message.raw_stop_reason.as_deref(), Some("STOP"));
    assert_eq!((message.response_id.as_deref(), message.response_model), (Some("resp_1"), None));
    let usage = message.usage;
    assert_eq!((usage.input, usage.cache_read, usage.output, usage.reasoning), (60, 40, 10, Some(3)));
    assert_eq!(usage.total_tokens, 110);
}

#[test]
fn gemini_stream_events_fold_to_final_message() {
    let events = read(&whole());
    let mut all = Accumulator::new(&model(), 5);
    events[..events.len() - 1].iter().for_each(|event| all.push(event));
    let (folded, told) = (all.finish(), last(&events));
    assert_eq!(folded.text(), told.text());
    assert!(folded.tool_calls().eq(told.tool_calls()));
}

#[test]
fn gemini_stream_finish_reasons() {
    let of = |word: &str| read(&[chunk(&json!([{"text": "par"}])), close(word)]);
    assert_eq!(last(&of("STOP")).stop_reason, StopReason::Stop);
    assert_eq!(last(&of("MAX_TOKENS")).stop_reason, StopReason::Length);
    for (word, expected) in [
        ("SAFETY", ErrorKind::ContentFilter),
        ("RECITATION", ErrorKind::ContentFilter),
        ("PROHIBITED_CONTENT", ErrorKind::ContentFilter),
        ("BLOCKLIST", ErrorKind::ContentFilter),
        ("SPII", ErrorKind::ContentFilter),
        ("IMAGE_SAFETY", ErrorKind::ContentFilter),
        ("MALFORMED_FUNCTION_CALL", ErrorKind::InvalidToolCall),
        ("UNEXPECTED_TOOL_CALL", ErrorKind::InvalidToolCall),
        ("TOO_MANY_TOOL_CALLS", ErrorKind::InvalidToolCall),
        ("MISSING_THOUGHT_SIGNATURE", ErrorKind::InvalidRequest),
        ("OTHER", ErrorKind::Server),
    ] {
        let events = of(word);
        assert_eq!(kind(&events), expected, "{word}");
        let message = last(&events);
        assert_eq!((message.text().as_str(), message.raw_stop_reason.as_deref()), ("par", Some(word)));
    }
}

#[test]
fn gemini_stream_blocked_prompt_is_content_filter() {
    let feedback = json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 9}});
    let events = read(&[feedback]);
    assert_eq!(kind(&events), ErrorKind::ContentFilter);
    assert_eq!(last(&events).usage.input, 9);
    assert!(last(&events).error_message.unwrap().contains("PROHIBITED_CONTENT"));
}

#[test]
fn gemini_stream_break_keeps_partial_text() {
    let begun = || vec![chunk(&json!([{"text": "par"}]))];
    let with = |more: Value| read(&[begun(), vec![more]].concat());
    let cut = read(&begun());
    assert_eq!((kind(&cut), last(&cut).text().as_str()), (ErrorKind::Stream, "par"));
    assert_eq!(kind(&with(json!("{not json"))), ErrorKind::Stream);
    let error =
        json!({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}});
    assert_eq!(kind(&with(error)), ErrorKind::Server);
    assert_eq!(kind(&read(&[])), ErrorKind::Stream);
}

#[test]
fn gemini_stream_failure_after_finish_is_ignored() {
    let mut reader = Reader::new(&model(), RequestInfo::default(), 5);
    let mut out = Vec::new();
    for data in [chunk(&json!([{"text": "all"}])), close("STOP")] {
        reader.read_event(&Event { name: String::new(), data: data.to_string() }, &mut out);
    }
    reader.fail(RequestInfo::default().invalid_stream("stalled"), &mut out);
    assert!(matches!(out.last(), Some(StreamEvent::Done { .. })), "{out:?}");
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop::sample::select(vec!["STOP", "SAFETY", "", "c2ln", "read"]).prop_map(Value::from),
    ];
    let names = [
        "candidates",
        "content",
        "parts",
        "text",
        "thought",
        "thoughtSignature",
        "functionCall",
        "name",
        "id",
        "args",
        "finishReason",
        "usageMetadata",
        "promptTokenCount",
        "error",
        "candidatesTokenCount",
        "toolUsePromptTokenCount",
        "thoughtsTokenCount",
        "promptFeedback",
        "blockReason",
    ];
    leaf.prop_recursive(5, 60, 5, move |inner| {
        let key = prop::sample::select(names.to_vec());
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..5).prop_map(|pairs| {
                Value::Object(pairs.into_iter().map(|(k, v)| (k.to_string(), v)).collect())
            }),
        ]
    })
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn gemini_stream_any_events_end_exactly_once(data in prop::collection::vec(values(), 0..6)) {
        let events = read(&data);
        let ends = |e: &&StreamEvent| matches!(e, StreamEvent::Done { .. } | StreamEvent::Error { .. });
        prop_assert_eq!(events.iter().filter(ends).count(), 1);
        prop_assert!(ends(&events.last().unwrap()));
    }
}

#[test]
fn gemini_stream_huge_or_missing_counts_are_harmless() {
    let usage = |counts: Value| json!({"candidates": [], "usageMetadata": counts});
    let huge = json!({"promptTokenCount": u64::MAX, "toolUsePromptTokenCount": u64::MAX,
        "candidatesTokenCount": u64::MAX, "thoughtsTokenCount": 1});
    assert_eq!(last(&read(&[usage(huge), close("STOP")])).stop_reason, StopReason::Stop);
    let events = read(&[
        chunk(&json!([{"text": "a"}])),
        usage(json!({"promptTokenCount": 5, "candidatesTokenCount": 3, "thoughtsTokenCount": 4})),
        json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 5}}),
    ]);
    assert_eq!((last(&events).usage.input, last(&events).usage.output), (5, 7));
}

#[test]
fn gemini_stream_partial_args_build_calls() {
    let call = |call: Value| chunk(&json!([{"functionCall": call}]));
    let piece = |text: &str| json!({"jsonPath": "$.path", "stringValue": text, "willContinue": true});
    let signed = json!([{"thoughtSignature": "c2lnMw==", "functionCall": {"name": "read", "id": "one", "willContinue": true}}]);
    let message = last(&read(&[
        chunk(&signed),
        call(json!({"partialArgs": [piece("a")], "willContinue": true})),
        call(
            json!({"partialArgs": [piece(".rs"), {"jsonPath": "$.line", "numberValue": 3.0}], "willContinue": true}),
        ),
        call(json!({})),
        call(json!({"name": "write", "partialArgs": [{"jsonPath": "$.all", "boolValue": true}]})),
        call(json!({"name": "ls", "args": {"path": "b"}})),
        close("STOP"),
    ]));
    let calls: Vec<_> = message.tool_calls().collect();
    let seen: Vec<_> = calls.iter().map(|call| (call.name.as_str(), call.arguments.to_string())).collect();
    let (read, write, ls) = (r#"{"path":"a.rs","line":3}"#, r#"{"all":true}"#, r#"{"path":"b"}"#);
    let read = serde_json::from_str::<Value>(read).unwrap().to_string();
    assert_eq!(seen, [("read", read), ("write", write.into()), ("ls", ls.into())]);
    assert_eq!((calls[0].id.as_str(), calls[0].thought_signature.as_deref()), ("one", Some("c2lnMw==")));
    assert_eq!(message.stop_reason, StopReason::ToolUse);
    let odd = call(json!({"name": "read", "partialArgs": [{"jsonPath": "$.a[9]", "stringValue": "x"}]}));
    assert_eq!(kind(&self::read(&[odd])), ErrorKind::Stream);
}
