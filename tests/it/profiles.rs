//! Profiles: which tools and which prompt models of each family get, and what becomes of a conversation
//! that goes on with another family.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use bowline::agent::AgentEvent;
use bowline::agent::profile;
use bowline::agent::prompt::PromptTexts;
use bowline::base::clock::ManualClock;
use bowline::base::paths::Home;
use bowline::exec::local::LocalEnvironment;
use bowline::runtime::{self, Delivery, Handle, Options, RuntimeEvent, SessionChoice, new_session_prompt};
use bowline::tools::contract::tool_selection::ToolFlags;
use bowline::tools::{Approval, Ask, Decision, Mode};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::server::{Piece, Reply, Server};
use crate::support::{anthropic, openai, snaps};

/// Each profile and the names of its stored texts.
const STORED: [(&str, &str, &str); 4] = [
    ("pi", "profile_pi", "prompt_pi"),
    ("openai", "profile_openai", "prompt_openai"),
    ("anthropic", "profile_anthropic", "prompt_anthropic"),
    ("gemini", "profile_gemini", "prompt_gemini"),
];

/// Models of every family at one server.
const MODELS: &str = r#"{"providers": {
    "chat": {"api": "openai-completions", "baseUrl": "URL", "apiKey": "k", "models": [{"id": "qwen-x"}]},
    "claude": {"api": "anthropic-messages", "baseUrl": "URL", "apiKey": "k",
        "models": [{"id": "claude-x", "name": "Claude X", "knowledgeCutoff": "2026-01"}]},
    "oai": {"api": "openai-responses", "baseUrl": "URL", "apiKey": "k",
        "models": [{"id": "gpt-x", "compat": {"supportsOpenAIGrammarTools": true}}]},
    "google": {"api": "google-generative-ai", "baseUrl": "URL", "apiKey": "k", "models": [{"id": "gemini-x"}]}
}}"#;

struct NoUser;

impl Approval for NoUser {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        async move { Decision::Deny(ask.rule) }.boxed()
    }
}

/// A home and a workspace of their own.
struct TestHome {
    dir: TempDir,
}

impl TestHome {
    fn new(url: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        std::fs::create_dir_all(dir.path().join("home/config")).unwrap();
        std::fs::write(dir.path().join("home/config/models.json"), MODELS.replace("URL", url)).unwrap();
        Self { dir }
    }

    fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    fn options(&self, model: &str) -> Options {
        let root = self.dir.path().join("home").display().to_string();
        let home =
            Home::find(|name| (name == "BOWLINE_HOME" || name == "HOME").then(|| root.clone())).unwrap();
        let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let env = Arc::new(LocalEnvironment::new(self.work(), vars));
        Options {
            approval_mode: Mode::Full,
            model: Some(model.to_string()),
            vars: HashMap::new(),
            clock: ManualClock::new(1_770_076_800_000),
            ..Options::new(home, self.work(), env, Arc::new(NoUser))
        }
    }
}

fn schema_types(schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|");
    }
    match schema["type"].as_str() {
        Some("array") => format!("[{}]", schema_types(&schema["items"])),
        Some("object") => format!("{{{}}}", fields(schema)),
        Some(name) => name.to_string(),
        None => schema.to_string(),
    }
}

/// Fields by name, required ones with a star, their types behind them.
fn fields(schema: &Value) -> String {
    let required = |name: &str| schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
    let field = |(name, schema): (&String, &Value)| {
        format!("{name}{}: {}", if required(name) { "*" } else { "" }, schema_types(schema))
    };
    let fields = schema["properties"].as_object().into_iter().flatten().map(field);
    fields.collect::<Vec<_>>().join(", ")
}

