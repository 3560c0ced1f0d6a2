//! What JSON and RPC mode of the built binary say of a session whose model is a script, beside what is stored. Times,
//! ids, durations and paths are made the same; ids that are the same stay the same.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::anthropic as wire;
use crate::support::client_process::TestHome;
use crate::support::server::{Piece, Reply};
use crate::support::snaps;

/// Fields whose values are ids.
const IDS: &[&str] =
    &["id", "parentId", "sessionId", "leafId", "entryId", "firstKeptEntryId", "since", "targetId"];

/// Makes what differs between two runs the same.
#[derive(Default)]
struct Normalizer {
    /// Ids, and what stands for them.
    ids: HashMap<String, String>,
    /// Texts, and what stands for them.
    texts: Vec<(String, &'static str)>,
}

impl Normalizer {
    fn new(ground: &TestHome) -> Self {
        let dir = ground.dir.path().canonicalize().unwrap();
        let texts = vec![(ground.server.url.clone(), "http://server"), (dir.display().to_string(), "/place")];
        Self { texts, ..Self::default() }
    }

    fn id(&mut self, id: &str) -> String {
        // Ids of the script's calls, of commands and of models are the same anyway.
        let is_made = id.len() >= 8 && id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
        if !is_made {
            return id.to_string();
        }
        let next = format!("id-{}", self.ids.len() + 1);
        self.ids.entry(id.to_string()).or_insert(next).clone()
    }

    fn text(&mut self, text: &str) -> String {
        let mut text = text.to_string();
        for (from, to) in &self.texts {
            text = text.replace(from, to);
        }
        // The name of a session's file has its time and its id.
        match text.split_once("/sessions/") {
            Some((before, _)) if Path::new(&text).extension().is_some_and(|end| end == "jsonl") => {
                format!("{before}/sessions/FILE")
            }
            _ => text,
        }
    }

    fn value(&mut self, name: &str, value: &Value) -> Value {
        match value {
            Value::String(id) if IDS.contains(&name) => json!(self.id(id)),
            Value::String(_) | Value::Number(_) if name.ends_with("imestamp") => json!("TIME"),
            Value::Number(_) if name.ends_with("Ms") => json!("TIME"),
            Value::String(_) if name == "version" => json!("VERSION"),
            Value::String(text) => json!(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.value(name, item)).collect(),
            // What else is known of a model changes with the list of models.
            Value::Object(fields) if fields.contains_key("contextWindow") && fields.contains_key("api") => {
                let kept = ["id", "provider", "api", "baseUrl", "reasoning", "input"];
                kept.iter().map(|name| ((*name).to_string(), self.value(name, &fields[*name]))).collect()
            }
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| (name.clone(), self.value(name, value))).collect()
            }
            other => other.clone(),
        }
    }

    fn lines(&mut self, lines: &[Value]) -> String {
        let lines: Vec<String> = lines.iter().map(|line| self.value("", line).to_string()).collect();
        lines.join("\n")
    }
}

/// A file is read, and then something is said.
fn script(ground: &str) -> Vec<Reply> {
    vec![
        wire::tool_call_reply("t1", "Read", &json!({"file_path": ground})),
        wire::text_reply("It says hello."),
    ]
}

fn home_with_file() -> TestHome {
    let ground = TestHome::new(script("hello.txt"));
    std::fs::write(ground.work().join("hello.txt"), "hello\n").unwrap();
    ground
}

#[test]
fn json_mode_run_matches_snapshot() {
    let ground = home_with_file();
    let (code, lines, told) =
        ground.start(&["--mode", "json", "--model", "claude-opus-5-5", "What does it say?"]).finish();
    assert_eq!((code, told.as_str()), (0, ""));
    snaps::check_text("json_run", &Normalizer::new(&ground).lines(&lines));
}

#[test]
fn rpc_run_and_queries_match_snapshots() {
    let ground = home_with_file();
    let mut program = ground.start(&["--mode", "rpc", "--model", "claude-opus-5-5"]);
    let mut plain = Normalizer::new(&ground);
    let began = program.request(json!({"type": "prompt", "message": "What does it say?"}));
    let mut run = std::mem::take(&mut program.skipped_lines);
    assert_eq!(run.len(), 1, "the answer comes before all that follows from the command");
    let end = program.next_event("agent_settled");
    run.push(began);
    run.append(&mut program.skipped_lines);
    run.push(end);
    snaps::check_text("rpc_run", &plain.lines(&run));
    let said = plain.ids.clone();
    let user = said.iter().find(|(_, name)| *name == "id-4").unwrap().0;
    let mut lines = Vec::new();
    for command in [
        json!({"type": "get_state"}),
        json!({"type": "get_messages"}),
        json!({"type": "get_fork_messages"}),
        json!({"type": "get_entries", "since": user}),
        json!({"type": "get_tree"}),
        json!({"type": "get_last_assistant_text"}),
        json!({"type": "get_session_stats"}),
        json!({"type": "get_permissions"}),
        json!({"type": "get_available_thinking_levels"}),
        json!({"type": "get_commands"}),
        json!({"type": "set_thinking_level", "level": "much"}),
        json!({"type": "set_model", "provider": "nobody", "modelId": "nothing"}),
        json!({"type": "fork", "entryId": "nothing"}),
        json!({"type": "steer"}),
        json!({"type": "nonsense"}),
    ] {
        let answer = program.request(command.clone());
        lines.extend([command, answer]);
    }
    snaps::check_text("rpc_answers", &plain.lines(&lines));
    let (code, rest, told) = program.finish();
    assert_eq!((code, rest, told.as_str()), (0, Vec::new(), ""));
}

