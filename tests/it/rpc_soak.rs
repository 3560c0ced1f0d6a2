//! Commands of every kind by chance, right and wrong, one after the other against one process of RPC mode. Each is
//! answered once, the process ends, and its memory is as before. `BOWLINE_SOAK=100000` says how many there are, which
//! takes about a minute.

use std::collections::{HashMap, VecDeque};
use std::io::Write;
use std::process::ChildStdin;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::fuzz::Rng;
use crate::support::anthropic as wire;
use crate::support::client_process::TestHome;

/// How many commands where nobody asks for more.
const COMMANDS: usize = 10_000;
/// Megabytes by which the process may grow from its first fifth to its end.
const MEMORY_GROWTH_MAX: f64 = 48.0;
/// Names that are remembered of what was told.
const KNOWN: usize = 40;

/// Commands, how often each comes, and their fields: a list is a choice, `ENTRY` and `FILE` are what was told.
fn commands() -> Vec<(usize, Value)> {
    let levels = json!(["off", "minimal", "low", "medium", "high", "xhigh", "max"]);
    let modes = json!(["all", "one-at-a-time"]);
    let (whats, takes) = (json!(["conversation", "code", "both"]), json!(["ours", "theirs", "both"]));
    let often = [
        "get_state",
        "cycle_model",
        "cycle_thinking_level",
        "get_available_thinking_levels",
        "abort_retry",
        "abort_bash",
        "get_session_stats",
        "get_fork_messages",
        "get_tree",
        "get_last_assistant_text",
        "get_messages",
        "get_commands",
        "get_login_state",
        "get_settings",
        "get_permissions",
        "abort",
        "clear_queue",
    ];
    let mut all: Vec<(usize, Value)> = often.iter().map(|name| (40, json!({"type": name}))).collect();
    all.extend([
        (40, json!({"type": "get_entries"})),
        (40, json!({"type": "get_entries", "since": "ENTRY"})),
        (40, json!({"type": "set_model", "provider": "anthropic", "modelId": ["claude-opus-5-5", "claude-haiku-4-5", "none"]})),
        (40, json!({"type": "set_thinking_level", "level": levels})),
        (40, json!({"type": "set_steering_mode", "mode": modes})),
        (40, json!({"type": "set_follow_up_mode", "mode": modes})),
        (20, json!({"type": "set_auto_compaction", "enabled": [true, false]})),
        (20, json!({"type": "set_auto_retry", "enabled": [true, false]})),
        (20, json!({"type": "set_session_name", "name": ["a", "", "漢字 \u{2028}"]})),
        (20, json!({"type": "set_label", "entryId": "ENTRY", "label": ["here", null]})),
        (20, json!({"type": "set_approval", "mode": ["untrusted", "on-request", "auto-edit", "full"]})),
        (20, json!({"type": "extension_ui_response", "id": "ui-1", "value": "yes"})),
        (10, json!({"type": "prompt", "message": ["go", ""], "streamingBehavior": ["steer", "followUp", null]})),
        (4, json!({"type": "prompt", "message": "go"})),
        (4, json!({"type": "steer", "message": "left"})),
        (4, json!({"type": "follow_up", "message": "then right"})),
        (4, json!({"type": "get_context"})),
        (4, json!({"type": "get_available_models"})),
        (4, json!({"type": "new_session", "parentSession": [null, "FILE"]})),
        (2, json!({"type": "switch_session", "sessionPath": ["FILE", "none.jsonl"]})),
        (2, json!({"type": "fork", "entryId": "ENTRY"})),
        (2, json!({"type": "clone"})),
        (2, json!({"type": "navigate_tree", "targetId": "ENTRY", "summarize": [true, false]})),
        (2, json!({"type": "preview_restore", "entryId": "ENTRY", "what": whats, "take": takes})),
        (1, json!({"type": "restore", "entryId": "ENTRY", "what": whats, "take": takes})),
        (1, json!({"type": "revert_turn", "entryId": "ENTRY", "take": takes})),
        (2, json!({"type": "logout", "provider": ["anthropic", "nobody"]})),
        (2, json!({"type": "add_permission_rule", "rule": ["no rule", "deny command rm"]})),
        (1, json!({"type": "bash", "command": ["echo a", "exit 3", "seq 1 3000"], "excludeFromContext": [true, false]})),
        (1, json!({"type": "compact", "customInstructions": [null, "the point"]})),
        (1, json!({"type": "export_html", "outputPath": "page.html"})),
    ]);
    all
}

/// Lines that are no commands, and whether they are answered.
const BAD_LINES: &[(&[u8], bool)] = &[
    (b"", false),
    (b"  \t\r", false),
    (b"nonsense", true),
    (b"{", true),
    (b"[1,2]", true),
    (b"null", true),
    (b"\xff\xfe", true),
    (b"{\"type\":\"get_state\"}{}", true),
];

/// What was told of entries and files.
#[derive(Default)]
struct KnownIds {
    entries: VecDeque<String>,
    files: VecDeque<String>,
}

