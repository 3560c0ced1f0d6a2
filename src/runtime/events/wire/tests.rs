//! What is told of a run's end.

use std::time::Duration;

use serde_json::Map;

use super::*;
use crate::llm::model::{AssistantMessage, UserMessage};

fn answer() -> AssistantMessage {
    let answer = json!({
        "role": "assistant", "content": [], "api": "a", "provider": "p", "model": "m", "stopReason": "aborted",
        "timestamp": 1,
    });
    match serde_json::from_value(answer).unwrap() {
        Message::Assistant(answer) => answer,
        other => panic!("{other:?}"),
    }
}

fn kinds(wire: &mut Wire, events: Vec<AgentEvent>) -> Vec<String> {
    let told = events.into_iter().flat_map(|event| wire.events(&RuntimeEvent::Agent(event)));
    told.map(|value| value["type"].as_str().unwrap().to_string()).collect()
}

fn end() -> AgentEvent {
    AgentEvent::AgentEnd { aborted: true, error: None }
}

#[test]
fn wire_agent_settled_is_sent_once_after_run() {
    let mut wire = Wire::default();
    assert!(
        wire.events(&RuntimeEvent::Settled).is_empty(),
        "behind a summary by hand nobody waits for a run"
    );
    assert_eq!(kinds(&mut wire, vec![AgentEvent::AgentStart, end()]), ["agent_start", "agent_end"]);
    let settled = wire.events(&RuntimeEvent::Settled);
    assert_eq!(settled, [json!({"type": "agent_settled", "aborted": true})]);
    assert!(wire.events(&RuntimeEvent::Settled).is_empty());
}

#[test]
fn wire_every_answer_has_turn_end() {
    let said = || Arc::new(Message::User(UserMessage { content: vec![], timestamp: 1, extra: Map::new() }));
    let answered = || AgentEvent::MessageEnd(Arc::new(Message::Assistant(answer())));
    let mut wire = Wire::default();
    let cut_off = vec![AgentEvent::TurnStart, AgentEvent::MessageEnd(said()), answered(), end()];
    assert_eq!(
        kinds(&mut wire, cut_off),
        ["turn_start", "message_end", "message_end", "turn_end", "agent_end"]
    );
    let whole = AgentEvent::TurnEnd { message: Arc::new(answer()), results: Vec::new() };
    let whole = vec![AgentEvent::TurnStart, answered(), whole, end()];
    assert_eq!(kinds(&mut wire, whole), ["turn_start", "message_end", "turn_end", "agent_end"]);
}

#[test]
fn wire_retry_end_matches_pi_format() {
    for (cancelled, error) in [(true, "Retry cancelled"), (false, "overloaded")] {
        let mut wire = Wire::default();
        let (attempt, max, delay) = (2, 3, Duration::from_secs(4));
        let start = AgentEvent::RetryStart { attempt, max, delay, error: "overloaded".into() };
        wire.events(&RuntimeEvent::Agent(start));
        let end = wire.events(&RuntimeEvent::Agent(AgentEvent::RetryEnd { success: false, cancelled }));
        let wanted = json!({"type": "auto_retry_end", "success": false, "attempt": 2, "finalError": error});
        assert_eq!(end, [wanted]);
    }
}
