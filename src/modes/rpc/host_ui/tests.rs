//! Dialogs and their answers, what nobody waits for any more, and what waits while nobody reads.

use super::*;
use crate::base::json::json;

/// Answers the next request with these fields; gives the request.
async fn answers(desk: &HostUi, fields: Value) -> Value {
    let request = json!(desk.next().await);
    let mut answer = fields.as_object().unwrap().clone();
    answer.insert("id".into(), request["id"].clone());
    desk.handle_reply(&answer);
    request
}

fn nothing_waits(desk: &HostUi) -> bool {
    desk.state().answers.is_empty() && desk.take_next().is_none()
}

#[tokio::test]
async fn rpc_dialogs_are_requested_and_answered() {
    let desk = HostUi::new().with_timeout(Duration::from_mins(1));
    let (chosen, asked) = tokio::join!(desk.select("t", &["a", "b"]), answers(&desk, json!({"value": "b"})));
    assert_eq!(chosen.as_deref(), Some("b"));
    let wanted = json!({
        "type": "extension_ui_request", "id": "ui-1", "method": "select", "title": "t", "options": ["a", "b"],
        "timeout": 60_000,
    });
    assert_eq!(asked, wanted);
    let (yes, asked) = tokio::join!(desk.confirm("t", "m"), answers(&desk, json!({"confirmed": false})));
    assert_eq!((yes, &asked["message"], &asked["timeout"]), (Some(false), &json!("m"), &json!(60_000)));
    let (line, asked) = tokio::join!(desk.input("t", None), answers(&desk, json!({"value": ""})));
    assert_eq!((line.as_deref(), asked.get("placeholder")), (Some(""), None));
    let (text, asked) = tokio::join!(desk.edit("t", Some("a\n")), answers(&desk, json!({"value": "a\nb"})));
    assert_eq!(
        (text.as_deref(), &asked["prefill"], asked.get("timeout")),
        (Some("a\nb"), &json!("a\n"), None)
    );
    assert!(nothing_waits(&desk));
}

#[tokio::test]
async fn rpc_dialog_mismatched_answer_is_none() {
    let desk = HostUi::new();
    for fields in [json!({"cancelled": true}), json!({"confirmed": true}), json!({"value": "c"}), json!({})] {
        let (chosen, _) = tokio::join!(desk.select("t", &["a"]), answers(&desk, fields));
        assert_eq!(chosen, None);
    }
    for fields in [json!({"cancelled": true}), json!({"value": "yes"}), json!({"confirmed": 1})] {
        let (yes, _) = tokio::join!(desk.confirm("t", "m"), answers(&desk, fields));
        assert_eq!(yes, None);
    }
    for fields in [json!({"cancelled": true}), json!({"confirmed": true}), json!({"value": ["x"]})] {
        let (text, _) = tokio::join!(desk.edit("t", None), answers(&desk, fields));
        assert_eq!(text, None);
    }
}

#[tokio::test]
async fn rpc_dialog_times_out() {
    let desk = HostUi::new();
    let hasty = desk.clone().with_timeout(Duration::ZERO);
    assert_eq!(hasty.edit("t", None).await, None);
    assert!(nothing_waits(&desk), "a question that nobody waits for is not sent");
    let asked =
        tokio::spawn(async move { hasty.with_timeout(Duration::from_millis(1)).input("t", None).await });
    let HostMessage::ExtensionUiRequest { id, .. } = desk.next().await else { panic!("it asks") };
    assert_eq!(asked.await.unwrap(), None);
    // An answer that comes too late harms nobody.
    desk.handle_reply(json!({"id": id, "value": "x"}).as_object().unwrap());
    assert!(nothing_waits(&desk));
}

#[tokio::test]
async fn rpc_dialog_dropped_request_is_withdrawn() {
    let desk = HostUi::new();
    for is_sent in [true, false] {
        let same = desk.clone();
        let asked = tokio::spawn(async move { same.confirm("t", "m").await });
        while desk.state().answers.is_empty() {
            tokio::task::yield_now().await;
        }
        if is_sent {
            desk.next().await;
        }
        asked.abort();
        asked.await.unwrap_err();
        assert!(nothing_waits(&desk));
    }
}

#[tokio::test]
async fn rpc_dialog_close_refuses_all() {
    let desk = HostUi::new();
    desk.notify("kept", None);
    let (chosen, ()) = tokio::join!(desk.select("t", &["a"]), async { desk.close() });
    assert_eq!((chosen, desk.confirm("t", "m").await), (None, None));
    let kept = Method::Notify { message: "kept".into(), notify_type: None };
    assert!(
        matches!(desk.take_next(), Some(HostMessage::ExtensionUiRequest { method, .. }) if method == kept)
    );
    assert!(nothing_waits(&desk));
}

#[test]
fn rpc_ui_notifications_do_not_block_and_are_bounded() {
    let desk = HostUi::new();
    for n in 0..10_000 {
        desk.notify("n", Some(NotifyType::Info));
        desk.set_status("job", Some(&n.to_string()));
        desk.set_widget("job", Some(&["a", "b"]), Some(Placement::AboveEditor));
        desk.set_title("t");
        desk.set_editor_text("x");
    }
    desk.set_widget("job", None, None);
    let told: Vec<Value> = std::iter::from_fn(|| desk.take_next()).map(|told| json!(told)).collect();
    assert_eq!(told.len(), super::super::pending::PENDING_MAX);
    let status: Vec<&Value> = told.iter().filter(|told| told["method"] == "setStatus").collect();
    assert_eq!((status.len(), &status[0]["statusText"]), (1, &json!("9999")));
    let last = &told[told.len() - 1];
    assert_eq!((&last["method"], last.get("widgetLines")), (&json!("setWidget"), None));
}
