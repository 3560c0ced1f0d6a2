//! A session with a scripted model and a small window, for tests of what happens when it is full.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bowline::agent::AgentEvent;
use bowline::agent::compaction::Settings;
use bowline::base::paths::Home;
use bowline::exec::local::LocalEnvironment;
use bowline::llm::model::message::join_text;
use bowline::llm::model::{Message, Model, Request, Usage};
use bowline::llm::provider::Injected;
use bowline::llm::providers::scripted::{Scripted, Turn};
use bowline::runtime::{self, Delivery, Handle, Options, RuntimeEvent, SessionChoice, Snapshot};
use bowline::tools::{Approval, Ask, Decision, Mode};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc::Receiver;

/// Tokens of the window. Half of it stays free.
pub const WINDOW: u64 = 20_000;
/// Tokens of a conversation that has grown too long.
pub const FULL: u64 = 11_000;

struct NoUser;

impl Approval for NoUser {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        async move { Decision::Deny(ask.rule) }.boxed()
    }
}

/// An answer after which the context has so many tokens.
pub fn with_context_tokens(mut turn: Turn, tokens: u64) -> Turn {
    turn.usage = Usage { input: tokens, ..Usage::default() };
    turn
}

pub fn text_turn(text: &str) -> Turn {
    Turn::text(text)
}

/// A session.
pub struct TestSession {
    pub handle: Handle,
    pub script: Arc<Scripted>,
    events: Receiver<RuntimeEvent>,
    /// What was heard and not looked at yet.
    unread_events: Vec<String>,
    dir: Arc<TempDir>,
}

impl TestSession {
    /// Keeps next to nothing of what is summed up, and does so only before requests.
    pub async fn new(turns: Vec<Turn>) -> Self {
        Self::with_options(turns, |options| options).await
    }

    pub async fn with_options(turns: Vec<Turn>, change: impl FnOnce(Options) -> Options) -> Self {
        let dir = Arc::new(tempfile::tempdir().unwrap());
        std::fs::create_dir(dir.path().join("work")).unwrap();
        Self::in_folder(dir, turns, SessionChoice::New, change).await
    }

    async fn in_folder(
        dir: Arc<TempDir>,
        turns: Vec<Turn>,
        session: SessionChoice,
        change: impl FnOnce(Options) -> Options,
    ) -> Self {
        let script = Arc::new(Scripted::new("scripted", turns));
        let model = Model { context_window: WINDOW, ..Model::unknown("scripted", "script", "scripted", "") };
        let injected = Injected { provider: script.clone(), models: vec![Arc::new(model)] };
        let root = dir.path().join("home").display().to_string();
        let home =
            Home::find(|name| (name == "BOWLINE_HOME" || name == "HOME").then(|| root.clone())).unwrap();
        let work = dir.path().join("work");
        let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let env = Arc::new(LocalEnvironment::new(work.clone(), vars));
        let options = Options {
            approval_mode: Mode::Full,
            providers: vec![injected],
            session,
            compaction: Settings { keep: 1, after_runs: false, ..Settings::default() },
            ..Options::new(home, work, env, Arc::new(NoUser))
        };
        let handle = runtime::start(change(options)).await.unwrap();
        let (_, events) = handle.subscribe().await.unwrap();
        Self { handle, script, events, unread_events: Vec::new(), dir }
    }

    /// Ends the session and goes on with it.
    pub async fn reopen(self, turns: Vec<Turn>) -> Self {
        let file = self.snapshot().await.file.unwrap();
        self.handle.shutdown().await;
        Self::in_folder(self.dir, turns, SessionChoice::Open(file), |options| options).await
    }

    pub async fn snapshot(&self) -> Snapshot {
        self.handle.subscribe().await.unwrap().0
    }

    pub fn send_prompt(&self, text: &str) {
        self.handle.prompt(text.to_string(), vec![], Delivery::Steer);
    }

    /// Says something and waits for the end of the run: what was told of compactions meanwhile, and the end.
    pub async fn run(&mut self, text: &str) -> Vec<String> {
        self.send_prompt(text);
        self.wait_for("agent end").await
    }

