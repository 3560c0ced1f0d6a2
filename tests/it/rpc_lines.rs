//! What programs in other languages write, said to RPC mode of the built binary: nulls, halves of characters, depth,
//! pictures that are none, and what must not be told back.

use std::io::Write;

use serde_json::{Value, json};

use crate::support::anthropic as wire;
use crate::support::client_process::{TestHome, TestProcess};

const PNG: &str = "iVBORw0KGgo=";
const RPC: [&str; 2] = ["--mode", "rpc"];

/// Says a line as it is; gives the answer with that id.
#[track_caller]
fn send_raw_line(program: &mut TestProcess, id: &str, line: &str) -> Value {
    program.stdin.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    let answer = program.wait_for(|line| line["type"] == "response");
    assert_eq!(answer["id"], id, "{line:.200}: {answer}");
    answer
}

#[track_caller]
fn assert_refused(program: &mut TestProcess, command: Value, why: &str) {
    let answer = program.request(command);
    let told = answer["error"].as_str().unwrap_or_default();
    assert!(answer["success"] == false && told.contains(why), "{answer}");
}

fn request_messages(ground: &TestHome, request: usize) -> String {
    ground.server.requests()[request].body["messages"].to_string()
}

#[test]
fn rpc_null_field_equals_missing_field() {
    let ground = TestHome::new(vec![wire::text_reply("One.")]);
    let mut program = ground.start(&RPC);
    let said = json!({"type": "prompt", "message": "go", "images": null, "streamingBehavior": null});
    assert_eq!(program.ask_data(said)["disposition"], "started");
    program.next_event("agent_settled");
    let ran = program.ask_data(json!({"type": "bash", "command": "echo a", "excludeFromContext": null}));
    assert_eq!(ran["output"].as_str().unwrap().trim(), "a");
    let entries = program.ask_data(json!({"type": "get_entries", "since": null}));
    let first = entries["entries"][0]["id"].clone();
    let gone =
        json!({"type": "navigate_tree", "targetId": first, "summarize": null, "customInstructions": null});
    assert_eq!(program.ask_data(gone)["cancelled"], false);
    assert_refused(&mut program, json!({"type": "prompt", "message": null}), "message");
    assert_eq!(program.finish().0, 0);
}

#[test]
fn rpc_session_opened_again_goes_on_at_the_branch_where_it_was_left() {
    let ground = TestHome::new(vec![wire::text_reply("One."), wire::text_reply("Two.")]);
    let mut program = ground.start(&RPC);
    for said in ["first", "second"] {
        program.ask_data(json!({"type": "prompt", "message": said}));
        program.next_event("agent_settled");
    }
    let entries = program.ask_data(json!({"type": "get_entries"}));
    let mut entries = entries["entries"].as_array().unwrap().iter();
    let answer = entries.find(|entry| entry["message"]["role"] == "assistant").unwrap()["id"].clone();
    program.ask_data(json!({"type": "navigate_tree", "targetId": answer}));
    assert_eq!(program.finish().0, 0);
    for _ in 0..2 {
        let mut program = ground.start(&[&RPC[..], &["--continue"]].concat());
        let messages = program.ask_data(json!({"type": "get_messages"}))["messages"].to_string();
        assert!(messages.contains("One.") && !messages.contains("second"), "{messages}");
        assert_eq!(program.finish().0, 0);
    }
}

#[test]
fn rpc_accepts_javascript_json_quirks() {
    let ground = TestHome::new(vec![wire::text_reply("One.")]);
    let mut program = ground.start(&RPC);
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    for (line, why) in [
        ("\u{feff}{\"id\":\"a\",\"type\":\"get_state\"}".to_string(), ""),
        (format!("{{\"id\":\"a\",\"type\":\"get_state\",\"deep\":{deep}}}"), ""),
        ("{\"type\":\"get_state\",\"more\":[1e400],\"id\":\"a\"}".to_string(), ""),
        ("{\"id\":\"a\",\"type\":\"set_session_name\",\"name\":1e400}".to_string(), "`name`"),
        (format!("{{\"id\":\"a\",\"type\":\"steer\",\"message\":\"x\",\"images\":{deep}}}"), "`images`"),
        ("{\"id\":\"a\",\"type\":\"get_\\ud83d\"}".to_string(), "unknown"),
    ] {
        let answer = send_raw_line(&mut program, "a", &line);
        assert_eq!(answer["success"], why.is_empty(), "{line:.200}: {answer}");
        assert!(answer["error"].as_str().unwrap_or_default().contains(why), "{answer}");
    }
    let line = r#"{"id":"s","type":"prompt","message":"a\ud83d b\udc00\ud83d\ude00 \\ud83d"}"#;
    assert_eq!(send_raw_line(&mut program, "s", line)["success"], true);
    program.next_event("agent_settled");
    let messages = &ground.server.requests()[0].body["messages"];
    let said = messages.as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(said.contains(r"a� b�😀 \\ud83d"), "{said}");
    assert_eq!(program.finish().0, 0);
}

