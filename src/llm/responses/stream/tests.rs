//! Streams as servers send them, and what they amount to.

use proptest::prelude::*;

use super::*;
use crate::llm::model::{ErrorKind, KnownPart, Part};
use crate::llm::stream::accumulate::Accumulator;
use crate::llm::stream::answer::StreamReader as _;
use crate::llm::stream::parsed_events::{last, parse_events};

fn read(events: &[Value]) -> Vec<StreamEvent> {
    let model = Model::unknown("openai", "gpt-x", "openai-responses", "");
    let reader = Reader::new(&model, RequestInfo::default(), 5, None);
    parse_events(reader, events)
}

fn error(events: &[StreamEvent]) -> LlmError {
    match events.last().unwrap() {
        StreamEvent::Error { error, .. } => error.clone(),
        other => panic!("{other:?}"),
    }
}

fn on(kind: &str, index: u64, more: &Value) -> Value {
    let mut event = json!({"type": format!("response.{kind}"), "output_index": index, "sequence_number": 3});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    event
}

fn added(index: u64, item: &Value) -> Value {
    on("output_item.added", index, &json!({"item": item}))
}

fn done(index: u64, item: &Value) -> Value {
    on("output_item.done", index, &json!({"item": item}))
}

fn created() -> Value {
    let response = json!({"id": "resp_1", "model": "gpt-x-2026", "status": "in_progress", "output": []});
    json!({"type": "response.created", "response": response})
}

fn completed(output: &Value) -> Value {
    let usage = json!({"input_tokens": 100, "output_tokens": 20, "total_tokens": 120,
        "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
        "output_tokens_details": {"reasoning_tokens": 7}});
    let response = json!({"id": "resp_1", "model": "gpt-x-2026", "status": "completed", "usage": usage,
        "output": output});
    json!({"type": "response.completed", "response": response})
}

fn text_item(words: &str) -> Value {
    json!({"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "phase": "final_answer",
        "content": [{"type": "output_text", "text": words, "annotations": []}]})
}

fn reasoning(content: &str) -> Value {
    json!({"id": "rs_1", "type": "reasoning", "encrypted_content": content,
        "summary": [{"type": "summary_text", "text": "one"}, {"type": "summary_text", "text": "two"}]})
}

