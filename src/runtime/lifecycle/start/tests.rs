//! Whole sessions in one process: a scripted model, real tools, real files.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tempfile::TempDir;

use super::*;
use crate::agent::AgentEvent;
use crate::base::json::json;
use crate::base::paths::Home;
use crate::exec::local::LocalEnvironment;
use crate::llm::model::message::{KnownPart, join_text};
use crate::llm::model::{ErrorKind, Message, Part, StopReason};
use crate::llm::providers::scripted::{Scripted, Step, Turn};
use crate::runtime::{Delivery, RuntimeEvent, Snapshot};
use crate::session::AgentMessage;
use crate::tools::{Approval, Ask, Decision, Mode};

mod long;

struct Nobody;

impl Approval for Nobody {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        async move { Decision::Deny(ask.rule) }.boxed()
    }
}

/// A folder with a home and a workspace in it.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        Self { dir }
    }

    fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    fn options(&self) -> Options {
        let root = self.dir.path().join("home").display().to_string();
        let home =
            Home::find(|name| (name == "BOWLINE_HOME" || name == "HOME").then(|| root.clone())).unwrap();
        let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let env = Arc::new(LocalEnvironment::new(self.work(), vars));
        Options { approval_mode: Mode::Full, ..Options::new(home, self.work(), env, Arc::new(Nobody)) }
    }

    async fn start(&self, turns: Vec<Turn>) -> Rig {
        self.start_with(turns, |options| options).await
    }

    async fn start_with(&self, turns: Vec<Turn>, change: impl FnOnce(Options) -> Options) -> Rig {
        let (script, injected) = Scripted::injected(turns);
        let handle = start(change(Options { providers: vec![injected], ..self.options() })).await.unwrap();
        let (snapshot, events) = handle.subscribe().await.unwrap();
        Rig { handle, script, snapshot, events, seen: VecDeque::new() }
    }
}

struct Rig {
    handle: Handle,
    script: Arc<Scripted>,
    snapshot: Snapshot,
    events: mpsc::Receiver<RuntimeEvent>,
    seen: VecDeque<String>,
}

impl Rig {
    fn prompt(&self, text: &str) {
        self.handle.prompt(text.to_string(), vec![], Delivery::Steer);
    }

    async fn next(&mut self) -> RuntimeEvent {
        let event = tokio::time::timeout(Duration::from_secs(20), self.events.recv());
        let event = event.await.expect("an event within the deadline").expect("a living session");
        self.seen.push_back(describe(&event));
        event
    }

    /// Waits for an event whose description begins so.
    async fn until(&mut self, start: &str) -> RuntimeEvent {
        loop {
            let event = self.next().await;
            if self.seen.back().is_some_and(|last| last.starts_with(start)) {
                return event;
            }
        }
    }

    async fn run(&mut self, text: &str) -> Vec<String> {
        self.prompt(text);
        self.until("end").await;
        self.seen.drain(..).collect()
    }

    async fn file(&self) -> Option<String> {
        let (snapshot, _) = self.handle.subscribe().await.unwrap();
        Some(std::fs::read_to_string(snapshot.file?).unwrap())
    }

    async fn messages(&self) -> Vec<String> {
        let (snapshot, _) = self.handle.subscribe().await.unwrap();
        snapshot.messages.iter().map(|m| words(m)).collect()
    }
}

/// Waits for something outside of the program, which cannot wake us.
async fn eventually(done: impl Fn() -> bool) {
    let waiting = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("it happens within the deadline");
}

fn words(message: &AgentMessage) -> String {
    match message {
        AgentMessage::Llm(Message::User(m)) => format!("user {}", join_text(&m.content)),
        AgentMessage::Llm(Message::Assistant(m)) => format!("{:?} {}", m.stop_reason, m.text()),
        AgentMessage::Llm(Message::ToolResult(m)) => format!("result {} {}", m.tool_call_id, m.is_error),
        AgentMessage::Other(value) => value.to_string(),
    }
}