/// pi cuts texts between the halves of a character and writes what is left as it is.
#[test]
fn rpc_session_lone_surrogate_becomes_replacement_character() {
    let ground = TestHome::new(vec![wire::text_reply("One."), wire::text_reply("Two.")]);
    let path = ground.dir.path().join("pi.jsonl");
    let cwd = ground.work().canonicalize().unwrap();
    let lines = [
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": cwd}).to_string(),
        r#"{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"cut \ud83d and more"}],"timestamp":1}}"#.to_string(),
        r#"{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"user","content":"last \uDC00 one","timestamp":2}}"#.to_string(),
    ];
    // The last one has no line feed: it is whole all the same.
    let text = lines.join("\n");
    std::fs::write(&path, &text).unwrap();
    let mut program = ground.start(&RPC);
    program.ask_data(json!({"type": "switch_session", "sessionPath": path}));
    let messages = program.ask_data(json!({"type": "get_messages"}))["messages"].take();
    assert_eq!(messages[0]["content"][0]["text"], "cut \u{fffd} and more", "{messages}");
    assert!(messages[1]["content"].to_string().contains("last \u{fffd} one"), "{messages}");
    let tree = program.ask_data(json!({"type": "get_fork_messages"}));
    assert_eq!(tree["messages"][0]["text"], "cut \u{fffd} and more", "{tree}");
    program.ask_data(json!({"type": "prompt", "message": "go on"}));
    program.next_event("agent_settled");
    let told = request_messages(&ground, 0);
    assert!(told.contains("cut \u{fffd} and more") && told.contains("last \u{fffd} one"), "{told}");
    assert!(std::fs::read_to_string(&path).unwrap().starts_with(&text), "what was there stays");
    assert!(!path.with_extension("jsonl.torn").exists());
    // A copy says it, too.
    program.ask_data(json!({"type": "clone"}));
    let copied = program.ask_data(json!({"type": "get_messages"}))["messages"].take();
    assert_eq!(copied[0]["content"][0]["text"], "cut \u{fffd} and more", "{copied}");
    assert_eq!(program.finish().0, 0);
    let listed = ground.command(env!("CARGO_BIN_EXE_bowline"), &["sessions", "list"]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("cut \u{fffd} and more"), "{listed}");
}

#[test]
fn rpc_redacts_secrets_in_base_url() {
    let ground = TestHome::new(Vec::new());
    let mut command = ground.command(env!("CARGO_BIN_EXE_bowline"), &RPC);
    command.env("ANTHROPIC_BASE_URL", "http://user:PASSWORD@127.0.0.1:1/v1?key=SECRET");
    let mut program = TestProcess::spawn(command);
    program.read();
    let told = program.ask_data(json!({"type": "get_available_models"}));
    let models = told["models"].as_array().unwrap();
    let ours: Vec<&Value> = models.iter().filter(|model| model["provider"] == "anthropic").collect();
    let set = |at: usize| json!({"type": "set_model", "provider": "anthropic", "modelId": ours[at]["id"]});
    let texts = [
        told.to_string(),
        program.ask_data(set(1)).to_string(),
        program.ask_data(set(0)).to_string(),
        program.ask_data(json!({"type": "get_state"})).to_string(),
        program.ask_data(json!({"type": "cycle_model"})).to_string(),
    ];
    for text in texts {
        assert!(text.contains("\"baseUrl\":\"http://127.0.0.1:1/v1\""), "{text:.400}");
        assert!(!text.contains("PASSWORD") && !text.contains("SECRET"), "{text:.400}");
    }
    assert_eq!(program.finish().0, 0);
}