#[test]
fn profile_tools_match_snapshot() {
    for (id, name, _) in STORED {
        let all = profile::find(id).unwrap().tools(&[]);
        let offered: Vec<&str> = all.default_names().collect();
        let lines = all.entries().iter().map(|row| {
            let name = row.spec.name.as_str();
            let mark = if offered.contains(&name) { ' ' } else { '-' };
            let grammar = if row.spec.grammar.is_some() { " (grammar)" } else { "" };
            format!("{mark} {name} [{}]{grammar} {}", row.tool.kind().name(), fields(&row.spec.parameters))
        });
        snaps::check_text(name, &lines.collect::<Vec<_>>().join("\n"));
    }
}

#[tokio::test]
async fn profile_prompts_match_snapshot() {
    let models = ["chat/qwen-x", "oai/gpt-x", "claude/claude-x", "google/gemini-x"];
    for ((_, _, name), model) in STORED.into_iter().zip(models) {
        let place = TestHome::new("http://127.0.0.1:9");
        std::fs::write(place.work().join("AGENTS.md"), "Use tabs.\n").unwrap();
        std::fs::write(place.dir.path().join("home/config/AGENTS.md"), "Speak plainly.\n").unwrap();
        let prompt_texts = PromptTexts { base: None, append: vec!["And be kind.".into()] };
        let tool_flags = ToolFlags { only: Some(vec!["read".into()]), ..ToolFlags::default() };
        let options = Options { prompt_texts, tool_flags, ..place.options(model) };
        let (shown, problems) = new_session_prompt(&options).await.unwrap();
        assert_eq!(problems.len(), 0);
        let (again, _) = new_session_prompt(&options).await.unwrap();
        assert_eq!(shown, again, "the same to the byte");
        let here = place.dir.path().display().to_string();
        let parts: Vec<String> =
            shown.parts.iter().map(|p| format!("<<{}>>\n{}\n\n", p.name, p.text)).collect();
        let text = parts.concat();
        // Which system tests run on, and where, is nobody's business.
        let lines = text.lines().map(|line| match line.split_once(": ") {
            Some((name @ ("Platform" | "OS version"), _)) => format!("{name}: …"),
            _ => line.replace(&here, "/here"),
        });
        snaps::check_text(name, &lines.collect::<Vec<_>>().join("\n"));
    }
}

#[tokio::test]
async fn profile_selects_instruction_files() {
    let place = TestHome::new("http://127.0.0.1:9");
    std::fs::create_dir(place.work().join(".codex")).unwrap();
    for name in ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".codex/instructions.md"] {
        std::fs::write(place.work().join(name), format!("words of {name}\n")).unwrap();
    }
    for (model, extra) in [
        ("chat/qwen-x", None),
        ("claude/claude-x", Some("CLAUDE.md")),
        ("google/gemini-x", Some("GEMINI.md")),
        ("oai/gpt-x", Some(".codex/instructions.md")),
    ] {
        let text = new_session_prompt(&place.options(model)).await.unwrap().0.text();
        assert!(text.contains("words of AGENTS.md"), "{model}");
        for name in ["CLAUDE.md", "GEMINI.md", ".codex/instructions.md"] {
            assert_eq!(text.contains(&format!("words of {name}\n")), extra == Some(name), "{model}: {name}");
        }
        let bare = Options { no_documents: true, ..place.options(model) };
        assert!(!new_session_prompt(&bare).await.unwrap().0.text().contains("words of"), "{model}");
    }
    let wished = Options { profile: Some("gemini".into()), ..place.options("chat/qwen-x") };
    assert!(new_session_prompt(&wished).await.unwrap().0.text().contains("words of GEMINI.md"));
    let unknown = Options { profile: Some("geminy".into()), ..place.options("chat/qwen-x") };
    assert!(new_session_prompt(&unknown).await.unwrap_err().to_string().contains("no such profile: geminy"));
}

async fn profiles_until_end(events: &mut tokio::sync::mpsc::Receiver<RuntimeEvent>) -> Vec<&'static str> {
    let mut profiles = Vec::new();
    loop {
        let event = tokio::time::timeout(Duration::from_secs(30), events.recv());
        match event.await.expect("the run ends in time").expect("a living session") {
            RuntimeEvent::ToolsChanged(equipment) => profiles.push(equipment.profile),
            RuntimeEvent::Agent(AgentEvent::AgentEnd { error, .. }) => {
                assert_eq!(error, None);
                return profiles;
            }
            _ => {}
        }
    }
}