const RPC: [&str; 4] = ["--mode", "rpc", "--model", "claude-opus-5-5"];

#[test]
fn rpc_set_model_rejects_unlisted_models() {
    let ground = TestHome::new(Vec::new());
    let own = json!({"providers": {"workshop": {"api": "openai-completions", "baseUrl": "http://127.0.0.1:9",
        "apiKey": "k", "models": [{"id": "vice"}]}}});
    ground.write_config("models.json", &own.to_string());
    let mut program = ground.start(&["--mode", "rpc", "--model", "anthropic/claude-of-tomorrow"]);
    let mut set = |provider: &str, id: &str| {
        let answer = program.request(json!({"type": "set_model", "provider": provider, "modelId": id}));
        match answer["data"]["id"].as_str() {
            Some(id) => id.to_string(),
            None => answer["error"].as_str().unwrap().split(" (").next().unwrap().to_string(),
        }
    };
    assert_eq!(set("anthropic", "claude-of-tomorrow"), "claude-of-tomorrow", "it answers already");
    assert_eq!(set("workshop", "vice"), "vice");
    assert_eq!(set("anthropic", "claude-opus-5-5"), "claude-opus-5-5");
    for (provider, id) in [
        ("anthropic", "claude-of-tomorrow"),
        ("workshop", "anvil"),
        ("openai", "gpt-5"),
        ("nobody", "nothing"),
        ("workshop", "claude-opus-5-5"),
    ] {
        assert_eq!(set(provider, id), format!("Model not found: {provider}/{id}"));
    }
    assert_eq!(program.ask_data(json!({"type": "get_state"}))["model"]["id"], "claude-opus-5-5");
}

/// The beginning of an answer; the rest of it waits for the gate.
fn gated_text(words: &str) -> Vec<Piece> {
    [wire::open(), wire::text(0, &[words, " …"]), vec![Piece::Gate]].concat()
}

#[test]
fn rpc_token_usage_is_streamed_and_kept_after_abort() {
    let whole = Reply::Stream([gated_text("So"), wire::close("end_turn")].concat());
    let ground = TestHome::new(vec![whole, Reply::Stream(gated_text("Never"))]);
    let mut program = ground.start(&RPC);
    let counted = |usage: &Value| json!([usage["input"], usage["output"], usage["totalTokens"]]);
    program.ask_data(json!({"type": "prompt", "message": "go"}));
    let update = program.next_event("message_update");
    assert_eq!(counted(&update["usage"]), json!([12, 1, 13]), "{update}");
    assert!(update["usage"]["cost"]["total"].as_f64().unwrap() > 0.0, "{update}");
    ground.server.open_gate();
    let answered = |line: &Value| line["type"] == "message_end" && line["message"]["role"] == "assistant";
    let end = program.wait_for(answered);
    assert_eq!(counted(&end["message"]["usage"]), json!([12, 9, 21]));
    program.next_event("agent_settled");
    program.ask_data(json!({"type": "prompt", "message": "again"}));
    program.next_event("message_update");
    program.send(&json!({"type": "abort"}));
    let end = program.wait_for(answered);
    assert_eq!(end["message"]["stopReason"], "aborted");
    assert_eq!(counted(&end["message"]["usage"]), json!([12, 1, 13]));
}

#[test]
fn rpc_queue_during_compaction_waits_for_next_prompt() {
    let summary = Reply::Stream([gated_text("A summary"), wire::close("end_turn")].concat());
    let ground = TestHome::new(vec![
        wire::text_reply("One."),
        summary,
        wire::text_reply("Two."),
        wire::text_reply("Three."),
    ]);
    ground.write_config("settings.toml", "compaction-keep-recent-tokens = 1\n");
    let mut program = ground.start(&RPC);
    program.ask_data(json!({"type": "prompt", "message": "first"}));
    program.next_event("agent_settled");
    program.ask_data(json!({"type": "follow_up", "message": "early"}));
    program.send(&json!({"type": "compact", "id": "c"}));
    ground.server.wait_for_requests(2);
    program.ask_data(json!({"type": "steer", "message": "meanwhile"}));
    for behavior in [json!(null), json!("steer")] {
        let words = json!({"type": "prompt", "message": "no", "streamingBehavior": behavior});
        let refused = program.request(words);
        assert!(refused["error"].as_str().unwrap().contains("is being compacted"), "{refused}");
    }
    ground.server.open_gate();
    let done = program.wait_for(|line| line["id"] == "c");
    assert_eq!(done["success"], true, "{done}");
    let state = program.ask_data(json!({"type": "get_state"}));
    assert_eq!(json!([state["isStreaming"], state["pendingMessageCount"]]), json!([false, 2]));
    program.ask_data(json!({"type": "prompt", "message": "now"}));
    program.next_event("agent_settled");
    let seen = ground.server.requests();
    let heard = |n: usize, words: &str| seen[n].body["messages"].to_string().contains(words);
    assert_eq!([heard(2, "now"), heard(2, "meanwhile"), heard(2, "early")], [true, true, false]);
    assert!(heard(3, "early"));
}