#[test]
fn rpc_empty_text_and_invalid_images_are_rejected() {
    let ground = TestHome::new(vec![wire::text_reply("One.")]);
    let mut program = ground.start(&RPC);
    let picture = |data: &str, kind: &str| json!([{"type": "image", "data": data, "mimeType": kind}]);
    for name in ["prompt", "steer", "follow_up"] {
        for words in ["", " \n\t"] {
            assert_refused(&mut program, json!({"type": name, "message": words}), "no text");
            assert_refused(&mut program, json!({"type": name, "message": words, "images": []}), "no text");
        }
        for (data, kind, why) in [
            ("no base64!", "image/png", "base64"),
            ("", "image/png", "PNG, JPEG, GIF or WebP"),
            ("aGVsbG8=", "image/png", "PNG, JPEG, GIF or WebP"),
            ("JVBERi0xLjc=", "application/pdf", "PNG, JPEG, GIF or WebP"),
            (PNG, "image/jpeg", "image/png"),
        ] {
            let images = picture(data, kind);
            assert_refused(&mut program, json!({"type": name, "message": "see", "images": images}), why);
        }
    }
    // A picture alone says enough.
    program.ask_data(json!({"type": "prompt", "message": "", "images": picture(PNG, "image/png")}));
    program.next_event("agent_settled");
    assert_eq!(ground.server.requests().len(), 1);
    assert_eq!(program.finish().0, 0);
}

#[test]
fn rpc_invalid_permission_rule_is_rejected() {
    let ground = TestHome::new(Vec::new());
    let mut program = ground.start(&RPC);
    let add = |rule: &str| json!({"type": "add_permission_rule", "rule": rule});
    let whole = "[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n";
    for rule in
        ["", " \n", "# nothing", "rule = []", "command", "[[rule]]\n", "[[rule]]\ndecision = \"perhaps\"\n"]
    {
        assert_refused(&mut program, add(rule), "cannot write the rule");
    }
    let told = program.ask_data(add(whole));
    assert!(told["message"].as_str().unwrap().contains("permissions.toml"), "{told}");
    // Part of what is there is no rule, either.
    for rule in ["", "command = \"make\"", "[[rule]]"] {
        assert_refused(&mut program, add(rule), "cannot write the rule");
    }
    assert!(program.ask_data(add(whole))["message"].as_str().unwrap().contains("already"));
    let file = std::fs::read_to_string(ground.dir.path().join("home/config/permissions.toml")).unwrap();
    assert_eq!(file, whole);
    assert_eq!(program.finish().0, 0);
}

#[test]
fn rpc_get_settings_returns_effective_settings() {
    let ground = TestHome::new(Vec::new());
    ground.write_config("settings.toml", "tab-width = 3\n");
    let mut program = ground.start(&RPC);
    let four = |told: &Value| {
        json!(
            ["compaction", "steering-mode", "follow-up-mode", "approval", "tab-width"].map(|key| &told[key])
        )
    };
    let told = program.ask_data(json!({"type": "get_settings"}));
    assert_eq!(four(&told), json!([true, "one-at-a-time", "one-at-a-time", "on-request", 3]));
    program.ask_data(json!({"type": "set_auto_compaction", "enabled": false}));
    program.ask_data(json!({"type": "set_steering_mode", "mode": "all"}));
    program.ask_data(json!({"type": "set_follow_up_mode", "mode": "all"}));
    program.ask_data(json!({"type": "set_approval", "mode": "untrusted"}));
    let told = program.ask_data(json!({"type": "get_settings"}));
    assert_eq!(four(&told), json!([false, "all", "all", "untrusted", 3]));
    assert_eq!(program.finish().0, 0);
}

#[test]
fn rpc_bash_accepts_three_megabyte_command() {
    let ground = TestHome::new(Vec::new());
    let mut program = ground.start(&RPC);
    let long = format!("x='{}'\necho ${{#x}}; exit 3", "y".repeat(3 << 20));
    let ran = program.ask_data(json!({"type": "bash", "command": long, "excludeFromContext": true}));
    assert_eq!(json!([ran["output"].as_str().unwrap().trim(), ran["exitCode"]]), json!(["3145728", 3]));
    assert_eq!(program.finish().0, 0);
}