impl KnownIds {
    fn learn(&mut self, line: &Value) {
        let (all, name) = match line["type"].as_str() {
            Some("entry_appended") => (&mut self.entries, &line["entry"]["id"]),
            Some("conversation_replaced") => (&mut self.files, &line["sessionFile"]),
            _ => return,
        };
        all.extend(name.as_str().map(str::to_string));
        if all.len() > KNOWN {
            all.pop_front();
        }
    }
}

fn pick<'a>(chance: &mut Rng, all: &'a VecDeque<String>) -> &'a str {
    all.get(chance.below(all.len())).map_or("nobody", String::as_str)
}

/// A command whose choices are made.
fn fill_command(chance: &mut Rng, shape: &Value, known: &KnownIds) -> Value {
    let mut command = serde_json::Map::new();
    for (name, value) in shape.as_object().unwrap() {
        let value = match value {
            Value::Array(choices) => choices[chance.below(choices.len())].clone(),
            other => other.clone(),
        };
        let value = match value.as_str() {
            Some("ENTRY") => json!(pick(chance, &known.entries)),
            Some("FILE") => json!(pick(chance, &known.files)),
            _ => value,
        };
        command.insert(name.clone(), value);
    }
    Value::Object(command)
}

/// Something is wrong with some of them.
fn corrupt(chance: &mut Rng, command: &mut Value) {
    let names: Vec<String> = command.as_object().unwrap().keys().cloned().collect();
    let name = &names[chance.below(names.len())];
    match chance.below(48) {
        0 => drop(command.as_object_mut().unwrap().shift_remove(name)),
        1 => command[name] = json!(7),
        2 => command[name] = json!({"deep": [null]}),
        3 => command[name] = json!("nonsense"),
        4 => command["more"] = json!([1]),
        _ => {}
    }
}

/// How often each id is to be answered; what has none is counted under the empty name.
type ExpectedCounts = HashMap<String, usize>;

fn send_all(mut stdin: ChildStdin, count: usize, known: &Mutex<KnownIds>) -> ExpectedCounts {
    let (mut chance, mut expected, shapes) = (Rng::new(20), ExpectedCounts::new(), commands());
    let sum: usize = shapes.iter().map(|(often, _)| often).sum();
    for n in 0..count {
        if chance.below(40) == 0 {
            let (bytes, is_answered) = BAD_LINES[chance.below(BAD_LINES.len())];
            stdin.write_all(&[bytes, b"\n"].concat()).unwrap();
            if is_answered {
                *expected.entry(String::new()).or_default() += 1;
            }
            continue;
        }
        let mut at = chance.below(sum);
        let fits = |(often, _): &&(usize, Value)| {
            let is_here = at < *often;
            at = at.wrapping_sub(*often);
            is_here
        };
        let (_, shape) = shapes.iter().find(fits).unwrap();
        let mut command = fill_command(&mut chance, shape, &known.lock().unwrap());
        corrupt(&mut chance, &mut command);
        let is_answer = command["type"] == "extension_ui_response";
        match chance.below(20) {
            _ if is_answer => {}
            0 => {}
            1 => command["id"] = json!("again"),
            2 => {
                command["id"] = [json!(null), json!(n), json!([n]), json!({"n": n})][chance.below(4)].clone();
            }
            _ => command["id"] = json!(format!("c-{n}")),
        }
        if !is_answer {
            let id = command.get("id").map(Value::to_string).unwrap_or_default();
            *expected.entry(id).or_default() += 1;
        }
        stdin.write_all(format!("{command}\n").as_bytes()).unwrap();
    }
    expected
}

#[test]
fn rpc_every_command_is_answered_once() {
    let wanted = std::env::var("BOWLINE_SOAK").ok().and_then(|number| number.parse().ok());
    let count: usize = wanted.unwrap_or(COMMANDS);
    let ground = TestHome::new(vec![wire::text_reply("Done."); count]);
    let mut program = ground.start(&["--mode", "rpc", "--approval", "full"]);
    let known: Arc<Mutex<KnownIds>> = Arc::default();
    let (stdin, heard) = (program.stdin.take().unwrap(), Arc::clone(&known));
    let saying = std::thread::spawn(move || send_all(stdin, count, &heard));
    let (mut answers, mut answered) = (ExpectedCounts::new(), 0);
    let (mut before, mut after) = (0.0, 0.0);
    while let Some(line) = program.next() {
        known.lock().unwrap().learn(&line);
        if line["type"] != "response" {
            continue;
        }
        *answers.entry(line.get("id").map(Value::to_string).unwrap_or_default()).or_default() += 1;
        answered += 1;
        if answered == count / 5 {
            before = program.memory_mb("VmRSS");
        }
        if answered == count / 10 * 9 {
            after = program.memory_mb("VmRSS");
        }
    }
    let expected = saying.join().unwrap();
    let off: Vec<_> = expected.iter().filter(|(id, times)| answers.get(*id) != Some(*times)).collect();
    assert!(off.is_empty() && answers.len() == expected.len(), "not answered as often as said: {off:?}");
    let (code, told) = program.wait_exit();
    assert_eq!(code, 0, "{told}");
    assert!(before > 0.0 && after < before + MEMORY_GROWTH_MAX, "{before} MB became {after} MB");
}
