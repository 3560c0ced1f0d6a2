//! Conversations as they are sent: the model's own, another's, broken ones.

use super::*;
use crate::llm::model::{
    AssistantMessage, KnownPart, Message, Model, Part, StopReason, ToolResultMessage, UserMessage,
};
use crate::llm::stream::accumulate::Accumulator;

fn model() -> Model {
    Model::unknown("openai", "gpt-x", "openai-responses", "")
}

fn answer_of(model: &Model, content: Vec<Part>) -> Message {
    let message = Accumulator::new(model, 0).finish();
    Message::Assistant(AssistantMessage { content, ..message })
}

fn call(id: &str, name: &str, arguments: Value) -> Part {
    Part::Known(KnownPart::ToolCall(ToolCall {
        id: id.into(),
        name: name.into(),
        arguments,
        thought_signature: None,
    }))
}

fn result(id: &str, content: Vec<Part>) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_call_id: id.into(),
        tool_name: "read".into(),
        content,
        details: None,
        is_error: false,
        timestamp: 0,
        extra: serde_json::Map::new(),
    })
}

fn own() -> Vec<Part> {
    let reasoning = json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "e"});
    vec![
        Part::Known(KnownPart::Thinking {
            thinking: "hm".into(),
            thinking_signature: Some(reasoning.to_string()),
            redacted: false,
        }),
        Part::Known(KnownPart::Text {
            text: "I look".into(),
            text_signature: Some(r#"{"v":1,"id":"msg_9","phase":"commentary"}"#.into()),
        }),
        call("call_1|fc_1", "read", json!({"path": "a"})),
    ]
}

fn sent(messages: Vec<Message>, free: &[&str]) -> Vec<Value> {
    let request = Request { model: model(), messages, ..Request::default() };
    build(None, &request, &free.iter().copied().collect())
}

