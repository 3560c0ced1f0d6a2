//! Histories as they come, and what must be sent for them.

use proptest::prelude::*;
use serde_json::Map;

use super::*;
use crate::llm::model::{KnownPart, Message, Model, Part, ToolCall, ToolResultMessage, UserMessage};
use crate::llm::request::history::NO_RESULT;
use crate::llm::stream::accumulate::Accumulator;

fn model() -> Model {
    Model::unknown("openai", "m", "openai-completions", "")
}

fn sent_to(system: &[String], history: &[Message], model: &Model) -> Vec<Value> {
    let (system, messages) = (system.to_vec(), history.to_vec());
    build(&Request { model: model.clone(), system, messages, ..Request::default() }, &BTreeSet::new())
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

fn think(words: &str) -> KnownPart {
    KnownPart::Thinking { thinking: words.into(), thinking_signature: None, redacted: false }
}

fn call(id: &str) -> KnownPart {
    let arguments = json!({"path": "a"});
    KnownPart::ToolCall(ToolCall { id: id.into(), name: "read".into(), arguments, thought_signature: None })
}

fn image() -> Part {
    Part::Known(KnownPart::Image { data: "AAAA".into(), mime_type: "image/png".into() })
}

fn result(id: &str, content: Vec<Part>) -> Message {
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

fn url() -> Value {
    json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}})
}

fn sent_call(id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "read", "arguments": "{\"path\":\"a\"}"}})
}

#[test]
fn completions_transcript_full_conversation() {
    let with_image =
        UserMessage { content: vec![Part::text("look"), image()], timestamp: 0, extra: Map::new() };
    let history = [
        user("go"),
        answer(vec![think("hm"), say("one"), say("two"), call("a"), call("b")]),
        user("steer"),
        result("b", vec![image(), Part::text("shot")]),
        result("a", vec![image()]),
        Message::User(with_image),
    ];
    let sent = sent_to(&["be".into(), " ".into(), "brief".into()], &history, &model());
    let expected = json!([
        {"role": "system", "content": "be\n\nbrief"},
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "one\n\ntwo", "tool_calls": [sent_call("a"), sent_call("b")]},
        {"role": "tool", "tool_call_id": "a", "content": IMAGE_FOLLOWS},
        {"role": "tool", "tool_call_id": "b", "content": "shot"},
        {"role": "user", "content": [
            {"type": "text", "text": "Images from the tool results above:"}, url(), url()]},
        {"role": "user", "content": "steer"},
        {"role": "user", "content": [{"type": "text", "text": "look"}, url()]},
    ]);
    assert_eq!(Value::Array(sent), expected);
}

#[test]
fn completions_transcript_from_other_dialect() {
    let other = Model { id: "claude".into(), api: "anthropic-messages".into(), ..model() };
    let long = format!("call_{}|fc_1", "x".repeat(40));
    let history = [
        user("go"),
        answer_of(&other, vec![think("secret"), call("toolu_01AbC"), call(&long)]),
        result(&long, vec![Part::text("one")]),
        answer_of(&other, vec![think("alone")]),
        result("orphan", vec![Part::text("x")]),
    ];
    let sent = sent_to(&[], &history, &model());
    let cut = format!("call_{}", "x".repeat(35));
    let expected = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "secret", "tool_calls": [sent_call("toolu_01AbC"), sent_call(&cut)]},
        {"role": "tool", "tool_call_id": "toolu_01AbC", "content": NO_RESULT},
        {"role": "tool", "tool_call_id": cut, "content": "one"},
        {"role": "assistant", "content": "alone"},
    ]);
    assert_eq!(Value::Array(sent), expected);
}

#[test]
fn completions_transcript_reasoning_content_if_required() {
    let mut model = model();
    model.compat.insert("requiresReasoningContentOnAssistantMessages".into(), true.into());
    let sent = sent_to(&[], &[answer_of(&model, vec![think("hm"), call("a")])], &model);
    assert_eq!(sent[0]["reasoning_content"], "hm");
    let other = Model { id: "other".into(), ..model.clone() };
    let sent = sent_to(&[], &[answer_of(&other, vec![think("hm"), call("a")])], &model);
    assert_eq!(sent[0]["reasoning_content"], "");
}

#[test]
fn completions_transcript_broken_arguments_become_json() {
    let arguments = json!("{\"path\": ");
    let broken = ToolCall { id: "a".into(), name: "read".into(), arguments, thought_signature: None };
    let sent = sent_to(&[], &[answer(vec![KnownPart::ToolCall(broken)])], &model());
    let text = sent[0]["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), json!({"unparsed": "{\"path\": "}));
}