fn function(arguments: &str) -> Value {
    json!({"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "read", "arguments": arguments})
}

/// Reasoning, text and a call, as they usually come.
fn usual() -> Vec<Value> {
    let summary = |delta: &str, at: u64| {
        on("reasoning_summary_text.delta", 0, &json!({"delta": delta, "summary_index": at}))
    };
    vec![
        created(),
        json!({"type": "response.in_progress", "response": {}}),
        added(0, &json!({"id": "rs_1", "type": "reasoning", "summary": []})),
        on("reasoning_summary_part.added", 0, &json!({"summary_index": 0})),
        summary("one", 0),
        on("reasoning_summary_part.added", 0, &json!({"summary_index": 1})),
        summary("two", 1),
        done(0, &reasoning("enc")),
        added(1, &json!({"id": "msg_1", "type": "message", "content": []})),
        on("content_part.added", 1, &json!({"part": {"type": "output_text"}})),
        on("output_text.delta", 1, &json!({"delta": "Grü"})),
        on("output_text.delta", 1, &json!({"delta": "ße"})),
        on("output_text.done", 1, &json!({"text": "Grüße"})),
        done(1, &text_item("Grüße")),
        added(2, &function("")),
        on("function_call_arguments.delta", 2, &json!({"delta": "{\"pa"})),
        on("function_call_arguments.delta", 2, &json!({"delta": "th\":\"a\"}"})),
        on("function_call_arguments.done", 2, &json!({"arguments": "{\"path\":\"a\"}"})),
        done(2, &function("{\"path\":\"a\"}")),
        completed(&json!([])),
    ]
}

#[test]
fn responses_stream_full_answer() {
    let events = read(&usual());
    let message = last(&events);
    let [Part::Known(thinking), Part::Known(text), Part::Known(KnownPart::ToolCall(call))] =
        &message.content[..]
    else {
        panic!("{:?}", message.content)
    };
    let signature = Some(reasoning("enc").to_string());
    let expected =
        KnownPart::Thinking { thinking: "one\n\ntwo".into(), thinking_signature: signature, redacted: false };
    assert_eq!(*thinking, expected);
    let text_signature = Some(r#"{"v":1,"id":"msg_1","phase":"final_answer"}"#.to_string());
    assert_eq!(*text, KnownPart::Text { text: "Grüße".into(), text_signature });
    assert_eq!((call.id.as_str(), &call.arguments), ("call_1|fc_1", &json!({"path": "a"})));
    assert_eq!(
        (message.stop_reason, message.raw_stop_reason.as_deref()),
        (StopReason::ToolUse, Some("completed"))
    );
    assert_eq!(
        (message.response_id.as_deref(), message.response_model.as_deref()),
        (Some("resp_1"), Some("gpt-x-2026"))
    );
    let usage = &message.usage;
    assert_eq!((usage.input, usage.cache_read, usage.cache_write), (30, 60, 10));
    assert_eq!((usage.output, usage.reasoning, usage.total_tokens), (20, Some(7), 120));
    assert_eq!(events[0], StreamEvent::Start);
    assert!(events.contains(&StreamEvent::ThinkingEnd { index: 0 }));
    assert!(events.contains(&StreamEvent::TextEnd { index: 1 }));
}

#[test]
fn responses_stream_deltas_fold_to_final_message() {
    let events = read(&usual());
    let mut all = Accumulator::new(&Model::unknown("openai", "gpt-x", "openai-responses", ""), 5);
    events[..events.len() - 1].iter().for_each(|event| all.push(event));
    let (folded, told) = (all.finish(), last(&events));
    assert_eq!(folded.text(), told.text());
    assert_eq!(folded.tool_calls().next(), told.tool_calls().next());
}

#[test]
fn responses_stream_interleaved_items() {
    let second = json!({"id": "fc_2", "type": "function_call", "call_id": "call_2", "name": "list"});
    let more = |index, delta: &str| on("function_call_arguments.delta", index, &json!({"delta": delta}));
    let events = read(&[
        added(0, &function("")),
        added(1, &second),
        more(1, "{\"b\":"),
        more(0, "{\"a\":1"),
        more(1, "2}"),
        more(0, "}"),
        done(1, &second),
        done(0, &function("")),
        completed(&json!([])),
    ]);
    let message = last(&events);
    let calls: Vec<_> =
        message.tool_calls().map(|call| (call.name.clone(), call.arguments.clone())).collect();
    assert_eq!(calls, [("read".into(), json!({"a": 1})), ("list".into(), json!({"b": 2}))]);
}

#[test]
fn responses_stream_without_deltas_uses_done_items() {
    let by_items = read(&[
        done(0, &reasoning("e")),
        done(1, &text_item("hi")),
        done(2, &function("{}")),
        completed(&json!([])),
    ]);
    let at_the_end = read(&[created(), completed(&json!([reasoning("e"), text_item("hi"), function("{}")]))]);
    for events in [by_items, at_the_end] {
        let message = last(&events);
        assert_eq!((message.text().as_str(), message.tool_calls().count()), ("hi", 1));
        assert!(
            matches!(&message.content[0], Part::Known(KnownPart::Thinking { thinking, .. }) if thinking == "one\n\ntwo")
        );
        assert!(events.contains(&StreamEvent::TextDelta { index: 1, delta: "hi".into() }));
    }
    let headless = read(&[on("output_text.delta", 0, &json!({"delta": "hi"})), completed(&json!([]))]);
    assert_eq!(last(&headless).text(), "hi");
    let rest = read(&[added(0, &function("{\"a\"")), done(0, &function("{\"a\":1}")), completed(&json!([]))]);
    assert_eq!(last(&rest).tool_calls().next().unwrap().arguments, json!({"a": 1}));
}

#[test]
fn responses_stream_late_encrypted_reasoning_is_taken() {
    let events =
        read(&[done(0, &reasoning("")), done(1, &text_item("hi")), completed(&json!([reasoning("late")]))]);
    let message = last(&events);
    let Part::Known(KnownPart::Thinking { thinking_signature: Some(signature), .. }) = &message.content[0]
    else {
        panic!("{:?}", message.content)
    };
    assert_eq!(*signature, reasoning("late").to_string());
}

#[test]
fn responses_stream_custom_tool_input_is_text() {
    let item = |input: &str| json!({"id": "ctc_1", "type": "custom_tool_call", "call_id": "c", "name": "patch", "input": input});
    let input = |delta: &str| on("custom_tool_call_input.delta", 0, &json!({"delta": delta}));
    let end = on("custom_tool_call_input.done", 0, &json!({"input": "a\"\né"}));
    for events in [
        vec![added(0, &item("")), input("a\""), input("\né"), end.clone(), done(0, &item("a\"\né"))],
        vec![added(0, &item("a")), end],
        vec![done(0, &item("a\"\né"))],
    ] {
        let mut events = [events, vec![done(0, &item("a\"\né"))]].concat();
        events.push(completed(&json!([])));
        let message = last(&read(&events));
        let call = message.tool_calls().next().unwrap();
        assert_eq!((call.id.as_str(), &call.arguments), ("c|ctc_1", &json!({"input": "a\"\né"})));
    }
}

#[test]
fn responses_stream_refusal_becomes_text() {
    let item = json!({"id": "msg_1", "type": "message", "content": [{"type": "refusal", "refusal": "No."}]});
    let events = read(&[
        added(0, &item),
        on("refusal.delta", 0, &json!({"delta": "No"})),
        done(0, &item),
        completed(&json!([])),
    ]);
    assert_eq!(last(&events).text(), "No.");
}

#[test]
fn responses_stream_incomplete_answers() {
    let cut = |why: &str| {
        let response = json!({"status": "incomplete", "incomplete_details": {"reason": why}});
        let begun = on("function_call_arguments.delta", 0, &json!({"delta": "{\"a"}));
        read(&[added(0, &function("")), begun, json!({"type": "response.incomplete", "response": response})])
    };
    let message = last(&cut("max_output_tokens"));
    assert_eq!((message.stop_reason, message.tool_calls().count()), (StopReason::Length, 1));
    assert_eq!(message.raw_stop_reason.as_deref(), Some("incomplete.max_output_tokens"));
    assert_eq!(error(&cut("content_filter")).kind, ErrorKind::ContentFilter);
    assert_eq!(error(&cut("odd")).kind, ErrorKind::Stream);
}

#[test]
fn responses_stream_failures_are_classified() {
    let failed = |code: &str, message: &str| json!({"type": "response.failed", "response": {"status": "failed", "error": {"code": code, "message": message}}});
    let overflow =
        "Your input exceeds the context window of this model. Please adjust your input and try again.";
    for (event, kind, code) in [
        (failed("server_error", "An error occurred"), ErrorKind::Server, Some("server_error")),
        (failed("rate_limit_exceeded", "Slow"), ErrorKind::RateLimit, Some("rate_limit_exceeded")),
        (
            failed("context_length_exceeded", overflow),
            ErrorKind::ContextLength,
            Some("context_length_exceeded"),
        ),
        (
            json!({"type": "error", "code": "insufficient_quota", "message": "pay", "param": null}),
            ErrorKind::Quota,
            Some("insufficient_quota"),
        ),
        (
            json!({"type": "error", "error": {"type": "invalid_request_error", "code": "x", "message": overflow}}),
            ErrorKind::ContextLength,
            Some("x"),
        ),
        (json!({"type": "response.cancelled", "response": {}}), ErrorKind::Stream, None),
    ] {
        let events = read(&[created(), on("output_text.delta", 0, &json!({"delta": "half"})), event.clone()]);
        let error = error(&events);
        assert_eq!((error.kind, error.code.as_deref()), (kind, code), "{event}");
        assert_eq!(last(&events).text(), "half");
    }
}

#[test]
fn responses_stream_untrustworthy_events_are_errors() {
    let whole = completed(&json!([]));
    let mut nameless = on("function_call_arguments.delta", 0, &json!({"delta": "{}"}));
    nameless.as_object_mut().unwrap().remove("output_index");
    for (events, words) in [
        (vec![created()], "ended too early"),
        (usual()[..19].to_vec(), "ended too early"),
        (vec![json!("{nonsense")], "invalid response"),
        (vec![added(0, &function("")), nameless], "which item it is about"),
        (vec![added(0, &function("")), whole.clone()], "unfinished call of `read`"),
    ] {
        let error = error(&read(&events));
        assert_eq!(error.kind, ErrorKind::Stream);
        assert!(error.message.contains(words), "{error}");
    }
    let unknown = json!({"type": "response.web_search_call.searching", "delta": {"odd": true}});
    assert_eq!(
        last(&read(&[unknown, json!({"type": "ping"}), json!("[DONE]"), whole])).stop_reason,
        StopReason::Stop
    );
}

fn event() -> impl Strategy<Value = Value> {
    let item = prop_oneof![
        Just(text_item("ab")),
        Just(reasoning("")),
        Just(function("{}")),
        Just(json!(null)),
        Just(json!({"type": "custom_tool_call", "name": "p", "input": "é"}))
    ];
    let kind = prop_oneof![
        Just("output_item.added"),
        Just("output_item.done"),
        Just("output_text.delta"),
        Just("reasoning_summary_text.delta"),
        Just("reasoning_summary_part.added"),
        Just("function_call_arguments.delta"),
        Just("function_call_arguments.done"),
        Just("custom_tool_call_input.delta"),
        Just("custom_tool_call_input.done")
    ];
    (kind, 0u64..3, item, "[a-zé\"{}]{0,3}").prop_map(|(kind, index, item, text)| {
        on(
            kind,
            index,
            &json!({"item": item, "delta": text, "arguments": text, "input": text, "summary_index": 1}),
        )
    })
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(300))]

    #[test]
    fn responses_stream_any_events_end_exactly_once(events in prop::collection::vec(event(), 0..14), whole: bool) {
        let mut events = events;
        if whole {
            events.push(completed(&json!([text_item("x")])));
        }
        let events = read(&events);
        let ends = events.iter().filter(|event| matches!(event, StreamEvent::Done { .. } | StreamEvent::Error { .. }));
        prop_assert_eq!(ends.count(), 1);
        let mut all = Accumulator::new(&Model::unknown("openai", "gpt-x", "openai-responses", ""), 5);
        events[..events.len() - 1].iter().for_each(|event| all.push(event));
        prop_assert_eq!(all.finish().text(), last(&events).text());
    }

    #[test]
    fn responses_stream_any_bytes_are_safe(data in prop::collection::vec("[ -~é]{0,30}", 0..5), name in "(response\\.created|error|x)?") {
        let model = Model::unknown("openai", "gpt-x", "openai-responses", "");
        let mut reader = Reader::new(&model, RequestInfo::default(), 5, None);
        let mut out = Vec::new();
        for data in data {
            reader.read_event(&Event { name: name.clone(), data }, &mut out);
        }
        reader.end(&mut out);
        prop_assert!(reader.has_ended());
    }
}

#[test]
fn responses_stream_non_object_values_are_safe() {
    let odd = [json!("x"), json!(1), json!([]), json!([[]]), json!(true)];
    for value in &odd {
        for kind in ["created", "completed", "incomplete", "failed", "done"] {
            let events = read(&[json!({"type": format!("response.{kind}"), "response": value})]);
            assert!(
                matches!(events.last(), Some(StreamEvent::Done { .. } | StreamEvent::Error { .. })),
                "{value}"
            );
        }
        let secret = json!([{"type": "reasoning", "encrypted_content": "e"}]);
        let events = read(&[
            json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning"}}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": value}),
            json!({"type": "response.completed", "response": {"output": secret}}),
        ]);
        assert!(matches!(events.last(), Some(StreamEvent::Done { .. })), "{value}");
    }
}

