//! Histories as they come, and what must be sent for them.

use proptest::prelude::*;
use serde_json::Map;

use super::*;
use crate::llm::model::{KnownPart, Message, Model, Part, ToolResultMessage, UserMessage};
use crate::llm::stream::accumulate::Accumulator;

fn model() -> Model {
    Model::unknown("mistral", "m", "mistral-conversations", "")
}

fn answer_of(content: Vec<KnownPart>) -> Message {
    let mut message = Accumulator::new(&model(), 0).finish();
    message.content = content.into_iter().map(Part::Known).collect();
    Message::Assistant(message)
}

fn call(id: &str) -> KnownPart {
    let arguments = json!({"path": "a"});
    KnownPart::ToolCall(ToolCall { id: id.into(), name: "read".into(), arguments, thought_signature: None })
}

fn result_of(id: &str, content: Vec<Part>) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: id.into(),
        tool_name: "read".into(),
        content,
        details: None,
        is_error: false,
        timestamp: 0,
        extra: Map::new(),
    })
}

fn sent(messages: Vec<Message>) -> Vec<Value> {
    build(&Request { model: model(), messages, ..Request::default() })
}

#[test]
fn mistral_transcript_full_conversation() {
    let image = || Part::Known(KnownPart::Image { data: "QUJD".into(), mime_type: "image/png".into() });
    let thinking =
        |text: &str| KnownPart::Thinking { thinking: text.into(), thinking_signature: None, redacted: false };
    let text = |text: &str| KnownPart::Text { text: text.into(), text_signature: None };
    let messages = sent(vec![
        Message::User(UserMessage { content: vec![Part::text("look"), image()], ..UserMessage::text("", 0) }),
        answer_of(vec![thinking("hm"), text("so"), thinking(""), call("Abc123xyz"), call("b")]),
        result_of("b", vec![Part::text("shot"), image()]),
        result_of("Abc123xyz", vec![Part::text("x")]),
        answer_of(vec![text("done")]),
    ]);
    let url = json!({"type": "image_url", "image_url": "data:image/png;base64,QUJD"});
    let thought = json!({"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]});
    let function = json!({"name": "read", "arguments": "{\"path\":\"a\"}"});
    let b = short_id("b", 0);
    let expected = json!([
        {"role": "user", "content": [{"type": "text", "text": "look"}, url]},
        {"role": "assistant", "content": [thought, {"type": "text", "text": "so"}], "tool_calls": [
            {"id": "Abc123xyz", "type": "function", "function": function},
            {"id": b, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "Abc123xyz", "name": "read", "content": "x"},
        {"role": "tool", "tool_call_id": b, "name": "read", "content": [{"type": "text", "text": "shot"}, url]},
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
    ]);
    assert_eq!(Value::Array(messages), expected);
}

#[test]
fn mistral_transcript_longer_history_keeps_prefix() {
    let mut history = vec![answer_of(vec![call("a|fc_1"), call("a|fc_2")]), result_of("a|fc_2", vec![])];
    let before = sent(history.clone());
    history.extend([
        answer_of(vec![call("a"), call(&short_id("a", 0))]),
        Message::User(UserMessage::text("x", 0)),
    ]);
    let after = sent(history);
    assert_eq!(after[..before.len()], before);
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn mistral_transcript_call_ids_are_nine_chars_and_unique(ids in prop::collection::vec("[a-c|_]{0,3}|[0-9]{9}", 1..9)) {
        let history = ids.iter().map(|id| answer_of(vec![call(id)])).collect();
        let messages = sent(history);
        let calls: Vec<_> = messages.iter().filter_map(|m| m["tool_calls"][0]["id"].as_str()).collect();
        let results: Vec<_> = messages.iter().filter_map(|m| m["tool_call_id"].as_str()).collect();
        prop_assert_eq!(&calls, &results);
        prop_assert!(calls.iter().all(|id| id.len() == 9 && id.bytes().all(|b| b.is_ascii_alphanumeric())));
        let unique: HashSet<_> = calls.iter().collect();
        prop_assert_eq!(unique.len(), ids.len());
    }
}
