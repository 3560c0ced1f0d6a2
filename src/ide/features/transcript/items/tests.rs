//! Answers that begin again while they stream in, and pieces that come in front.

use std::sync::Arc;

use super::*;
use crate::base::json::json;
use crate::ide::features::transcript::items::earlier_messages::Fetched;
use crate::llm::model::Model;
use crate::session::format::message::MessagePage;

fn empty() -> AssistantMessage {
    crate::llm::stream::accumulate::Accumulator::new(&Model::default(), 0).finish()
}

/// The transcript after these events of one answer.
fn shown(events: &[StreamEvent]) -> Vec<String> {
    let tools = Registry::new();
    let mut transcript = Transcript::default();
    transcript.notice(false, "before".to_string());
    transcript.apply(&AgentEvent::MessageStart(Arc::new(Message::Assistant(empty()))), &tools);
    for event in events {
        transcript.apply(&AgentEvent::MessageUpdate(Arc::new(event.clone())), &tools);
    }
    let text = |item: &Item| match &item.kind {
        ItemKind::Answer(text) | ItemKind::Thinking(text) | ItemKind::Notice { text, .. } => text.clone(),
        ItemKind::Tool(call) => format!("call {}", call.tool),
        other => format!("{other:?}"),
    };
    transcript.items().iter().map(text).collect()
}

fn words(index: usize, delta: &str) -> [StreamEvent; 2] {
    [StreamEvent::TextStart { index }, StreamEvent::TextDelta { index, delta: delta.to_string() }]
}

#[test]
fn transcript_restarted_stream_replaces_partial_answer() {
    let call = StreamEvent::ToolCallStart { index: 1, id: "c".into(), name: "read".into() };
    let begun = [&words(0, "old")[..], &[call]].concat();
    assert_eq!(shown(&begun), ["before", "old", "call read"]);
    let anew = [&begun[..], &[StreamEvent::Start], &words(0, "new")].concat();
    assert_eq!(shown(&anew), ["before", "new"]);
}

#[test]
fn transcript_restarted_part_is_replaced_in_place() {
    let events = [&words(0, "half")[..], &words(1, "second"), &words(0, "whole")].concat();
    assert_eq!(shown(&events), ["before", "whole", "second"]);
}

/// What the items say, in short.
fn texts(transcript: &Transcript) -> Vec<String> {
    let text = |item: &Item| match &item.kind {
        ItemKind::User(text) | ItemKind::Answer(text) | ItemKind::Notice { text, .. } => text.clone(),
        ItemKind::Tool(call) => format!("{} {:?}", call.call_id, call.status),
        other => format!("{other:?}"),
    };
    transcript.items().iter().map(text).collect()
}

fn messages(all: &[Value]) -> Vec<Arc<AgentMessage>> {
    all.iter().map(|value| Arc::new(serde_json::from_value(value.clone()).unwrap())).collect()
}

fn said(text: &str) -> Value {
    json!({"role": "user", "content": text, "timestamp": 1})
}

fn called(id: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "toolCall", "id": id, "name": "t", "arguments": {}}], "api": "a",
        "provider": "p", "model": "m", "stopReason": "toolUse"})
}

fn came(id: &str) -> Value {
    json!({"role": "toolResult", "toolCallId": id, "toolName": "t", "content": [], "isError": false})
}

/// Where the pieces of a test begin.
fn places() -> [PagePosition; 2] {
    [PagePosition::of("leaf", "near"), PagePosition::of("leaf", "far")]
}

fn piece(all: &[Value], earlier: Option<&PagePosition>) -> MessagePage {
    let mut piece = MessagePage::default();
    (piece.messages, piece.earlier) = (messages(all), earlier.cloned());
    piece
}