fn describe(event: &RuntimeEvent) -> String {
    let agent = match event {
        RuntimeEvent::Agent(agent) => agent,
        RuntimeEvent::ModelChanged(model) => return format!("model {}", model.id),
        RuntimeEvent::ThinkingChanged(level) => return format!("thinking {}", level.name()),
        RuntimeEvent::ToolsChanged(tools) => return format!("tools of {}", tools.profile),
        RuntimeEvent::ApprovalModeChanged(mode) => return format!("approval {}", mode.name()),
        RuntimeEvent::ModelsChanged(models) => return format!("{} models", models.len()),
        RuntimeEvent::Subagent { agent, .. } => return format!("delegated {agent}"),
        RuntimeEvent::QueueReturned(messages) => return format!("{} returned", messages.len()),
        RuntimeEvent::Replaced(now) => return format!("at {} messages", now.messages.len()),
        RuntimeEvent::EnvironmentChanged { root } => return format!("in {}", root.display()),
        RuntimeEvent::Restored(_) => return "restored".to_string(),
        RuntimeEvent::SessionRenamed(name) => return format!("named {name:?}"),
        RuntimeEvent::EntryAppended(_) => return "entry".to_string(),
        RuntimeEvent::Ended => return "session over".to_string(),
        RuntimeEvent::Settled => return "settled".to_string(),
        RuntimeEvent::ErrorsLeft(left) => return format!("{} errors left", left.count),
        RuntimeEvent::Failed(report) => return format!("failed {report}"),
    };
    match agent {
        AgentEvent::MessageStart(m) => format!("+{}", words(&AgentMessage::Llm((**m).clone()))),
        AgentEvent::MessageEnd(m) => format!("={}", words(&AgentMessage::Llm((**m).clone()))),
        AgentEvent::MessageUpdate(_) => "delta".into(),
        AgentEvent::ToolStart { tool, .. } => format!("tool {tool}"),
        AgentEvent::ToolUpdate { text, .. } => format!("live {text}"),
        AgentEvent::ToolEnd { tool, result, .. } => format!("tool end {tool} {}", result.is_error),
        AgentEvent::AgentEnd { aborted, error } => format!("end {aborted} {error:?}"),
        AgentEvent::QueueUpdate { steering, follow_up } => format!("queue {steering:?} {follow_up:?}"),
        AgentEvent::RetryStart { attempt, .. } => format!("retry {attempt}"),
        AgentEvent::TurnEnd { results, .. } => format!("turn end {}", results.len()),
        other => format!("{other:?}").to_lowercase(),
    }
}

#[tokio::test]
async fn session_prompt_is_on_disk_before_events() {
    let place = Place::new();
    let mut rig = place.start(vec![Turn::of(vec![Step::Text(vec!["Hel".into(), "lo".into()])])]).await;
    assert_eq!((rig.file().await, rig.snapshot.working), (None, false));
    rig.prompt("hi");
    rig.until("=user").await;
    assert!(rig.file().await.unwrap().contains("\"hi\""));
    rig.until("=Stop").await;
    assert!(rig.file().await.unwrap().contains("Hello"));
    rig.until("end").await;
    assert_eq!(
        rig.seen,
        [
            "agentstart",
            "turnstart",
            "+user hi",
            "=user hi",
            "+Stop ",
            "delta",
            "delta",
            "delta",
            "delta",
            "=Stop Hello",
            "turn end 0",
            "end false None",
        ]
    );
    let kinds: Vec<_> = rig
        .file()
        .await
        .unwrap()
        .lines()
        .map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap()["type"].clone())
        .collect();
    assert_eq!(kinds, ["session", "model_change", "thinking_level_change", "message", "message"]);
    assert_eq!(rig.script.requests()[0].session_id.as_deref(), Some(rig.snapshot.session_id.as_str()));
}

#[tokio::test]
async fn session_tool_results_go_back_to_model() {
    let place = Place::new();
    std::fs::write(place.work().join("a.txt"), "content of a\n").unwrap();
    std::fs::write(place.work().join("AGENTS.md"), "Use tabs.\n").unwrap();
    let turns = vec![Turn::call("c1", "read", json!({"path": "a.txt"})), Turn::text("done")];
    let mut rig = place.start(turns).await;
    let seen = rig.run("look").await;
    assert!(seen.contains(&"tool end read false".to_string()), "{seen:?}");
    let requests = rig.script.requests();
    let Some(Message::ToolResult(result)) = requests[1].messages.last() else { panic!("{requests:?}") };
    assert!(join_text(&result.content).contains("content of a"));
    assert_eq!(requests[0].system, requests[1].system, "the prompt stays the same to the byte");
    assert!(requests[0].system[0].contains("`read`"));
    assert!(requests[0].system[1].contains("Use tabs."));
}

