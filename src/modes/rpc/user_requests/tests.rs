//! Leave and questions, answers, and what happens where nobody answers.

use std::time::Duration;

use serde_json::Value;

use super::*;
use crate::base::json::json;
use crate::tools::interaction::questions::Choice;

fn wants(tool: &str) -> Ask {
    Ask {
        warnings: Vec::new(),
        call_id: "c".into(),
        tool: tool.into(),
        class: crate::tools::ToolClass::Runs,
        target: "rm x".into(),
        rule: "not known to be read-only".into(),
        workspace: "/work".into(),
        editable: None,
        proposal: None,
        preview: None,
        arguments: String::new(),
        repeatable: true,
    }
}

/// Answers the next request with these fields.
async fn answers(desk: &HostUi, fields: Value) -> Value {
    let request = json!(desk.next().await);
    let mut answer =
        json!({"type": "extension_ui_response", "id": request["id"]}).as_object().unwrap().clone();
    answer.extend(fields.as_object().unwrap().clone());
    desk.handle_reply(&answer);
    request
}

#[tokio::test]
async fn rpc_approval_dialog_shows_command_and_choices() {
    let desk = HostUi::new();
    let (decision, request) =
        tokio::join!(desk.decide(wants("bash")), answers(&desk, json!({"value": ALLOW_ONCE})));
    assert_eq!(decision, Decision::Allow);
    assert_eq!((&request["method"], &request["options"]), (&json!("select"), &json!([ALLOW_ONCE, DENY])));
    assert!(request["title"].as_str().unwrap().contains("rm x"), "{request}");
    assert_eq!(request["timeout"], 300_000);
    for refusal in [json!({"value": DENY}), json!({"cancelled": true}), json!({"confirmed": true})] {
        let (decision, _) = tokio::join!(desk.decide(wants("bash")), answers(&desk, refusal));
        assert!(matches!(decision, Decision::Deny(_)), "{decision:?}");
    }
}

#[tokio::test]
async fn rpc_approval_without_answer_is_denied() {
    let desk = HostUi::new();
    let desk = desk.with_timeout(Duration::from_millis(1));
    let decision = desk.decide(wants("bash")).await;
    assert!(matches!(&decision, Decision::Deny(why) if why.contains("nobody")), "{decision:?}");
    assert_eq!(desk.take_next(), None, "what nobody waits for is not asked");
}

#[tokio::test]
async fn rpc_user_questions_of_every_kind() {
    let desk = HostUi::new();
    let choice = |label: &str| Choice { label: label.into(), description: String::new() };
    let free = Question { text: "Why?".into(), placeholder: "because".into(), ..Question::default() };
    let one =
        Question { header: "Colour".into(), options: vec![choice("red"), choice("blue")], ..free.clone() };
    let several = Question { multiple: true, ..one.clone() };
    let asked = Questions::ask(&desk, "c", vec![free, one.clone(), several, one]);
    let answering = async {
        let mut methods = Vec::new();
        for value in ["words", "blue", "red, blue,", OTHER_ANSWER, "green"] {
            let request = answers(&desk, json!({"value": value})).await;
            methods.push(request["method"].as_str().unwrap().to_string());
        }
        methods
    };
    let (got, methods) = tokio::join!(asked, answering);
    let wanted: Vec<Vec<&str>> = vec![vec!["words"], vec!["blue"], vec!["red", "blue"], vec!["green"]];
    assert_eq!(got.unwrap(), wanted);
    assert_eq!(methods, ["input", "select", "input", "select", "input"]);
    let free = Question { text: "Why?".into(), ..Question::default() };
    let asked = Questions::ask(&desk, "c", vec![free.clone(), free]);
    let (got, _) = tokio::join!(asked, answers(&desk, json!({"cancelled": true})));
    assert_eq!(got, None);
}