    /// Waits until something is told that begins so.
    pub async fn wait_for(&mut self, start: &str) -> Vec<String> {
        loop {
            let event = tokio::time::timeout(Duration::from_secs(30), self.events.recv());
            let event = event.await.expect("an event within the deadline").expect("a living session");
            let Some(words) = event_line(&event) else { continue };
            self.unread_events.push(words);
            if self.unread_events.last().unwrap().starts_with(start) {
                return std::mem::take(&mut self.unread_events);
            }
        }
    }

    /// Waits until so many requests were made.
    pub async fn wait_for_requests(&self, count: usize) {
        let waiting = async {
            while self.script.requests().len() < count {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), waiting)
            .await
            .expect("it is asked within the deadline");
    }

    /// What a request carries: role and text of each message.
    pub fn nth_request(&self, nth: usize) -> Vec<String> {
        request_messages(&self.script.requests()[nth])
    }

    /// The entries of the session's file.
    pub async fn entries(&self) -> Vec<Value> {
        let file = self.snapshot().await.file.unwrap();
        let text = std::fs::read_to_string(file).unwrap();
        text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Their kinds, messages by their roles; without choices of model and thinking.
    pub async fn entry_kinds(&self) -> Vec<String> {
        let kind = |entry: &Value| match entry["type"].as_str().unwrap() {
            "message" => entry["message"]["role"].as_str().unwrap().to_string(),
            kind => kind.to_string(),
        };
        let mut kinds: Vec<String> = self.entries().await.iter().map(kind).collect();
        kinds.retain(|kind| !kind.ends_with("_change"));
        kinds
    }

    /// The id of the last entry of a kind.
    pub async fn last_entry_id(&self, kind: &str) -> String {
        let entries = self.entries().await;
        let found = entries.iter().rev().find(|e| e["type"] == kind || e["message"]["role"] == kind);
        found.unwrap()["id"].as_str().unwrap().to_string()
    }
}

pub fn request_messages(request: &Request) -> Vec<String> {
    let words = |message: &Message| match message {
        Message::User(m) => format!("user {}", join_text(&m.content)),
        Message::Assistant(m) => format!("assistant {}", m.text()),
        Message::ToolResult(m) => format!("result {}", m.tool_call_id),
    };
    request.messages.iter().map(words).collect()
}

fn event_line(event: &RuntimeEvent) -> Option<String> {
    Some(match event {
        RuntimeEvent::Agent(AgentEvent::CompactionStart { reason }) => format!("start {}", reason.name()),
        RuntimeEvent::Agent(AgentEvent::CompactionEnd { reason, result, aborted, will_retry, error }) => {
            let mut words = format!("end {}", reason.name());
            words.push_str(if result.is_some() { " done" } else { "" });
            words.push_str(if *aborted { " aborted" } else { "" });
            words.push_str(if *will_retry { " retry" } else { "" });
            if let Some(error) = error {
                words.push_str(&format!(": {error}"));
            }
            words
        }
        RuntimeEvent::Agent(AgentEvent::SummaryRetryStart { attempt, max, error, .. }) => {
            format!("fails {attempt} of {max}: {error}")
        }
        RuntimeEvent::Agent(AgentEvent::SummaryRetry { reason }) => {
            format!("again {}", reason.map_or("branch", |reason| reason.name()))
        }
        RuntimeEvent::Agent(AgentEvent::SummaryRetryEnd) => "again over".to_string(),
        RuntimeEvent::Agent(AgentEvent::BranchSummaryStart) => "branch".to_string(),
        RuntimeEvent::Agent(AgentEvent::BranchSummaryEnd { aborted, .. }) => format!("branch end {aborted}"),
        RuntimeEvent::Agent(AgentEvent::AgentEnd { aborted: true, .. }) => "agent end aborted".to_string(),
        RuntimeEvent::Agent(AgentEvent::AgentEnd { error: Some(error), .. }) => format!("agent end: {error}"),
        RuntimeEvent::Agent(AgentEvent::AgentEnd { .. }) => "agent end".to_string(),
        RuntimeEvent::Failed(report) => format!("failed {report}"),
        _ => return None,
    })
}

/// Notes what it is told, and says what it was told to say.
pub struct RecordingHook {
    pub decision: Mutex<bowline::agent::compaction::hook::HookDecision>,
    pub calls: Mutex<Vec<String>>,
}