fn any_message() -> impl Strategy<Value = Message> {
    let part = prop_oneof![
        "[a-z ]{0,3}".prop_map(|s| say(&s)),
        "[ab|]{0,2}".prop_map(|s| call(&s)),
        Just(think("hm")),
    ];
    prop_oneof![
        "[a-z ]{0,3}".prop_map(|s| user(&s)),
        prop::collection::vec(part, 0..4).prop_map(answer),
        "[ab|]{0,2}".prop_map(|s| result(&s, vec![Part::text("r"), image()])),
    ]
}

fn flagged(flags: &[&str]) -> Model {
    let mut model = model();
    model.compat.extend(flags.iter().map(|flag| ((*flag).to_string(), true.into())));
    model
}

#[test]
fn completions_transcript_tool_result_name_if_required() {
    let history = [answer(vec![call("a")]), result("a", vec![Part::text("x")])];
    let named = json!({"role": "tool", "tool_call_id": "a", "content": "x", "name": "read"});
    assert_eq!(sent_to(&[], &history, &flagged(&["requiresToolResultName"]))[1], named);
    assert_eq!(sent_to(&[], &history, &model())[1].get("name"), None);
}

#[test]
fn completions_transcript_bridges_tool_result_if_required() {
    let history = [answer(vec![call("a")]), result("a", vec![image()]), user("go on")];
    let roles = |model: &Model| {
        let sent = sent_to(&[], &history, model);
        sent.iter().map(|message| message["role"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(roles(&model()), ["assistant", "tool", "user", "user"]);
    let bridged = flagged(&["requiresAssistantAfterToolResult"]);
    assert_eq!(roles(&bridged), ["assistant", "tool", "assistant", "user", "user"]);
    let texts = [answer(vec![call("a")]), result("a", vec![Part::text("x")]), user("go on")];
    let sent = sent_to(&[], &texts, &bridged);
    assert_eq!((sent.len(), &sent[2]), (4, &json!({"role": "assistant", "content": BRIDGE})));
}

#[test]
fn completions_transcript_empty_content_if_required() {
    let history = [answer(vec![call("a")])];
    assert_eq!(sent_to(&[], &history, &model())[0]["content"], Value::Null);
    assert_eq!(sent_to(&[], &history, &flagged(&["requiresNonNullAssistantContent"]))[0]["content"], "");
}

#[test]
fn completions_transcript_thinking_as_text_if_required() {
    let history = [answer(vec![say("so"), think("hm")])];
    assert_eq!(sent_to(&[], &history, &model())[0]["content"], "so");
    assert_eq!(sent_to(&[], &history, &flagged(&["requiresThinkingAsText"]))[0]["content"], "hm\n\nso");
}

#[test]
fn completions_transcript_thinking_needs_same_model() {
    let signed = KnownPart::Thinking {
        thinking: "hm".into(),
        thinking_signature: Some("reasoning".into()),
        redacted: false,
    };
    let sent = sent_to(&[], &[answer(vec![signed.clone(), say("so")])], &model());
    assert_eq!(sent[0], json!({"role": "assistant", "content": "so", "reasoning": "hm"}));
    let other = Model { id: "other".into(), ..model() };
    let sent = sent_to(&[], &[answer_of(&other, vec![signed, say("so")])], &model());
    assert_eq!(sent[0], json!({"role": "assistant", "content": "hm\n\nso"}));
}

#[test]
fn completions_transcript_custom_tool_gets_text() {
    let arguments = json!({"input": "a\né"});
    let made = ToolCall { id: "a".into(), name: "patch".into(), arguments, thought_signature: None };
    let messages = vec![answer(vec![KnownPart::ToolCall(made)])];
    let request = Request { model: model(), messages, ..Request::default() };
    let sent = build(&request, &BTreeSet::from(["patch"]));
    let custom = json!({"id": "a", "type": "custom", "custom": {"name": "patch", "input": "a\né"}});
    assert_eq!(sent[0]["tool_calls"], json!([custom]));
}

#[test]
fn completions_transcript_longer_history_keeps_prefix() {
    let mut history = vec![user("go"), answer(vec![call("a")]), result("a", vec![image()])];
    let before = sent_to(&["be".into()], &history, &model());
    history.extend([answer(vec![say("done")]), user("more")]);
    let after = sent_to(&["be".into()], &history, &model());
    assert_eq!((&after[..before.len()], after.len()), (&before[..], before.len() + 2));
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]

    #[test]
    fn completions_transcript_every_call_has_its_result(history in prop::collection::vec(any_message(), 0..12)) {
        let mut open: Vec<Value> = Vec::new();
        for message in sent_to(&[], &history, &model()) {
            if message["role"] == "tool" {
                prop_assert!(!open.is_empty());
                prop_assert_eq!(&open.remove(0), &message["tool_call_id"]);
                prop_assert!(message["content"].is_string());
                continue;
            }
            prop_assert!(open.is_empty());
            let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
            prop_assert!(!calls.is_empty() || !message["content"].is_null());
            open = calls.iter().map(|call| call["id"].clone()).collect();
        }
        prop_assert!(open.is_empty());
    }
}
