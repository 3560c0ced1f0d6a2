//! Answers that begin again while they stream in.

use std::sync::Arc;

use super::*;
use crate::llm::model::Model;

fn empty() -> AssistantMessage {
    crate::llm::accumulate::Accumulator::new(&Model::default(), 0).finish()
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
        Kind::Answer(text) | Kind::Thinking(text) | Kind::Notice { text, .. } => text.clone(),
        Kind::Tool(call) => format!("call {}", call.tool),
        other => format!("{other:?}"),
    };
    transcript.items().iter().map(text).collect()
}

fn words(index: usize, delta: &str) -> [StreamEvent; 2] {
    [StreamEvent::TextStart { index }, StreamEvent::TextDelta { index, delta: delta.to_string() }]
}

#[test]
fn transcript_shows_only_the_answer_that_began_last() {
    let call = StreamEvent::ToolCallStart { index: 1, id: "c".into(), name: "read".into() };
    let begun = [&words(0, "old")[..], &[call]].concat();
    assert_eq!(shown(&begun), ["before", "old", "call read"]);
    let anew = [&begun[..], &[StreamEvent::Start], &words(0, "new")].concat();
    assert_eq!(shown(&anew), ["before", "new"]);
}

#[test]
fn transcript_replaces_a_part_that_begins_again_in_its_place() {
    let events = [&words(0, "half")[..], &words(1, "second"), &words(0, "whole")].concat();
    assert_eq!(shown(&events), ["before", "whole", "second"]);
}
