//! Histories as they come, and what must be sent for them.

use std::collections::HashSet;

use super::*;
use crate::llm::model::{KnownPart, Part, ToolCall, ToolResultMessage, UserMessage};
use crate::llm::request::history::NO_VISION;
use crate::llm::stream::accumulate::Accumulator;
use proptest::prelude::*;
use serde_json::Map;

fn model() -> Model {
    Model::unknown("anthropic", "m", "anthropic-messages", "")
}

fn user(words: &str) -> Message {
    Message::User(UserMessage::text(words, 0))
}

fn answer_of(model: &Model, content: Vec<KnownPart>) -> Message {
    let mut message = Accumulator::new(model, 0).finish();
    message.content = content.into_iter().map(Part::Known).collect();
    Message::Assistant(message)
}

fn answer(content: Vec<KnownPart>) -> Message {
    answer_of(&model(), content)
}

fn say(words: &str) -> KnownPart {
    KnownPart::Text { text: words.into(), text_signature: None }
}

fn call(id: &str) -> KnownPart {
    let arguments = json!({"path": "a"});
    KnownPart::ToolCall(ToolCall { id: id.into(), name: "read".into(), arguments, thought_signature: None })
}

fn thinking(signature: Option<&str>, redacted: bool) -> KnownPart {
    let thinking = if redacted { String::new() } else { "hm".to_string() };
    KnownPart::Thinking { thinking, thinking_signature: signature.map(Into::into), redacted }
}

fn result(id: &str, words: &str, is_error: bool) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: id.into(),
        tool_name: "read".into(),
        content: vec![Part::text(words)],
        details: None,
        is_error,
        timestamp: 0,
        extra: Map::new(),
    })
}

/// Each message as `role: block block`, short enough to read.
fn outline(history: &[Message]) -> Vec<String> {
    let block = |b: &Value| match b["type"].as_str().unwrap() {
        "text" => format!("'{}'", b["text"].as_str().unwrap()),
        "tool_use" => format!("call({})", b["id"].as_str().unwrap()),
        "tool_result" => {
            let mark = if b["is_error"] == true { "!" } else { "" };
            let words = b["content"][0]["text"].as_str().unwrap();
            format!("result{mark}({}, {})", b["tool_use_id"].as_str().unwrap(), &words[..words.len().min(9)])
        }
        other => other.to_string(),
    };
    let messages = build(history, &model(), false);
    messages
        .iter()
        .map(|m| {
            let blocks: Vec<_> = m["content"].as_array().unwrap().iter().map(block).collect();
            format!("{}: {}", m["role"].as_str().unwrap(), blocks.join(" "))
        })
        .collect()
}

#[test]
fn anthropic_transcript_merges_roles_and_orders_results() {
    let history = [
        user("go"),
        user("now"),
        answer(vec![say("ok"), call("a"), call("b")]),
        user("steer"),
        result("b", "two", true),
        result("a", "one", false),
        user("more"),
    ];
    assert_eq!(
        outline(&history),
        [
            "user: 'go' 'now'",
            "assistant: 'ok' call(a) call(b)",
            "user: result(a, one) result!(b, two) 'steer' 'more'",
        ]
    );
}

#[test]
fn anthropic_transcript_fills_missing_results() {
    let history = [
        user("go"),
        answer(vec![call("a"), call("b")]),
        result("a", "one", false),
        answer(vec![say("next")]),
        result("b", "too late", false),
        result("x", "orphan", false),
    ];
    assert_eq!(
        outline(&history),
        [
            "user: 'go'",
            "assistant: call(a) call(b)",
            "user: result(a, one) result!(b, No result)",
            "assistant: 'next'",
        ]
    );
}

#[test]
fn anthropic_transcript_call_ids_are_legal_and_unique() {
    let long = "x".repeat(80);
    let history = [
        user("go"),
        answer(vec![call("fc/1ä|item"), call("fc/1ä|item"), call(&long)]),
        result("fc/1ä|item", "first", false),
        result("fc/1ä|item", "second", false),
        result(&long, "third", false),
        answer(vec![call("fc/1ä|item")]),
    ];
    let x = "x".repeat(64);
    assert_eq!(
        outline(&history),
        [
            "user: 'go'".to_string(),
            format!("assistant: call(fc_1_) call(fc_1__2) call({x})"),
            format!("user: result(fc_1_, first) result(fc_1__2, second) result({x}, third)"),
            "assistant: call(fc_1__3)".to_string(),
            "user: result!(fc_1__3, No result)".to_string(),
        ]
    );
}

#[test]
fn anthropic_transcript_thinking_needs_same_model() {
    let other = Model { id: "other".into(), ..model() };
    let parts =
        || vec![thinking(Some("s"), false), thinking(Some("blob"), true), thinking(None, false), say("hi")];
    assert_eq!(outline(&[user("a"), answer(parts())])[1], "assistant: thinking redacted_thinking 'hm' 'hi'");
    assert_eq!(outline(&[user("a"), answer_of(&other, parts())])[1], "assistant: 'hm' 'hm' 'hi'");
    let sent = build(&[user("a"), answer(parts())], &model(), false);
    assert_eq!(sent[1]["content"][0], json!({"type": "thinking", "thinking": "hm", "signature": "s"}));
    assert_eq!(sent[1]["content"][1], json!({"type": "redacted_thinking", "data": "blob"}));
}