async fn prompt(
    handle: &Handle,
    text: &str,
    events: &mut tokio::sync::mpsc::Receiver<RuntimeEvent>,
) -> Vec<&'static str> {
    handle.prompt(text.to_string(), Vec::new(), Delivery::Steer);
    profiles_until_end(events).await
}

/// A whole answer of Responses of one text.
fn responses_reply(words: &str) -> Reply {
    let part = json!({"type": "output_text", "text": words, "annotations": []});
    let item = json!({"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
        "content": [part]});
    let usage = json!({"input_tokens": 5, "output_tokens": 2, "total_tokens": 7});
    let events = [
        json!({"type": "response.created", "response": {"id": "resp_1", "model": "gpt-x", "status": "in_progress"}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item":
            {"id": "msg_1", "type": "message", "role": "assistant", "content": []}}),
        json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "item_id": "msg_1",
            "delta": words}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
        json!({"type": "response.completed", "response": {"id": "resp_1", "model": "gpt-x", "status": "completed",
            "output": [item], "usage": usage}}),
    ];
    Reply::Stream(events.into_iter().map(Piece::Event).collect())
}

fn gemini_reply(words: &str) -> Reply {
    let candidate = json!({"content": {"role": "model", "parts": [{"text": words}]}, "finishReason": "STOP"});
    let usage = json!({"promptTokenCount": 5, "candidatesTokenCount": 2, "totalTokenCount": 7});
    Reply::Stream(vec![Piece::Event(json!({"candidates": [candidate], "usageMetadata": usage}))])
}

/// The profile has a tool of that name.
fn assert_has_tool(id: &str, name: &Value) {
    let all = profile::find(id).unwrap().tools(&[]);
    assert!(all.entry(name.as_str().unwrap()).is_some(), "{id} knows no {name}");
}

/// Every call of the past is one of Claude's own tools', and is answered in order.
fn check_claude(claude: &Value) {
    let messages = claude["messages"].as_array().unwrap();
    let blocks = |kind: &str| -> Vec<Value> {
        let blocks = messages.iter().flat_map(|m| m["content"].as_array().unwrap().clone());
        blocks.filter(|block| block["type"] == kind).collect()
    };
    let (uses, results) = (blocks("tool_use"), blocks("tool_result"));
    assert!(!uses.is_empty());
    for block in &uses {
        assert_has_tool("anthropic", &block["name"]);
    }
    let ids = |blocks: &[Value], key: &str| blocks.iter().map(|b| b[key].clone()).collect::<Vec<_>>();
    assert_eq!(ids(&uses, "id"), ids(&results, "tool_use_id"));
    let system = claude["system"].to_string();
    assert!(system.contains("<environment>") && system.contains("Knowledge cutoff: 2026-01"), "{system}");
    assert!(system.contains("Today's date: 2026-02-03"), "{system}");
}

/// Patches are text in a grammar.
fn check_gpt(gpt: &Value) {
    let tools = gpt["tools"].as_array().unwrap();
    let patch = tools.iter().find(|tool| tool["name"] == "apply_patch").unwrap();
    assert_eq!((patch["type"].as_str(), patch["format"]["syntax"].as_str()), (Some("custom"), Some("lark")));
    let items = gpt["input"].as_array().unwrap();
    let calls: Vec<&Value> =
        items.iter().filter(|item| item["type"].as_str().is_some_and(|t| t.ends_with("_call"))).collect();
    assert!(
        calls.iter().any(|call| call["type"] == "custom_tool_call"
            && call["input"]
                .as_str()
                .unwrap()
                .contains("*** Update File: a.txt\n@@\n-one\n+1\n@@\n-two\n+2\n")),
        "{items:#?}"
    );
    for call in &calls {
        assert_has_tool("openai", &call["name"]);
    }
}

