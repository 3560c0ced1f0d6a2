//! The three families of models with profiles of their own, as tests see them: a wire on loopback, and the
//! calls that such a model would make.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bowline::agent::AgentEvent;
use bowline::base::paths::Home;
use bowline::exec::local::LocalEnvironment;
use bowline::runtime::events::observe::{EventKind, Observer, SessionEvent};
use bowline::runtime::{self, Delivery, Handle, Options, RuntimeEvent, SessionChoice};
use bowline::tools::{Approval, Ask, Decision, Mode};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc::Receiver;

use super::server::{Piece, ReceivedRequest, Reply, Server};
use super::wires::{Answer, AnswerPart, ParsedRequest, WIRES, Wire};

/// A family.
#[derive(Clone, Copy)]
pub struct Family {
    pub profile: &'static str,
    api: &'static str,
    model: &'static str,
}

/// All of them.
pub const FAMILIES: [Family; 3] = [
    Family { profile: "openai", api: "openai-responses", model: "gpt-x" },
    Family { profile: "anthropic", api: "anthropic-messages", model: "claude-x" },
    Family { profile: "gemini", api: "google-generative-ai", model: "gemini-3-pro" },
];

/// What every agent is told whom another one has started.
const SUBAGENT_PREAMBLE: &str = "You are working for another agent";

struct NoUser;

impl Approval for NoUser {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        async move { Decision::Deny(ask.rule) }.boxed()
    }
}

fn tool_call(id: &'static str, name: &'static str, args: &Value) -> AnswerPart {
    AnswerPart::Call { id, name, args: vec![args.to_string()] }
}

impl Family {
    fn wire(self) -> &'static dyn Wire {
        *WIRES.iter().find(|wire| wire.api() == self.api).unwrap()
    }

    /// What one of its requests says.
    pub fn parse_request(self, seen: &ReceivedRequest) -> ParsedRequest {
        self.wire().parse_request(&seen.body)
    }

    /// One answer on its wire.
    pub fn parts_reply(self, bits: Vec<AnswerPart>) -> Reply {
        Reply::Stream(self.wire().encode_events(&Answer::new(bits)).into_iter().map(Piece::Raw).collect())
    }

    /// An answer of text alone.
    pub fn text_reply(self, text: &'static [&'static str]) -> Reply {
        self.parts_reply(vec![AnswerPart::Text(text)])
    }

    pub fn create(self, id: &'static str, path: &str, content: &str) -> AnswerPart {
        match self.profile {
            "openai" => {
                let lines: Vec<String> = content.lines().map(|line| format!("+{line}\n")).collect();
                let whole = lines.concat();
                let text_of_patch = format!("*** Begin Patch\n*** Add File: {path}\n{whole}*** End Patch\n");
                tool_call(id, "apply_patch", &json!({"input": text_of_patch}))
            }
            "anthropic" => tool_call(id, "Write", &json!({"file_path": path, "content": content})),
            _ => tool_call(id, "write_file", &json!({"file_path": path, "content": content})),
        }
    }

    pub fn read(self, id: &'static str, path: &str) -> AnswerPart {
        let name = if self.profile == "anthropic" { "Read" } else { "read_file" };
        tool_call(id, name, &json!({"file_path": path}))
    }

    /// Whole lines in place of others, in the family's own form.
    pub fn edit(self, id: &'static str, path: &str, old: &str, new: &str) -> AnswerPart {
        match self.profile {
            "openai" => {
                let lines = |sign: char, text: &str| -> String {
                    let lines: Vec<String> = text.lines().map(|line| format!("{sign}{line}\n")).collect();
                    lines.concat()
                };
                let (old, new) = (lines('-', old), lines('+', new));
                let text_of_patch =
                    format!("*** Begin Patch\n*** Update File: {path}\n@@\n{old}{new}*** End Patch\n");
                tool_call(id, "apply_patch", &json!({"input": text_of_patch}))
            }
            "anthropic" => {
                tool_call(id, "Edit", &json!({"file_path": path, "old_string": old, "new_string": new}))
            }
            _ => tool_call(
                id,
                "replace",
                &json!({"file_path": path, "instruction": "as asked", "old_string": old, "new_string": new}),
            ),
        }
    }

    pub fn shell(self, id: &'static str, command: &str) -> AnswerPart {
        self.shell_call(id, command, None)
    }

    /// With a time after which it is stopped.
    pub fn shell_with_timeout(self, id: &'static str, command: &str, ms: u64) -> AnswerPart {
        self.shell_call(id, command, Some(ms))
    }

    fn shell_call(self, id: &'static str, command: &str, ms: Option<u64>) -> AnswerPart {
        let (name, word, time) = match self.profile {
            "openai" => ("exec_command", "cmd", "timeout_ms"),
            "anthropic" => ("Bash", "command", "timeout"),
            _ => ("run_shell_command", "command", "timeout_ms"),
        };
        let mut args = json!({word: command});
        if let Some(ms) = ms {
            args[time] = json!(ms);
        }
        tool_call(id, name, &args)
    }

    pub fn grep(self, id: &'static str, pattern: &str) -> AnswerPart {
        let name = match self.profile {
            "openai" => "grep_files",
            "anthropic" => "Grep",
            _ => "grep_search",
        };
        tool_call(id, name, &json!({"pattern": pattern}))
    }

    pub fn glob(self, id: &'static str, pattern: &str) -> AnswerPart {
        tool_call(id, if self.profile == "anthropic" { "Glob" } else { "glob" }, &json!({"pattern": pattern}))
    }

    /// Another agent that works beside this one.
    pub fn spawn(self, id: &'static str, task: &str) -> AnswerPart {
        if self.profile == "anthropic" {
            let args = json!({"description": "a part", "prompt": task, "run_in_background": true});
            return tool_call(id, "Agent", &args);
        }
        tool_call(id, "spawn_agent", &json!({"task": task}))
    }
}

