//! Histories as they come, and what must be sent for them.

use super::*;
use crate::llm::model::{KnownPart, Part, ToolCall, ToolResultMessage, UserMessage};
use crate::llm::request::history::{NO_RESULT, NO_VISION};
use crate::llm::stream::accumulate::Accumulator;
use proptest::prelude::*;

const SIG: &str = "c2ln";

fn model(id: &str) -> Model {
    Model::unknown("google", id, "google-generative-ai", "")
}

fn user(words: &str) -> Message {
    Message::User(UserMessage::text(words, 0))
}

fn image() -> Part {
    Part::Known(KnownPart::Image { data: "aW1n".into(), mime_type: "image/png".into() })
}

fn answer(by: &Model, content: Vec<KnownPart>) -> Message {
    let mut message = Accumulator::new(by, 0).finish();
    message.content = content.into_iter().map(Part::Known).collect();
    Message::Assistant(message)
}

fn say(words: &str, signature: Option<&str>) -> KnownPart {
    KnownPart::Text { text: words.into(), text_signature: signature.map(Into::into) }
}

fn think(words: &str, signature: Option<&str>) -> KnownPart {
    let thinking_signature = signature.map(Into::into);
    KnownPart::Thinking { thinking: words.into(), thinking_signature, redacted: false }
}

fn call(id: &str, signature: Option<&str>) -> KnownPart {
    KnownPart::ToolCall(ToolCall {
        id: id.into(),
        name: format!("tool_{id}"),
        arguments: json!({"path": "a"}),
        thought_signature: signature.map(Into::into),
    })
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

fn history(by: &Model) -> Vec<Message> {
    vec![
        user("hi"),
        answer(by, vec![think("hm", Some(SIG)), say("so", Some(SIG)), call("a", Some(SIG)), call("b", None)]),
        result("b", vec![Part::text("two"), image()], false),
        result("a", vec![Part::text("one")], true),
    ]
}

#[test]
fn gemini_signatures_return_on_same_parts() {
    let model = model("gemini-3-flash-preview");
    let png = json!({"inlineData": {"mimeType": "image/png", "data": "aW1n"}});
    let expected = json!([
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [
            {"thought": true, "text": "hm", "thoughtSignature": SIG},
            {"text": "so", "thoughtSignature": SIG},
            {"functionCall": {"name": "tool_a", "args": {"path": "a"}, "id": "a"}, "thoughtSignature": SIG},
            {"functionCall": {"name": "tool_b", "args": {"path": "a"}, "id": "b"}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"name": "tool_a", "response": {"error": "one"}, "id": "a"}},
            {"functionResponse": {"name": "tool_b", "response": {"output": "two"}, "id": "b",
                "parts": [png]}}]},
    ]);
    assert_eq!(Value::from(build(&history(&model), &model)), expected);
}

#[test]
fn gemini_old_models_get_images_after_results() {
    let model = model("gemini-2.5-flash");
    let contents = build(&history(&model), &model);
    assert_eq!(contents[1]["parts"][2]["functionCall"].get("id"), None);
    let results = json!([
        {"functionResponse": {"name": "tool_a", "response": {"error": "one"}}},
        {"functionResponse": {"name": "tool_b", "response": {"output": format!("two\n{IMAGES_FOLLOW}")}}},
    ]);
    assert_eq!(contents[2]["parts"], results);
    assert_eq!(contents[3]["parts"][0]["text"], "Images of the result of tool_b:");
    assert_eq!(contents[3]["parts"][1]["inlineData"]["mimeType"], "image/png");
}

#[test]
fn gemini_foreign_signatures_are_dropped() {
    let history = history(&model("gemini-2.5-pro"));
    let contents = build(&history, &model("gemini-4-argon"));
    let parts = contents[1]["parts"].as_array().unwrap();
    assert_eq!(parts[..2], [json!({"text": "hm"}), json!({"text": "so"})]);
    assert_eq!(parts[2]["thoughtSignature"], NO_SIGNATURE, "the first call needs one");
    assert_eq!(parts[3].get("thoughtSignature"), None);
    let own = model("gemini-4-argon");
    let bad = [user("x"), answer(&own, vec![say("y", Some("not base64!"))])];
    assert_eq!(build(&bad, &own)[1]["parts"], json!([{"text": "y"}]));
}

#[test]
fn gemini_empty_part_is_sent_only_with_signature() {
    let own = model("gemini-4-argon");
    let empty = vec![think("", None), think("", Some(SIG)), say("", None), say("", Some(SIG))];
    let parts = build(&[user("x"), answer(&own, empty)], &own)[1]["parts"].clone();
    let expected = json!([
        {"thought": true, "text": "", "thoughtSignature": SIG}, {"text": "", "thoughtSignature": SIG}]);
    assert_eq!(parts, expected);
}

#[test]
fn gemini_contents_fill_missing_results_and_user_turn() {
    let mut model = model("gemini-3-flash-preview");
    model.input = vec!["text".into()];
    let history = [
        answer(&model, vec![call("a", None)]),
        Message::User(UserMessage { content: vec![image()], timestamp: 0, extra: Map::new() }),
    ];
    let contents = build(&history, &model);
    assert_eq!(contents[0]["role"], "user");
    assert_eq!(contents[2]["parts"][0]["functionResponse"]["response"]["error"], NO_RESULT);
    assert_eq!(contents[3]["parts"][0]["text"], NO_VISION);
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    /// Whatever comes: roles are known, calls are answered at once, and a longer history begins
    /// with the shorter one.
    #[test]
    fn gemini_any_history_is_valid_and_only_grows(
        kinds in prop::collection::vec(0usize..6, 0..12),
        id in prop::sample::select(vec!["gemini-2.5-flash", "gemini-4-argon", "gemma-3"]),
    ) {
        let model = model(id);
        let message = |(at, kind): (usize, &usize)| match kind {
            0 => user("hi"),
            1 => answer(&model, vec![call(&at.to_string(), None), call("same", Some(SIG))]),
            2 => result(&at.wrapping_sub(1).to_string(), vec![image()], false),
            3 => result("same", vec![], true),
            4 => answer(&model, vec![think("t", Some(SIG)), say("s", None)]),
            _ => answer(&model, vec![]),
        };
        let history: Vec<Message> = kinds.iter().enumerate().map(message).collect();
        let contents = build(&history, &model);
        for (at, content) in contents.iter().enumerate() {
            let parts = content["parts"].as_array().unwrap();
            prop_assert!(!parts.is_empty());
            let count = |of: &[Value], key: &str| of.iter().filter(|part| part.get(key).is_some()).count();
            let calls = count(parts, "functionCall");
            if calls > 0 {
                let next = contents[at + 1]["parts"].as_array().unwrap();
                prop_assert_eq!(count(next, "functionResponse"), calls);
            }
        }
        let longer: Vec<Message> = history.iter().cloned().chain([user("more")]).collect();
        let grown = build(&longer, &model);
        prop_assert_eq!(&grown[..contents.len()], &contents[..]);
    }
}