#[test]
fn responses_stream_done_item_replaces_deltas() {
    let call = json!({"type": "function_call", "call_id": "c", "name": "read", "arguments": ""});
    let custom = json!({"type": "custom_tool_call", "call_id": "d", "name": "patch", "input": ""});
    let think = on("reasoning_summary_text.delta", 0, &json!({"delta": "thre", "summary_index": 0}));
    let events = read(&[
        created(),
        added(0, &json!({"id": "rs_1", "type": "reasoning", "summary": []})),
        think,
        done(0, &reasoning("enc")),
        added(1, &text_item("")),
        on("output_text.delta", 1, &json!({"delta": "Half of"})),
        done(1, &text_item("The whole of it")),
        added(2, &call),
        on("function_call_arguments.delta", 2, &json!({"delta": "{\"path\": \"b"})),
        done(
            2,
            &json!({"type": "function_call", "call_id": "c", "name": "read", "arguments": "{\"path\": \"aa.rs\"}"}),
        ),
        added(3, &custom),
        on("custom_tool_call_input.delta", 3, &json!({"delta": "old"})),
        done(3, &json!({"type": "custom_tool_call", "call_id": "d", "name": "patch", "input": "other"})),
        completed(&json!([])),
    ]);
    let message = last(&events);
    assert_eq!(message.text(), "The whole of it");
    let thinking = message.content.iter().find_map(|part| match part {
        Part::Known(KnownPart::Thinking { thinking, .. }) => Some(thinking.as_str()),
        _ => None,
    });
    assert_eq!(thinking, Some("one\n\ntwo"));
    let calls: Vec<_> = message.tool_calls().map(|call| call.arguments.clone()).collect();
    assert_eq!(calls, [json!({"path": "aa.rs"}), json!({"input": "other"})]);
    let mut all = Accumulator::new(&Model::default(), 5);
    events[..events.len() - 1].iter().for_each(|event| all.push(event));
    assert_eq!(all.finish().text(), "The whole of it", "the events tell the same");
}