/// Something about an agent, in the words of every family.
pub fn agent_tool_call(id: &'static str, tool: &'static str, args: &Value) -> AnswerPart {
    tool_call(id, tool, args)
}

/// Waiting for an agent; every family says it alike.
pub fn wait_for_agent(id: &'static str, agent: &str) -> AnswerPart {
    tool_call(id, "wait", &json!({"agent_id": agent}))
}

/// A session of one family before its server, with files of its own.
pub struct FamilySession {
    pub family: Family,
    pub server: Server,
    pub handle: Handle,
    events: Receiver<RuntimeEvent>,
    observer: Observer,
    dir: TempDir,
}

impl FamilySession {
    /// With these answers, in this order.
    pub async fn new(family: Family, replies: Vec<Reply>) -> Self {
        Self::with_options(family, replies, Vec::new(), |options| options).await
    }

    /// `delegated`: the answers to agents that the agent starts.
    pub async fn with_options(
        family: Family,
        replies: Vec<Reply>,
        delegated: Vec<Reply>,
        change: impl FnOnce(Options) -> Options,
    ) -> Self {
        let is_delegated =
            move |seen: &ReceivedRequest| family.parse_request(seen).system.contains(SUBAGENT_PREAMBLE);
        let server = Server::with_two_scripts(replies, delegated, is_delegated);
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("home/config")).unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        let models = json!({"providers": {"test": {
            "api": family.api, "baseUrl": server.url, "apiKey": "k",
            "models": [{"id": family.model, "reasoning": true, "contextWindow": 100_000}],
        }}});
        std::fs::write(dir.path().join("home/config/models.json"), models.to_string()).unwrap();
        let root = dir.path().join("home").display().to_string();
        let home =
            Home::find(|name| (name == "BOWLINE_HOME" || name == "HOME").then(|| root.clone())).unwrap();
        let work = dir.path().join("work");
        // Without a home of its own a login shell takes the real one.
        let own = ("HOME".into(), dir.path().join("home").into_os_string());
        let vars = std::env::vars_os().filter(|(name, _)| name == "PATH").chain([own]);
        let env = Arc::new(LocalEnvironment::new(work.clone(), vars));
        let options = Options {
            approval_mode: Mode::Full,
            session: SessionChoice::Memory,
            model: Some(format!("test/{}", family.model)),
            ..Options::new(home, work, env, Arc::new(NoUser))
        };
        let handle = runtime::start(change(options)).await.unwrap();
        // Who listens first hears first: what the other has heard the observer has, too.
        let observer = handle.observe().await.unwrap();
        let (snapshot, events) = handle.subscribe().await.unwrap();
        assert_eq!(snapshot.active_tools.profile, family.profile);
        Self { family, server, handle, events, observer, dir }
    }

    pub fn work(&self) -> PathBuf {
        self.dir.path().join("work")
    }

    pub fn write_file(&self, name: &str, content: &str) {
        std::fs::write(self.work().join(name), content).unwrap();
    }

    pub fn read_file(&self, name: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.work().join(name)).unwrap()
    }

    pub fn send(&self, text: &str) {
        self.handle.prompt(text.to_string(), Vec::new(), Delivery::Steer);
    }

    /// The next event for which this holds, within the deadline.
    pub async fn wait_for_event(&mut self, holds: impl Fn(&AgentEvent) -> bool) {
        loop {
            let event = tokio::time::timeout(Duration::from_secs(30), self.events.recv());
            let event = event.await.expect("it happens in time").expect("a living session");
            if matches!(&event, RuntimeEvent::Agent(event) if holds(event)) {
                return;
            }
        }
    }

    /// Until the run ends; everything that was told meanwhile.
    pub async fn wait_for_end(&mut self) -> Vec<SessionEvent> {
        self.wait_for_event(|event| matches!(event, AgentEvent::AgentEnd { .. })).await;
        let mut told = Vec::new();
        // A task that takes much at once is told to wait so that others get their turn; all of this is there.
        while let Some(Some(event)) = tokio::task::unconstrained(self.observer.next()).now_or_never() {
            told.push(event);
        }
        told
    }

    pub async fn run(&mut self, text: &str) -> Vec<SessionEvent> {
        self.send(text);
        self.wait_for_end().await
    }

    /// What the model was told in answer to the calls of its last answer but one, in one text.
    pub fn last_request(&self) -> String {
        self.server.requests().last().unwrap().text.clone()
    }

    /// Ends the session; its files stay as long as what this gives.
    pub async fn close_keeping_files(self) -> TempDir {
        self.handle.shutdown().await;
        self.dir
    }

    /// The rest of the events, after the session's end.
    pub async fn close(mut self) -> Vec<SessionEvent> {
        self.handle.shutdown().await;
        let mut told = Vec::new();
        while let Some(event) = self.observer.next().await {
            told.push(event);
        }
        told
    }
}

/// Those of one kind.
pub fn of_kind(events: &[SessionEvent], kind: EventKind) -> Vec<&SessionEvent> {
    events.iter().filter(|event| event.kind == kind).collect()
}

/// The whole outputs of the calls, failed ones with `!` before it.
pub fn outputs(events: &[SessionEvent]) -> Vec<String> {
    let output = |event: &&SessionEvent| match (event.data.get("output"), event.data.get("error")) {
        (Some(output), _) => output.as_str().unwrap().to_string(),
        (_, error) => format!("!{}", error.unwrap().as_str().unwrap()),
    };
    of_kind(events, EventKind::ToolCallEnd).iter().map(output).collect()
}
