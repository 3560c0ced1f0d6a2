//! Streams as servers send them, and the events that they become.

use super::*;
use crate::llm::catalog::Catalog;
use crate::llm::model::{KnownPart, Part};
use crate::llm::stream::accumulate::Accumulator;
use crate::llm::stream::parsed_events::{last, parse_events};

fn read(data: &[Value]) -> Vec<StreamEvent> {
    let reader = Reader::new(
        &Catalog::builtin().model("anthropic", "claude-opus-5-5").unwrap(),
        RequestInfo::default(),
        5,
    );
    parse_events(reader, data)
}

fn start(index: usize, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: usize, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn head() -> Value {
    json!({"type": "message_start", "message": {"id": "msg_1", "model": "claude-opus-5-5",
        "usage": {"input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 20, "cache_creation": {
                "ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 15}}}})
}

fn tail(reason: &str) -> [Value; 2] {
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    [
        json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7, "input_tokens": null}}),
        json!({"type": "message_stop"}),
    ]
}

#[test]
fn anthropic_stream_start_comes_once_and_first() {
    let starts = |data: &[Value]| {
        let events = read(data);
        let all = events.iter().filter(|event| **event == StreamEvent::Start).count();
        (all, events.first() == Some(&StreamEvent::Start))
    };
    let text = start(0, &json!({"type": "text", "text": "a"}));
    assert_eq!(starts(&[vec![head(), head(), text.clone()], tail("end_turn").to_vec()].concat()), (1, true));
    assert_eq!(starts(&[vec![text], tail("end_turn").to_vec()].concat()), (1, true));
    assert_eq!(starts(&[json!({"type": "ping"}), json!({"type": "error", "error": {}})]), (0, false));
}

#[test]
fn anthropic_stream_second_message_start_restarts_answer() {
    let text = |words: &str| {
        [start(0, &json!({"type": "text"})), delta(0, &json!({"type": "text_delta", "text": words}))]
    };
    let call = start(1, &json!({"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}}));
    let tail = tail("end_turn").to_vec();
    let all = [vec![head()], text("old ").to_vec(), vec![call, head()], text("new").to_vec(), tail].concat();
    let events = read(&all);
    let message = last(&events);
    assert_eq!((message.text().as_str(), message.content.len()), ("new", 1));
    assert_eq!((message.usage.input, message.usage.output), (10, 7), "nothing is counted twice");
    let starts = events.iter().filter(|event| **event == StreamEvent::Start).count();
    assert_eq!(starts, 2, "front ends learn that what came is void");
    let mut all = Accumulator::new(&Model::default(), 5);
    events[..events.len() - 1].iter().for_each(|event| all.push(event));
    assert_eq!(all.finish().text(), "new");
}

fn whole() -> Vec<Value> {
    let mut data = vec![
        head(),
        start(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, &json!({"type": "thinking_delta", "thinking": "hm"})),
        delta(0, &json!({"type": "signature_delta", "signature": "si"})),
        delta(0, &json!({"type": "signature_delta", "signature": "g"})),
        json!({"type": "content_block_stop", "index": 0}),
        start(1, &json!({"type": "redacted_thinking", "data": "blob"})),
        json!({"type": "ping"}),
        start(2, &json!({"type": "text", "text": ""})),
        delta(2, &json!({"type": "text_delta", "text": "Hel"})),
        start(3, &json!({"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}})),
        delta(3, &json!({"type": "input_json_delta", "partial_json": ""})),
        delta(3, &json!({"type": "input_json_delta", "partial_json": "{\"path\""})),
        delta(2, &json!({"type": "text_delta", "text": "lo"})),
        delta(3, &json!({"type": "input_json_delta", "partial_json": ": \"a\"}"})),
        json!({"type": "content_block_stop", "index": 2}),
        json!({"type": "content_block_stop", "index": 3}),
    ];
    data.extend(tail("tool_use"));
    data
}

#[test]
fn anthropic_stream_full_answer() {
    let message = last(&read(&whole()));
    let thinking = |text: &str, signature: &str, redacted| {
        Part::Known(KnownPart::Thinking {
            thinking: text.into(),
            thinking_signature: Some(signature.into()),
            redacted,
        })
    };
    assert_eq!(message.content[..2], [thinking("hm", "sig", false), thinking("", "blob", true)]);
    assert_eq!(message.text(), "Hello");
    assert_eq!(message.tool_calls().next().unwrap().arguments, json!({"path": "a"}));
    assert_eq!((message.stop_reason, message.response_id.as_deref()), (StopReason::ToolUse, Some("msg_1")));
    assert_eq!((message.response_model, message.timestamp), (None, 5));
    let usage = message.usage;
    assert_eq!((usage.input, usage.cache_read, usage.cache_write, usage.output), (10, 100, 20, 7));
    assert_eq!(usage.cache_write_hour, Some(15));
    assert_eq!(usage.total_tokens, 137);
    // 10 at $4, 7 at $20, 100 at $0.20, 5 at $5, 15 for an hour at $8, each per million.
    assert!((usage.cost.total - 345e-6).abs() < 1e-12, "{:?}", usage.cost);
}

#[test]
fn anthropic_stream_events_fold_to_final_message() {
    let events = read(&whole());
    let mut all = Accumulator::new(&Catalog::builtin().model("anthropic", "claude-opus-5-5").unwrap(), 5);
    events[..events.len() - 1].iter().for_each(|event| all.push(event));
    assert_eq!(all.finish().text(), last(&events).text());
}

#[test]
fn anthropic_stream_stop_reasons() {
    for (word, expected) in [
        ("end_turn", StopReason::Stop),
        ("stop_sequence", StopReason::Stop),
        ("pause_turn", StopReason::Stop),
        ("max_tokens", StopReason::Length),
        ("model_context_window_exceeded", StopReason::Length),
        ("refusal", StopReason::Error),
    ] {
        let mut data = vec![head()];
        data.extend(tail(word));
        assert_eq!(last(&read(&data)).stop_reason, expected, "{word}");
    }
}

#[test]
fn anthropic_stream_break_keeps_partial_text() {
    let begun =
        || vec![head(), start(0, &json!({"type": "text", "text": ""})), delta(0, &json!({"text": "par"}))];
    let kind = |events: &[StreamEvent]| match events.last().unwrap() {
        StreamEvent::Error { error, .. } => error.kind,
        other => panic!("{other:?}"),
    };
    let cut = read(&begun());
    assert_eq!((kind(&cut), last(&cut).text().as_str()), (ErrorKind::Stream, "par"));
    let mut data = begun();
    data.push(json!("{not json"));
    data.push(delta(0, &json!({"text": "ignored"})));
    let broken = read(&data);
    assert_eq!((kind(&broken), last(&broken).text().as_str()), (ErrorKind::Stream, "par"));
    let mut data = begun();
    data.push(json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}));
    let failed = read(&data);
    assert_eq!((kind(&failed), last(&failed).stop_reason), (ErrorKind::Server, StopReason::Error));
    assert!(last(&failed).error_message.unwrap().contains("Overloaded"));
}

#[test]
fn anthropic_stream_refusal_has_explanation() {
    let details = json!({"explanation": "too dangerous"});
    let data = [
        head(),
        json!({"type": "message_delta", "delta": {"stop_reason": "refusal", "stop_details": details}}),
        json!({"type": "message_stop"}),
    ];
    let events = read(&data);
    let StreamEvent::Error { error, message } = events.last().unwrap() else { panic!("{events:?}") };
    assert_eq!((error.kind, message.raw_stop_reason.as_deref()), (ErrorKind::ContentFilter, Some("refusal")));
    assert!(error.message.ends_with("the model refused to answer this: too dangerous"), "{error}");
}

#[test]
fn anthropic_stream_fallback_model_uses_its_price() {
    let mut model = (*Catalog::builtin().model("anthropic", "claude-opus-5-5").unwrap()).clone();
    let cost = json!({"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0});
    let fallback = json!([{"provider": "anthropic", "model": "other", "cost": cost}]);
    model.compat.insert("allowedFallbackModels".into(), fallback);
    let mut reader = Reader::new(&model, RequestInfo::default(), 5);
    let mut start = head();
    start["message"]["model"] = "other".into();
    let mut out = Vec::new();
    for data in [vec![start], tail("end_turn").to_vec()].concat() {
        reader.read_event(&Event { name: String::new(), data: data.to_string() }, &mut out);
    }
    let message = last(&out);
    assert_eq!(message.response_model.as_deref(), Some("other"));
    // 10 at $1, 7 at $2, 15 for an hour at $2.
    assert!((message.usage.cost.total - 54e-6).abs() < 1e-12, "{:?}", message.usage.cost);
}

#[test]
fn anthropic_stream_malformed_block_is_skipped() {
    for odd in [json!("text"), json!([]), json!(3), Value::Null] {
        let data = [vec![head(), start(0, &odd), delta(0, &json!({"text": "x"}))], tail("end_turn").to_vec()];
        let message = last(&read(&data.concat()));
        assert_eq!((message.content, message.stop_reason), (vec![], StopReason::Stop), "{odd}");
    }
}

#[test]
fn anthropic_stream_broken_arguments_stay_text() {
    let mut data =
        vec![head(), start(0, &json!({"type": "tool_use", "id": "t", "name": "read", "input": {}}))];
    data.push(delta(0, &json!({"partial_json": "{\"path\": \"a\""})));
    data.extend(tail("tool_use"));
    let call = last(&read(&data)).tool_calls().next().unwrap().clone();
    assert_eq!(call.arguments, json!("{\"path\": \"a\""));
}