#[tokio::test]
async fn session_aborted_answer_is_kept_and_next_prompt_works() {
    let place = Place::new();
    let half = Turn::of(vec![Step::Text(vec!["half".into()]), Step::Stall]);
    let mut rig = place.start(vec![half, Turn::text("again")]).await;
    rig.prompt("go");
    rig.until("delta").await;
    let image = Part::Known(KnownPart::Image { data: "AA==".into(), mime_type: "image/png".into() });
    rig.handle.prompt("waiting".into(), vec![image.clone()], Delivery::Steer);
    rig.until("queue").await;
    rig.handle.abort();
    rig.until("end true").await;
    assert_eq!(rig.messages().await, ["user go", "Aborted half"]);
    let back = rig.handle.take_queue().await.unwrap();
    assert_eq!(back.len(), 1);
    assert_eq!(back[0].content, [Part::text("waiting"), image]);
    let seen = rig.run("once more").await;
    assert_eq!(seen.last().unwrap(), "end false None");
    assert_eq!(rig.messages().await[2..], ["user once more", "Stop again"]);
}

#[tokio::test]
async fn session_abort_kills_process_group() {
    let place = Place::new();
    let script = "sleep 60 & echo $! > child; echo $$ > shell; wait";
    let mut rig = place.start(vec![Turn::call("c", "bash", json!({"command": script}))]).await;
    rig.prompt("go");
    rig.until("tool bash").await;
    let read = |name: &str| std::fs::read_to_string(place.work().join(name)).unwrap_or_default();
    eventually(|| read("shell").ends_with('\n')).await;
    rig.handle.abort();
    rig.until("end true").await;
    assert_eq!(rig.messages().await, ["user go", "ToolUse ", "result c true"]);
    for name in ["child", "shell"] {
        let path = PathBuf::from(format!("/proc/{}", read(name).trim()));
        eventually(|| !path.exists()).await;
    }
}

#[tokio::test]
async fn session_steering_arrives_after_tools() {
    let place = Place::new();
    let first = Turn::of(vec![
        Step::Text(vec!["first".into()]),
        Step::Gate,
        Step::Call { id: "c".into(), name: "bash".into(), arguments: json!({"command": "echo hi"}) },
    ]);
    let mut rig = place.start(vec![first, Turn::text("second"), Turn::text("third")]).await;
    rig.prompt("go");
    rig.until("delta").await;
    rig.prompt("steer");
    rig.handle.prompt("later".into(), vec![], Delivery::FollowUp);
    rig.until("queue [\"steer\"] [\"later\"]").await;
    rig.script.gate.add_permits(1);
    rig.until("end").await;
    assert_eq!(
        rig.messages().await,
        [
            "user go",
            "ToolUse first",
            "result c false",
            "user steer",
            "Stop second",
            "user later",
            "Stop third",
        ]
    );
}

#[tokio::test]
async fn session_continue_restores_history_and_settings() {
    let place = Place::new();
    let mut rig = place.start(vec![Turn::text("one")]).await;
    rig.run("first").await;
    rig.handle.set_thinking(Thinking::High);
    rig.until("thinking high").await;
    let before = rig.file().await;
    rig.handle.shutdown().await;
    assert!(rig.handle.subscribe().await.is_none());
    let again = |options| Options { session: SessionChoice::Continue, ..options };
    let mut rig = place.start_with(vec![Turn::text("two")], again).await;
    assert_eq!(rig.snapshot.messages.len(), 2);
    assert_eq!((rig.snapshot.thinking, rig.snapshot.usage.output), (Thinking::High, 5));
    assert_eq!(rig.snapshot.model.as_ref().unwrap().id, "script");
    assert_eq!(rig.file().await, before, "opening changes nothing");
    rig.run("second").await;
    assert_eq!(rig.script.requests()[0].messages.len(), 3);
    assert_eq!(rig.script.requests()[0].thinking, Thinking::High);
}

#[tokio::test]
async fn session_resume_copies_no_messages_before_prompt() {
    let place = Place::new();
    let mut rig = place.start(vec![Turn::text("one"), Turn::text("two")]).await;
    rig.run("first").await;
    rig.run("second").await;
    rig.handle.shutdown().await;
    let (_, injected) = Scripted::injected(vec![]);
    let options = Options { session: SessionChoice::Continue, providers: vec![injected], ..place.options() };
    let (_handle, mut live) = prepare(options).await.unwrap();
    assert_eq!(live.driver.setup().history.len(), 0, "a copy that nothing needs yet");
    drop(live);
    let again = |options| Options { session: SessionChoice::Continue, ..options };
    let mut rig = place.start_with(vec![Turn::text("three")], again).await;
    rig.run("third").await;
    assert_eq!(rig.script.requests()[0].messages.len(), 5, "and read when it is needed, each once");
}