#[test]
fn anthropic_transcript_sends_nothing_empty() {
    let history = [
        user("go"),
        answer(vec![say(" \n")]),
        answer(vec![thinking(Some("s"), false)]),
        user(""),
        answer(vec![call("a")]),
        result("a", "  ", false),
    ];
    assert_eq!(outline(&history), ["user: 'go'", "assistant: call(a)", "user: result(a, (no outpu)"]);
    assert_eq!(outline(&[answer(vec![say("hello")])])[0], "user: '(the conversation goes on)'");
}

#[test]
fn anthropic_transcript_broken_arguments_become_object() {
    let arguments = json!("{\"path\": ");
    let broken = ToolCall { id: "a".into(), name: "read".into(), arguments, thought_signature: None };
    let sent = build(&[user("go"), answer(vec![KnownPart::ToolCall(broken)])], &model(), false);
    assert_eq!(sent[1]["content"][0]["input"], json!({"unparsed": "{\"path\": "}));
}

#[test]
fn anthropic_transcript_unsigned_thinking_if_supported() {
    let history = [user("a"), answer(vec![thinking(None, false), say("hi")])];
    let expected = json!({"type": "thinking", "thinking": "hm", "signature": ""});
    assert_eq!(build(&history, &model(), true)[1]["content"][0], expected);
    assert_eq!(build(&history, &model(), false)[1]["content"][0], json!({"type": "text", "text": "hm"}));
}

#[test]
fn anthropic_transcript_error_result_images_come_last() {
    let image = Part::Known(KnownPart::Image { data: "AAAA".into(), mime_type: "image/png".into() });
    let with_image = |id: &str, is_error| match result(id, "words", is_error) {
        Message::ToolResult(mut result) => {
            result.content.push(image.clone());
            Message::ToolResult(result)
        }
        other => other,
    };
    let history =
        [user("a"), answer(vec![call("x"), call("y")]), with_image("x", true), with_image("y", false)];
    let content = build(&history, &model(), false)[2]["content"].clone();
    let kinds = |value: &Value| {
        let blocks = value.as_array().unwrap().iter();
        blocks.map(|block| block["type"].as_str().unwrap().to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(kinds(&content), "tool_result tool_result text image");
    assert_eq!(
        (kinds(&content[0]["content"]), kinds(&content[1]["content"])),
        ("text".into(), "text image".into())
    );
}

#[test]
fn anthropic_transcript_images_are_sent_or_described() {
    let image = || {
        let part = Part::Known(KnownPart::Image { data: "AAAA".into(), mime_type: "image/png".into() });
        [Message::User(UserMessage { content: vec![part], timestamp: 0, extra: Map::new() })]
    };
    let sent = build(&image(), &model(), false);
    assert_eq!(sent[0]["content"][0]["source"]["media_type"], "image/png");
    let blind = Model { input: vec!["text".into()], ..model() };
    assert_eq!(build(&image(), &blind, false)[0]["content"][0]["text"], NO_VISION);
}

#[test]
fn anthropic_transcript_cached_prefix_is_stable() {
    let mut history = vec![user("one"), answer(vec![call("a")]), result("a", "x", false)];
    let before = build(&history, &model(), false);
    history.extend([answer(vec![say("done")]), user("two")]);
    let mut after = build(&history, &model(), false);
    assert_eq!(before[..], after[..before.len()]);
    mark_cache(&mut after, &json!({"type": "ephemeral"}));
    let marks: Vec<_> = after.iter().map(|m| m.to_string().contains("cache_control")).collect();
    assert_eq!(marks, [false, false, true, false, true]);
}

fn any_message() -> impl Strategy<Value = Message> {
    let part = prop_oneof![
        "[a-z ]{0,3}".prop_map(|s| say(&s)),
        "[ab|]{0,2}".prop_map(|s| call(&s)),
        Just(thinking(Some("s"), false)),
    ];
    prop_oneof![
        "[a-z ]{0,3}".prop_map(|s| user(&s)),
        prop::collection::vec(part, 0..4).prop_map(answer),
        "[ab|]{0,2}".prop_map(|s| result(&s, "r", false)),
    ]
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]

    #[test]
    fn anthropic_transcript_any_history_is_valid(history in prop::collection::vec(any_message(), 0..12)) {
        let messages = build(&history, &model(), false);
        let mut open: Vec<Value> = Vec::new();
        let mut seen = HashSet::new();
        for (at, message) in messages.iter().enumerate() {
            prop_assert_eq!(&message["role"], if at % 2 == 0 { "user" } else { "assistant" });
            let blocks = message["content"].as_array().unwrap();
            prop_assert!(!blocks.is_empty());
            let answered: Vec<_> = blocks.iter().filter_map(|b| b.get("tool_use_id").cloned()).collect();
            prop_assert_eq!(&answered, &open);
            prop_assert!(blocks.iter().skip(answered.len()).all(|b| b.get("tool_use_id").is_none()));
            open = blocks.iter().filter(|b| b["type"] == "tool_use").map(|b| b["id"].clone()).collect();
            for id in &open {
                prop_assert!(seen.insert(id.to_string()), "{} twice", id);
            }
        }
        prop_assert!(open.is_empty());
    }
}
