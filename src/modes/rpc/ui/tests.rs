//! Every message has pi's names and fields, in pi's order, and every answer is read.

use super::*;
use crate::base::json::json;

fn line(method: Method) -> String {
    HostMessage::ExtensionUiRequest { id: "7".into(), method }.line()
}

#[test]
fn rpc_ui_messages_match_pi_fields() {
    let some = |text: &str| Some(text.to_string());
    for (method, wanted) in [
        (
            Method::Select { title: "t".into(), options: vec!["a".into()], timeout: Some(5) },
            r#""method":"select","title":"t","options":["a"],"timeout":5}"#,
        ),
        (
            Method::Confirm { title: "t".into(), message: "m".into(), timeout: None },
            r#""method":"confirm","title":"t","message":"m"}"#,
        ),
        (
            Method::Input { title: "t".into(), placeholder: some("p"), timeout: Some(5) },
            r#""method":"input","title":"t","placeholder":"p","timeout":5}"#,
        ),
        (
            Method::Editor { title: "t".into(), prefill: some("a\nb") },
            r#""method":"editor","title":"t","prefill":"a\nb"}"#,
        ),
        (
            Method::Notify { message: "m".into(), notify_type: Some(NotifyType::Warning) },
            r#""method":"notify","message":"m","notifyType":"warning"}"#,
        ),
        (
            Method::SetStatus { status_key: "k".into(), status_text: some("\u{1b}[1m") },
            r#""method":"setStatus","statusKey":"k","statusText":"\u001b[1m"}"#,
        ),
        (
            Method::SetStatus { status_key: "k".into(), status_text: None },
            r#""method":"setStatus","statusKey":"k"}"#,
        ),
        (
            Method::SetWidget {
                widget_key: "k".into(),
                widget_lines: Some(vec!["l".into()]),
                widget_placement: Some(Placement::BelowEditor),
            },
            r#""method":"setWidget","widgetKey":"k","widgetLines":["l"],"widgetPlacement":"belowEditor"}"#,
        ),
        (Method::SetTitle { title: "t".into() }, r#""method":"setTitle","title":"t"}"#),
        (Method::SetEditorText { text: "x".into() }, r#""method":"set_editor_text","text":"x"}"#),
    ] {
        assert_eq!(line(method), format!(r#"{{"type":"extension_ui_request","id":"7",{wanted}"#));
    }
    let failed = HostMessage::ExtensionError {
        extension_path: "command:x".into(),
        event: "command",
        error: "e".into(),
    };
    let wanted = r#"{"type":"extension_error","extensionPath":"command:x","event":"command","error":"e"}"#;
    assert_eq!(failed.line(), wanted);
}

#[test]
fn rpc_ui_malformed_reply_is_cancelled() {
    let refused = HostReply::Cancelled { cancelled: true };
    for (fields, wanted) in [
        (json!({"value": "v"}), HostReply::Value { value: "v".into() }),
        (json!({"value": "v", "cancelled": false}), HostReply::Value { value: "v".into() }),
        (json!({"confirmed": false}), HostReply::Confirmed { confirmed: false }),
        (json!({"confirmed": true, "value": null}), HostReply::Confirmed { confirmed: true }),
        (json!({"cancelled": true}), refused.clone()),
        (json!({"cancelled": true, "value": "v"}), refused.clone()),
        (json!({"cancelled": 1, "confirmed": true}), refused.clone()),
        (json!({"value": 5}), refused.clone()),
        (json!({"value": ["v"], "confirmed": true}), refused.clone()),
        (json!({"confirmed": "yes"}), refused.clone()),
        (json!({}), refused),
    ] {
        assert_eq!(HostReply::parse(fields.as_object().unwrap()), wanted, "{fields}");
    }
}