#[tokio::test]
async fn session_continue_of_open_session_forks() {
    let place = Place::new();
    let mut first = place.start(vec![Turn::text("one"), Turn::text("more")]).await;
    first.run("first").await;
    let again = |options| Options { session: SessionChoice::Continue, ..options };
    let mut second = place.start_with(vec![Turn::text("two")], again).await;
    second.until("failed the session is open in another program").await;
    second.run("second").await;
    first.run("third").await;
    assert_eq!(second.messages().await, ["user first", "Stop one", "user second", "Stop two"]);
    assert_eq!(first.messages().await, ["user first", "Stop one", "user third", "Stop more"]);
    let (one, two) = (first.file().await.unwrap(), second.file().await.unwrap());
    assert!(!one.contains("second") && !two.contains("third") && two.contains("parentSession"), "{two}");
}

#[tokio::test]
async fn session_retry_before_first_delta() {
    let place = Place::new();
    let turns = vec![Turn::fail(ErrorKind::Server, "overloaded"), Turn::text("fine")];
    let mut rig = place.start(turns).await;
    let seen = rig.run("go").await;
    assert!(seen.iter().any(|s| s == "retry 1") && seen.contains(&"=Stop fine".to_string()), "{seen:?}");
    rig.script.push([Turn::fail(ErrorKind::Authentication, "no key")]);
    let seen = rig.run("again").await;
    assert_eq!(seen.last().unwrap(), "end false Some(\"no key\")");
    assert_eq!(rig.messages().await.last().unwrap(), "Error ");
}

#[tokio::test]
async fn session_truncated_tool_calls_are_refused() {
    let place = Place::new();
    let cut = Turn::call("c", "bash", json!({"command": "touch ran"})).stop(StopReason::Length);
    let mut rig = place.start(vec![cut, Turn::text("smaller")]).await;
    rig.run("go").await;
    assert_eq!(rig.messages().await, ["user go", "Length ", "result c true", "Stop smaller"]);
    assert!(!place.work().join("ran").exists());
}

#[tokio::test]
async fn session_unavailable_model_is_refused() {
    let place = Place::new();
    let mut rig = place.start(vec![]).await;
    let ids: Vec<_> = rig.handle.models().iter().map(|m| m.id.clone()).collect();
    assert_eq!(ids, ["script", "guide"]);
    rig.handle.set_model("demo", "guide");
    rig.until("model guide").await;
    rig.handle.set_model("anthropic", "claude-opus-5-5");
    let event = rig.until("failed").await;
    assert!(describe(&event).contains("ANTHROPIC_API_KEY"), "{event:?}");
    let wrong = Options { model: Some("claude-opus-5-5".into()), ..place.options() };
    assert!(start(wrong).await.err().unwrap().to_string().contains("ANTHROPIC_API_KEY"));
}

#[tokio::test]
async fn session_without_key_uses_demo_model() {
    let place = Place::new();
    std::fs::write(place.work().join("notes.md"), "a\nb\nc\n").unwrap();
    let mut rig = place.start(vec![]).await;
    rig.handle.set_model("demo", "guide");
    let seen = rig.run("read notes.md").await;
    assert!(seen.contains(&"tool end read false".to_string()), "{seen:?}");
    assert!(rig.messages().await.last().unwrap().contains("`read` tool gave"));
}

#[tokio::test]
async fn session_in_memory_writes_no_files() {
    let place = Place::new();
    let memory = |options| Options { session: SessionChoice::Memory, ..options };
    let mut rig = place.start_with(vec![Turn::text("x")], memory).await;
    rig.run("go").await;
    assert_eq!(rig.snapshot.file, None);
    assert!(!place.dir.path().join("home").exists());
}

#[tokio::test]
async fn prompt_report_uses_unavailable_session_model() {
    let options = Place::new().options();
    let last = |provider: &str, id: &str| ModelChoice {
        model: Some((provider.to_string(), id.to_string())),
        ..ModelChoice::default()
    };
    let catalog = access::load(&options).catalog;
    let anthropic = catalog.provider("anthropic").unwrap();
    let known = catalog.models_of(anthropic).remove(0);
    let (shown, _) = continued_session_prompt(&options, &last("anthropic", &known.id)).await.unwrap();
    assert_eq!((&shown.model.id, shown.profile), (&known.id, "anthropic"));
    let (shown, _) = continued_session_prompt(&options, &last("nobody", "x")).await.unwrap();
    assert_eq!(shown.model.provider, "demo", "another one answers then");
}