#[test]
fn transcript_earlier_calls_take_their_results() {
    let (tools, [near, far]) = (Registry::new(), places());
    let mut transcript = Transcript::default();
    // The result of a call that an earlier piece has, though another answer stands between them.
    transcript.load(&messages(&[called("c"), came("b"), said("two"), came("a")]), Some(&near), &tools);
    assert_eq!(texts(&transcript)[0], "c Failed(None)", "a program that was killed left it open");
    let asked = transcript.take_earlier_request().unwrap();
    assert_eq!((&asked, transcript.take_earlier_request()), (&near, None), "one piece at a time");
    let fetched =
        Fetched::new(asked, Ok(piece(&[said("one"), called("a"), called("b")], Some(&far))), &tools);
    assert_eq!(transcript.prepend(fetched, &tools), Some(3));
    let words = ["one", "a Failed(None)", "b Done(None)", "c Failed(None)", "two"];
    assert_eq!(texts(&transcript)[..5], words);
    assert!(transcript.has_earlier());
    assert_eq!(transcript.drop_prepended().len(), 3);
    assert_eq!(texts(&transcript)[0], "c Failed(None)");
    let asked = transcript.take_earlier_request().unwrap();
    assert_eq!(asked, near);
    transcript.prepend(Fetched::new(asked, Ok(piece(&[called("b")], None)), &tools), &tools);
    assert_eq!(texts(&transcript)[..2], ["b Done(None)", "c Failed(None)"]);
    assert!(!transcript.has_earlier());
}

#[test]
fn transcript_earlier_ignores_unrequested_messages() {
    let (tools, [near, far]) = (Registry::new(), places());
    let fetched = |from: &PagePosition| Fetched::new(from.clone(), Ok(piece(&[said("early")], None)), &tools);
    let mut transcript = Transcript::default();
    transcript.load(&messages(&[called("c"), came("c")]), Some(&near), &tools);
    assert_eq!(transcript.prepend(fetched(&near), &tools), None, "it was not asked for");
    transcript.take_earlier_request().unwrap();
    assert_eq!(transcript.prepend(fetched(&far), &tools), None, "of another conversation");
    assert_eq!(transcript.prepend(fetched(&near), &tools), Some(1));
    assert_eq!(texts(&transcript), ["early", "c Done(None)"]);
}

#[test]
fn transcript_earlier_read_error_is_shown_once() {
    let (tools, [near, _]) = (Registry::new(), places());
    let mut transcript = Transcript::default();
    transcript.load(&[], Some(&near), &tools);
    let asked = transcript.take_earlier_request().unwrap();
    transcript.prepend(Fetched::new(asked, Err("the disk is gone".to_string()), &tools), &tools);
    assert_eq!(texts(&transcript), ["Earlier messages cannot be read: the disk is gone"]);
    assert!(!transcript.has_earlier(), "it is not asked for again and again");
}

#[test]
fn transcript_earlier_shifts_streaming_parts() {
    let (tools, [near, _]) = (Registry::new(), places());
    let mut transcript = Transcript::default();
    transcript.load(&[], Some(&near), &tools);
    let stream = |transcript: &mut Transcript, event: StreamEvent| {
        transcript.apply(&AgentEvent::MessageUpdate(Arc::new(event)), &tools);
    };
    for event in words(0, "begun ") {
        stream(&mut transcript, event);
    }
    let asked = transcript.take_earlier_request().unwrap();
    let early = piece(&[said("early"), said("late")], None);
    transcript.prepend(Fetched::new(asked, Ok(early), &tools), &tools);
    stream(&mut transcript, StreamEvent::TextDelta { index: 0, delta: "and ".to_string() });
    transcript.drop_prepended();
    stream(&mut transcript, StreamEvent::TextDelta { index: 0, delta: "ended".to_string() });
    assert_eq!(texts(&transcript), ["begun and ended"]);
}

#[test]
fn transcript_changed_setting_is_said_once_in_a_row() {
    let mut transcript = Transcript::default();
    transcript.setting_changed("Model", "a");
    assert!(transcript.items().is_empty(), "nothing was said yet");
    transcript.notice(true, "Model: is an error".to_string());
    for (name, value) in [("Model", "a"), ("Model", "b"), ("Thinking", "high"), ("Model", "c")] {
        transcript.setting_changed(name, value);
    }
    assert_eq!(texts(&transcript), ["Model: is an error", "Model: b", "Thinking: high", "Model: c"]);
    assert_eq!(transcript.items()[1].version, 1, "its layout changes");
}
