//! A live session whose workspace is recorded, with a model that says what it is told to.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bowline::agent::AgentEvent;
use bowline::base::clock::SystemClock;
use bowline::base::ids::RandomIds;
use bowline::base::paths::Home;
use bowline::exec::LocalEnvironment;
use bowline::llm::providers::scripted::{Scripted, Turn};
use bowline::runtime::{Delivery, Handle, Options, RuntimeEvent, start};
use bowline::session::derived::outline::Filter;
use bowline::session::restore::checkpoints;
use bowline::session::{Entry, Session};
use bowline::tools::{Approval, Ask, Decision as Leave, Mode};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;
use tokio::sync::mpsc;

struct NoUser;

impl Approval for NoUser {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Leave> {
        async move { Leave::Deny(ask.rule) }.boxed()
    }
}

/// A folder with a home and a workspace in it.
pub struct TestHome {
    pub dir: tempfile::TempDir,
}

impl TestHome {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        Self { dir }
    }

    pub fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub fn write_file(&self, name: &str, text: &str) {
        std::fs::write(self.work().join(name), text).unwrap();
    }

    /// What is in a file; `-` where there is none.
    pub fn read_file(&self, name: &str) -> String {
        std::fs::read_to_string(self.work().join(name)).unwrap_or_else(|_| "-".to_string())
    }

    pub fn options(&self) -> Options {
        let root = self.dir.path().join("home").display().to_string();
        let home =
            Home::find(|name| (name == "BOWLINE_HOME" || name == "HOME").then(|| root.clone())).unwrap();
        let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let env = Arc::new(LocalEnvironment::new(self.work(), vars));
        let options = Options::new(home, self.work(), env, Arc::new(NoUser));
        Options { approval_mode: Mode::Full, checkpoints: true, ..options }
    }

    pub async fn start(&self, turns: Vec<Turn>) -> RecordedSession {
        self.start_with(turns, |options| options).await
    }

    pub async fn start_with(
        &self,
        turns: Vec<Turn>,
        change: impl FnOnce(Options) -> Options,
    ) -> RecordedSession {
        let (_, injected) = Scripted::injected(turns);
        let handle = start(change(Options { providers: vec![injected], ..self.options() })).await.unwrap();
        let (_, events) = handle.subscribe().await.unwrap();
        RecordedSession { handle, events, notices: Vec::new() }
    }
}

pub struct RecordedSession {
    pub handle: Handle,
    pub events: mpsc::Receiver<RuntimeEvent>,
    /// What the user was told.
    pub notices: Vec<String>,
}

impl RecordedSession {
    pub fn prompt(&self, text: &str) {
        self.handle.prompt(text.to_string(), vec![], Delivery::Steer);
    }

    pub async fn next(&mut self) -> RuntimeEvent {
        let event = tokio::time::timeout(Duration::from_mins(1), self.events.recv());
        let event = event.await.expect("an event within the deadline").expect("a living session");
        if let RuntimeEvent::Failed(report) = &event {
            self.notices.push(report.to_string());
        }
        event
    }

    pub async fn run(&mut self, text: &str) {
        self.prompt(text);
        while !matches!(self.next().await, RuntimeEvent::Agent(AgentEvent::AgentEnd { .. })) {}
    }

    /// The entry of what the user said.
    pub async fn user_entry_id(&self, text: &str) -> String {
        self.outline_rows(Filter::Turns).await.into_iter().rfind(|(_, words)| words == text).unwrap().0
    }

    /// What was said last.
    pub async fn last_entry_id(&self) -> String {
        self.outline_rows(Filter::Messages).await.pop().unwrap().0
    }

    /// Entries and what they say, in the order of writing.
    pub async fn outline_rows(&self, filter: Filter) -> Vec<(String, String)> {
        let rows = self.handle.outline(filter).await.unwrap().rows;
        let shown: Vec<String> = rows.into_iter().map(|row| row.id.to_string()).collect();
        let written = self.session().await;
        let ids = written.entries().map(|entry| entry.id().to_string());
        self.handle.entry_lines(ids.filter(|id| shown.contains(id)).collect()).await.unwrap()
    }

    pub async fn session(&self) -> Session {
        let (snapshot, _) = self.handle.subscribe().await.unwrap();
        Session::open_read_only(&snapshot.file.unwrap(), SystemClock::shared(), RandomIds::shared()).unwrap()
    }

    /// The entries of the session: the states among them by when they were recorded.
    pub async fn entry_kinds(&self) -> String {
        let kind = |entry: &Entry| match checkpoints::from_entry(entry) {
            Some(state) => format!("{:?}", state.at).to_lowercase(),
            None => entry.kind().to_string(),
        };
        let session = self.session().await;
        let kinds: Vec<String> = session.entries().map(kind).collect();
        kinds.join(" ").replace("model_change thinking_level_change ", "")
    }
}

pub fn bash_turn(id: &str, command: &str) -> Turn {
    Turn::call(id, "bash", json!({"command": command}))
}

pub fn done_turn() -> Turn {
    Turn::text("done")
}
