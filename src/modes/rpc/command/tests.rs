//! The schema of the commands is that of the types, and the documents name every one of them.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::base::json::json;
use crate::modes::rpc::host::SlashCommand;
use crate::modes::rpc::ui::{HostMessage, Response};

use super::*;

/// Commands in, and beside them an answer of the user; what goes out besides answers and events, and what
/// `get_commands` lists, stand among the definitions.
fn schema() -> Value {
    let mut made = SchemaSettings::draft2020_12().into_generator();
    let told = SchemaSettings::draft2020_12().for_serialize();
    let mut outward = told.into_generator();
    let mut schema = made.root_schema_for::<Command>();
    made.subschema_for::<Response>();
    outward.subschema_for::<HostMessage>();
    outward.subschema_for::<SlashCommand>();
    let mut definitions = made.take_definitions(true);
    definitions.append(&mut outward.take_definitions(true));
    definitions.sort_keys();
    schema.insert("$defs".into(), Value::Object(definitions));
    let lines = schema.get_mut("oneOf").and_then(Value::as_array_mut).unwrap();
    lines.push(json!({"$ref": "#/$defs/Response"}));
    schema.insert("title".into(), json!("bowline RPC command"));
    let description = json!(
        "A line on the standard input of `bowline --mode rpc`. Any command may have an `id`, which comes back. \
         `$defs/HostMessage` is what comes on its standard output besides answers and events, `$defs/SlashCommand` what \
         `get_commands` lists."
    );
    schema.insert("description".into(), description);
    json!(schema)
}

fn names() -> Vec<String> {
    let schema = schema();
    let all = schema["oneOf"].as_array().unwrap();
    all.iter().filter_map(|one| one["properties"]["type"]["const"].as_str()).map(str::to_string).collect()
}

#[test]
fn rpc_schema_file_matches_types() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rpc.schema.json");
    let made = format!("{:#}\n", schema());
    if std::env::var_os("SCHEMA_UPDATE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "docs/rpc.schema.json is old; SCHEMA_UPDATE=1 makes it anew");
}

#[test]
fn rpc_commands_cover_pi_and_are_documented() {
    let pi = [
        "prompt",
        "steer",
        "follow_up",
        "abort",
        "clear_queue",
        "new_session",
        "get_state",
        "get_messages",
        "set_model",
        "cycle_model",
        "get_available_models",
        "set_thinking_level",
        "cycle_thinking_level",
        "get_available_thinking_levels",
        "set_steering_mode",
        "set_follow_up_mode",
        "compact",
        "set_auto_compaction",
        "set_auto_retry",
        "abort_retry",
        "bash",
        "abort_bash",
        "get_session_stats",
        "export_html",
        "switch_session",
        "fork",
        "clone",
        "get_fork_messages",
        "get_entries",
        "get_tree",
        "get_last_assistant_text",
        "set_session_name",
        "get_commands",
    ];
    let names = names();
    for name in pi {
        assert!(names.iter().any(|known| known == name), "{name}");
    }
    let page = include_str!("../../../../docs/rpc.md");
    for name in names {
        assert!(page.contains(&format!("`{name}`")), "docs/rpc.md does not name {name}");
    }
}

#[test]
fn rpc_commands_ignore_unknown_fields() {
    let read = |value: Value| {
        let fields = value.as_object().unwrap().clone();
        Command::parse(value["type"].as_str().unwrap(), fields)
    };
    let known = read(json!({"type": "abort", "id": "x", "future": [1]})).unwrap();
    assert_eq!(known, Command::Abort);
    let prompt = json!({"type": "prompt", "message": "m", "images": [{"type": "image", "data": "AA==", "mimeType": "image/png"}], "streamingBehavior": "followUp"});
    assert!(matches!(
        read(prompt).unwrap(),
        Command::Prompt { streaming_behavior: Some(StreamingBehavior::FollowUp), images, .. } if images.len() == 1
    ));
    assert_eq!(
        read(json!({"type": "set_steering_mode", "mode": "one-at-a-time"})).unwrap(),
        Command::SetSteeringMode { mode: QueueMode::OneAtATime }
    );
    assert!(read(json!({"type": "set_steering_mode", "mode": "some"})).is_err());
}

#[test]
fn rpc_schema_covers_pi_ui_messages() {
    let schema = schema();
    let text = schema["$defs"].to_string();
    let page = include_str!("../../../../docs/rpc.md");
    for method in [
        "select",
        "confirm",
        "input",
        "editor",
        "notify",
        "setStatus",
        "setWidget",
        "setTitle",
        "set_editor_text",
    ] {
        let constant = json!({"type": "string", "const": method}).to_string();
        assert!(text.contains(&format!("\"method\":{constant}")), "{method}");
        assert!(page.contains(&format!("`{method}`")), "docs/rpc.md does not name {method}");
    }
    for kind in ["extension_ui_request", "extension_ui_response", "extension_error"] {
        let constant = json!({"type": "string", "const": kind}).to_string();
        assert!(text.contains(&format!("\"type\":{constant}")), "{kind}");
        assert!(page.contains(kind), "docs/rpc.md does not name {kind}");
    }
    for field in
        ["value", "confirmed", "cancelled", "sourceInfo", "baseDir", "extensionPath", "widgetPlacement"]
    {
        assert!(text.contains(&format!("\"{field}\":{{")), "{field}");
    }
}