#[test]
fn responses_stream_second_created_restarts_answer() {
    let delta = |words: &str| on("output_text.delta", 0, &json!({"delta": words}));
    let events = read(&[
        created(),
        added(0, &text_item("")),
        delta("old"),
        added(1, &function("{")),
        created(),
        added(0, &text_item("")),
        delta("new"),
        done(0, &text_item("new")),
        completed(&json!([])),
    ]);
    let message = last(&events);
    assert_eq!((message.text().as_str(), message.content.len()), ("new", 1));
    assert_eq!(events.iter().filter(|event| **event == StreamEvent::Start).count(), 2);
}

#[test]
fn responses_stream_odd_usage_counts_are_clamped() {
    let of = |usage: Value| {
        let response = json!({"id": "r", "status": "completed", "usage": usage, "output": [text_item("x")]});
        let message = last(&read(&[json!({"type": "response.completed", "response": response})]));
        assert_eq!((message.text().as_str(), message.stop_reason), ("x", StopReason::Stop));
        (message.usage.input, message.usage.cache_read, message.usage.output)
    };
    let details = json!({"cached_tokens": 60});
    assert_eq!(
        of(json!({"input_tokens": 10, "input_tokens_details": details, "output_tokens": 2})),
        (0, 10, 2)
    );
    assert_eq!(of(json!({"input_tokens": 10.0, "output_tokens": -2})), (10, 0, 0));
    assert_eq!(of(json!("many")), (0, 0, 0));
}