fn said(id: &str, text: &str) -> Value {
    json!({"type": "message", "role": "assistant", "status": "completed", "id": id,
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

#[test]
fn responses_input_own_items_are_sent_verbatim() {
    let history = vec![
        Message::User(UserMessage::text("read a", 0)),
        answer_of(&model(), own()),
        result("call_1|fc_1", vec![Part::text("one"), Part::text("two")]),
    ];
    let mut message = said("msg_9", "I look");
    message["phase"] = "commentary".into();
    let expected = [
        json!({"role": "user", "content": [{"type": "input_text", "text": "read a"}]}),
        json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "e"}),
        message,
        json!({"type": "function_call", "call_id": "call_1", "name": "read", "arguments": r#"{"path":"a"}"#,
            "id": "fc_1"}),
        json!({"type": "function_call_output", "call_id": "call_1", "output": "one\ntwo"}),
    ];
    assert_eq!(sent(history, &[]), expected);
}

#[test]
fn responses_input_other_model_gets_no_item_ids() {
    let other = Model { id: "gpt-y".into(), ..model() };
    let items = sent(vec![answer_of(&other, own())], &[]);
    let gave = json!({"type": "function_call_output", "call_id": "call_1", "output": history::NO_RESULT});
    let made = json!({"type": "function_call", "call_id": "call_1", "name": "read",
        "arguments": r#"{"path":"a"}"#});
    assert_eq!(items, [said("msg_0_0", "hm"), said("msg_0_1", "I look"), made, gave]);
}

#[test]
fn responses_input_aborted_answer_has_no_reasoning() {
    let Message::Assistant(mut broken) = answer_of(&model(), own()) else { panic!("it is an answer") };
    broken.stop_reason = StopReason::Aborted;
    let items = sent(vec![Message::Assistant(broken)], &[]);
    assert_eq!((items.len(), items[1].get("id")), (3, None), "{items:?}");
    assert_eq!(items[0]["id"], "msg_0_0");
}

#[test]
fn responses_input_images_in_messages_and_results() {
    let image = || Part::Known(KnownPart::Image { data: "QUJD".into(), mime_type: "image/png".into() });
    let user = UserMessage { content: vec![image()], ..UserMessage::text("", 0) };
    let history = vec![
        Message::User(user),
        answer_of(&model(), vec![call("c", "read", json!({}))]),
        result("c", vec![Part::text("seen"), image()]),
    ];
    let block = json!({"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,QUJD"});
    let items = sent(history, &[]);
    assert_eq!(items[0]["content"], json!([block]));
    assert_eq!(items[2]["output"], json!([{"type": "input_text", "text": "seen"}, block]));
}

#[test]
fn responses_input_custom_tool_gets_text_and_own_ids() {
    let mut parts = own();
    parts[2] = call("call_1|ctc_1", "patch", json!({"input": "*** é"}));
    parts.push(call("call_2|fc_2", "patch", json!({"input": "x"})));
    let items = sent(vec![answer_of(&model(), parts)], &["patch"]);
    let made = json!({"type": "custom_tool_call", "call_id": "call_1", "name": "patch", "input": "*** é",
        "id": "ctc_1"});
    assert_eq!((&items[2], items[3].get("id")), (&made, None));
    assert_eq!(items[4]["type"], "custom_tool_call_output");
}

#[test]
fn responses_input_invalid_signatures_are_dropped() {
    let thinking = |signature: &str| {
        Part::Known(KnownPart::Thinking {
            thinking: "hm".into(),
            thinking_signature: Some(signature.into()),
            redacted: false,
        })
    };
    let text = Part::Known(KnownPart::Text { text: "t".into(), text_signature: Some("msg_old".into()) });
    let parts = vec![thinking("reasoning_content"), thinking(r#"{"type": "other"}"#), text];
    assert_eq!(sent(vec![answer_of(&model(), parts)], &[]), [said("msg_0_2", "t")]);
    let text = Part::Known(KnownPart::Text { text: "t".into(), text_signature: Some("msg_old".into()) });
    assert_eq!(sent(vec![answer_of(&model(), vec![text])], &[]), [said("msg_old", "t")]);
    let long = Part::Known(KnownPart::Text { text: "t".into(), text_signature: Some("m".repeat(65)) });
    assert_eq!(sent(vec![answer_of(&model(), vec![long])], &[]), [said("msg_0_0", "t")]);
}

#[test]
fn responses_input_unstored_reasoning_drops_item_ids() {
    let mut parts = own();
    let item = |more: Value| {
        let mut item = json!({"id": "rs_1", "type": "reasoning", "summary": []});
        item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        item
    };
    let mut with = |item: &Value| {
        parts[0] = Part::Known(KnownPart::Thinking {
            thinking: "hm".into(),
            thinking_signature: Some(item.to_string()),
            redacted: false,
        });
        sent(vec![answer_of(&model(), parts.clone())], &[])
    };
    for nothing in [item(json!({})), item(json!({"encrypted_content": null, "content": []}))] {
        let items = with(&nothing);
        let mut message = said("msg_0_1", "I look");
        message["phase"] = "commentary".into();
        assert_eq!((&items[0], items[1].get("id"), items.len()), (&message, None, 3), "{items:?}");
    }
    let open = item(json!({"content": [{"type": "reasoning_text", "text": "hm"}]}));
    assert_eq!(with(&open)[0], open, "what is not encrypted is whole, too");
}

#[test]
fn responses_input_longer_history_keeps_prefix() {
    let mut history = vec![Message::User(UserMessage::text("read a", 0)), answer_of(&model(), own())];
    history.push(result("call_1|fc_1", vec![Part::text("one")]));
    let before = sent(history.clone(), &[]);
    history.push(answer_of(&model(), vec![Part::text("done")]));
    history.push(Message::User(UserMessage::text("go on", 9)));
    let after = sent(history, &[]);
    assert_eq!(after[..before.len()], before);
    assert_eq!(after.len(), before.len() + 2);
}

#[test]
fn responses_input_system_prompt_as_message() {
    let request = Request { model: model(), ..Request::default() };
    let items = build(Some(("developer", "be brief".into())), &request, &BTreeSet::new());
    assert_eq!(items, [json!({"role": "developer", "content": "be brief"})]);
}