fn check_gemini(body: &Value) {
    let gemini = body["contents"].as_array().unwrap();
    let parts = gemini.iter().flat_map(|content| content["parts"].as_array().unwrap());
    let named: Vec<&Value> =
        parts.filter_map(|part| part.get("functionCall")).map(|call| &call["name"]).collect();
    assert!(!named.is_empty());
    for name in named {
        assert_has_tool("gemini", name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn profile_switch_translates_history_to_own_tools() {
    let edits = json!({"path": "a.txt", "edits": [{"oldText": "one", "newText": "1"}, {"oldText": "two", "newText": "2"}]});
    let server = Server::start(vec![
        openai::tool_call_reply("c1", "edit", &edits),
        openai::text_reply("changed"),
        anthropic::text_reply("I am Claude"),
        responses_reply("I am GPT"),
        gemini_reply("I am Gemini"),
        openai::text_reply("I am back"),
    ]);
    let place = TestHome::new(&server.url);
    std::fs::write(place.work().join("a.txt"), "one\ntwo\n").unwrap();
    let options = Options { session: SessionChoice::Memory, ..place.options("chat/qwen-x") };
    let handle = runtime::start(options).await.unwrap();
    let (snapshot, mut events) = handle.subscribe().await.unwrap();
    assert_eq!(snapshot.active_tools.profile, "pi");
    assert_eq!(prompt(&handle, "change it", &mut events).await, Vec::<&str>::new());
    assert_eq!(std::fs::read_to_string(place.work().join("a.txt")).unwrap(), "1\n2\n");
    for (provider, model, profile) in [
        ("claude", "claude-x", "anthropic"),
        ("oai", "gpt-x", "openai"),
        ("google", "gemini-x", "gemini"),
        ("chat", "qwen-x", "pi"),
    ] {
        handle.set_model(provider, model);
        assert_eq!(prompt(&handle, "who are you?", &mut events).await, [profile]);
    }
    handle.shutdown().await;
    let seen = server.requests();
    check_claude(&seen[2].body);
    check_gpt(&seen[3].body);
    check_gemini(&seen[4].body);
    // And back: what was said with the first tools is as it was.
    let (first, last) =
        (seen[1].body["messages"].as_array().unwrap(), seen[5].body["messages"].as_array().unwrap());
    assert_eq!(first[..], last[..first.len()], "prefix and all");
    assert_eq!(seen[1].body["tools"], seen[5].body["tools"]);
    for text in ["I am Claude", "I am GPT", "I am Gemini"] {
        assert!(seen[5].text.contains(text), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn profile_switch_during_tool_applies_to_next_request() {
    let wait = json!({"command": "while [ ! -e go ]; do sleep 0.01; done; echo went"});
    let server =
        Server::start(vec![openai::tool_call_reply("c1", "bash", &wait), anthropic::text_reply("done")]);
    let place = TestHome::new(&server.url);
    let options = Options { session: SessionChoice::Memory, ..place.options("chat/qwen-x") };
    let handle = runtime::start(options).await.unwrap();
    let (_, mut events) = handle.subscribe().await.unwrap();
    handle.prompt("wait".into(), Vec::new(), Delivery::Steer);
    loop {
        let event = tokio::time::timeout(Duration::from_secs(30), events.recv()).await.unwrap().unwrap();
        if matches!(event, RuntimeEvent::Agent(AgentEvent::ToolStart { .. })) {
            break;
        }
    }
    handle.set_model("claude", "claude-x");
    loop {
        let event = tokio::time::timeout(Duration::from_secs(30), events.recv()).await.unwrap().unwrap();
        if matches!(event, RuntimeEvent::ToolsChanged(_)) {
            break;
        }
    }
    std::fs::write(place.work().join("go"), "").unwrap();
    profiles_until_end(&mut events).await;
    let body = &server.requests()[1].body;
    let messages = body["messages"].as_array().unwrap();
    let (call, result) = (&messages[1]["content"][0], &messages[2]["content"][0]);
    assert_eq!(call["type"], "tool_use");
    assert!(profile::find("anthropic").unwrap().tools(&[]).entry(call["name"].as_str().unwrap()).is_some());
    assert_eq!(call["id"], result["tool_use_id"]);
    assert!(result.to_string().contains("went"), "{result}");
    handle.shutdown().await;
}

#[tokio::test]
async fn profile_switch_keeps_tool_selection() {
    let server = Server::start(vec![openai::text_reply("a"), anthropic::text_reply("b")]);
    let place = TestHome::new(&server.url);
    let tool_flags = ToolFlags { only: Some(vec!["read".into(), "bash".into()]), ..ToolFlags::default() };
    let options = Options { tool_flags, session: SessionChoice::Memory, ..place.options("chat/qwen-x") };
    let handle = runtime::start(options).await.unwrap();
    let (_, mut events) = handle.subscribe().await.unwrap();
    prompt(&handle, "one", &mut events).await;
    handle.set_model("claude", "claude-x");
    prompt(&handle, "two", &mut events).await;
    handle.shutdown().await;
    let seen = server.requests();
    let names = |tools: &Value, at: &str| -> Vec<String> {
        let names = tools.as_array().unwrap().iter().map(|tool| tool.pointer(at).unwrap());
        names.map(|name| name.as_str().unwrap().to_string()).collect()
    };
    assert_eq!(names(&seen[0].body["tools"], "/function/name"), ["read", "bash"]);
    let all = profile::find("anthropic").unwrap().tools(&[]);
    let kinds: Vec<&str> = names(&seen[1].body["tools"], "/name")
        .iter()
        .map(|name| all.entry(name).unwrap().tool.kind().name())
        .collect();
    assert!(kinds.contains(&"read") && kinds.contains(&"bash"), "{kinds:?}");
    assert!(kinds.iter().all(|kind| ["read", "bash"].contains(kind)), "{kinds:?}");
}

/// `bowline` with these arguments, without any key.
fn bowline(place: &TestHome, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
    command.args(args).current_dir(place.work()).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", place.dir.path()).env("BOWLINE_HOME", place.dir.path().join("home"));
    let output = command.stdin(std::process::Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

#[test]
fn prompt_show_command_works_without_api_key() {
    let place = TestHome::new("http://127.0.0.1:9");
    std::fs::write(place.work().join("AGENTS.md"), "Use \u{1b}[31mtabs.\n").unwrap();
    let (code, out, err) = bowline(&place, &["prompt", "--show", "--model", "claude-opus-5-5", "--json"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let shown: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (shown["profile"].as_str(), shown["model"].as_str()),
        (Some("anthropic"), Some("claude-opus-5-5"))
    );
    let sum = |list: &Value| {
        list.as_array().unwrap().iter().map(|row| row["tokens"].as_u64().unwrap()).sum::<u64>()
    };
    assert_eq!(shown["tokens"].as_u64().unwrap(), sum(&shown["parts"]) + sum(&shown["tools"]));
    let args =
        ["prompt", "--show", "--model", "claude-opus-5-5", "--profile", "pi", "-t", "read", "-xt", "nope"];
    let (code, _, err) = bowline(&place, &args);
    assert!(code == 2 && err.contains("there is no tool named `nope`"), "{code} {err}");
    let (code, out, err) = bowline(&place, &args[..8]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.contains("profile pi\n") && out.contains("schema of read\n") && !out.contains("schema of bash"),
        "{out}"
    );
    assert!(out.contains("tabs.") && !out.contains('\u{1b}'), "what a file holds is shown, never sent");
    let (_, out, _) = bowline(&place, &["prompt", "--show", "-nc", "-nt"]);
    assert!(!out.contains("tabs.") && !out.contains("schema of"), "{out}");
    let (code, _, err) = bowline(&place, &["prompt"]);
    assert!(code == 2 && err.contains("prompt --show"), "{code} {err}");
}
