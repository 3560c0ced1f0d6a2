//! Histories as they come, and what must be sent for them.

use super::*;
use crate::llm::model::{KnownPart, Part, ToolCall, ToolResultMessage, UserMessage};
use crate::llm::stream::accumulate::Accumulator;
use proptest::prelude::*;
use serde_json::Map;

const CLAUDE: &str = "anthropic.claude-opus-5";
const NOVA: &str = "amazon.nova-pro-v1:0";

fn model(id: &str) -> Model {
    Model::unknown("amazon-bedrock", id, "bedrock-converse-stream", "")
}

fn user(words: &str) -> Message {
    Message::User(UserMessage::text(words, 0))
}

fn image(kind: &str) -> Part {
    Part::Known(KnownPart::Image { data: "aW1n".into(), mime_type: kind.into() })
}

fn answer(by: &str, content: Vec<KnownPart>) -> Message {
    let mut message = Accumulator::new(&model(by), 0).finish();
    message.content = content.into_iter().map(Part::Known).collect();
    Message::Assistant(message)
}

fn think(text: &str, signature: Option<&str>, redacted: bool) -> KnownPart {
    let thinking_signature = signature.map(Into::into);
    KnownPart::Thinking { thinking: text.into(), thinking_signature, redacted }
}

fn call(id: &str) -> KnownPart {
    let arguments = json!({"path": "a"});
    KnownPart::ToolCall(ToolCall { id: id.into(), name: "read".into(), arguments, thought_signature: None })
}

fn result(id: &str, content: Vec<Part>, is_error: bool) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: id.into(),
        tool_name: "read".into(),
        content,
        details: None,
        is_error,
        timestamp: 0,
        extra: Map::new(),
    })
}

#[test]
fn bedrock_transcript_full_conversation() {
    let history = [
        user("hi"),
        answer(
            CLAUDE,
            vec![think("hm", Some("sig"), false), think("", Some("YmxvYg=="), true), call("a"), call("b")],
        ),
        result("b", vec![Part::text("two"), image("image/png")], false),
        result("a", vec![image("image/jpeg")], true),
        user("go on"),
    ];
    let picture = |format: &str| json!({"image": {"format": format, "source": {"bytes": "aW1n"}}});
    let call = |id: &str| json!({"toolUse": {"toolUseId": id, "name": "read", "input": {"path": "a"}}});
    let expected = json!([
        {"role": "user", "content": [{"text": "hi"}]},
        {"role": "assistant", "content": [
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
            {"reasoningContent": {"redactedContent": "YmxvYg=="}}, call("a"), call("b")]},
        {"role": "user", "content": [
            {"toolResult": {"toolUseId": "a", "content": [{"text": history::NO_OUTPUT}], "status": "error"}},
            {"toolResult": {"toolUseId": "b", "content": [{"text": "two"}, picture("png")], "status": "success"}},
            {"text": "Images of the result of read:"}, picture("jpeg"),
            {"text": "go on"}]},
    ]);
    assert_eq!(Value::from(build(&history, &model(CLAUDE))), expected);
}

#[test]
fn bedrock_transcript_reasoning_by_family() {
    let of = |by: &str, part: KnownPart| {
        let said = KnownPart::Text { text: "so".into(), text_signature: None };
        build(&[user("x"), answer(by, vec![part, said])], &model(by))[1]["content"][0].clone()
    };
    assert_eq!(of(CLAUDE, think("hm", None, false)), json!({"text": "hm"}), "unsigned thinking is text");
    let empty = json!({"reasoningContent": {"reasoningText": {"text": "", "signature": "s"}}});
    assert_eq!(of(CLAUDE, think("", Some("s"), false)), empty);
    let plain = json!({"reasoningContent": {"reasoningText": {"text": "hm"}}});
    assert_eq!(of(NOVA, think("hm", Some("s"), false)), plain, "only Claude takes signatures");
    assert_eq!(of(NOVA, think("", Some("not base64"), true)), json!({"text": "so"}));
    assert_eq!(build(&[user("x"), user("y")], &model(NOVA)).len(), 1, "roles take turns");
    assert!(
        build(
            &[Message::User(UserMessage {
                content: vec![image("image/tiff")],
                timestamp: 0,
                extra: Map::new()
            })],
            &model(NOVA)
        )[0]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("tiff")
    );
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn bedrock_transcript_any_history_is_valid(kinds in prop::collection::vec(0usize..6, 0..12), claude: bool) {
        let by = if claude { CLAUDE } else { NOVA };
        let message = |(at, kind): (usize, &usize)| match kind {
            0 => user("hi"),
            1 => answer(by, vec![call(&at.to_string()), call("same")]),
            2 => result(&at.wrapping_sub(1).to_string(), vec![image("image/png")], true),
            3 => result("same", vec![], false),
            4 => answer(by, vec![think("t", Some("s"), false), call("same")]),
            _ => answer(by, vec![]),
        };
        let history: Vec<Message> = kinds.iter().enumerate().map(message).collect();
        let messages = build(&history, &model(by));
        for (at, message) in messages.iter().enumerate() {
            let role = if at % 2 == 0 { "user" } else { "assistant" };
            prop_assert_eq!(message["role"].as_str(), Some(role));
            let content = message["content"].as_array().unwrap();
            prop_assert!(!content.is_empty());
            let ids = |of: &Value, key: &str| {
                let blocks = of["content"].as_array().into_iter().flatten();
                blocks.filter_map(|b| b[key]["toolUseId"].as_str().map(str::to_string)).collect::<Vec<_>>()
            };
            let calls = ids(message, "toolUse");
            if !calls.is_empty() {
                prop_assert_eq!(ids(&messages[at + 1], "toolResult"), calls);
            }
        }
    }
}
