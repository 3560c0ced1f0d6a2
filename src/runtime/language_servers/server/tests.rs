//! The life of a server, against the scripted server of the tests with short times.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicU64;

use serde_json::{Value, json};

use super::*;
use crate::exec::LocalEnvironment;
use crate::lsp::client::StartOptions;
use crate::lsp::document::PlainText;
use crate::runtime::agent_setup::trust_requests::ProgramTrust;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/language_server.py");
/// How long something may take that must come.
const LIMIT: Duration = Duration::from_secs(20);

/// A server, its folder, and who sends and hears.
struct Started {
    folder: tempfile::TempDir,
    commands: mpsc::Sender<ServerCommand>,
    updates: mpsc::Receiver<ServerUpdate>,
}

impl Started {
    /// A server that runs on for so long without texts.
    fn new(idle: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let script = root.join("script.json");
        std::fs::write(&script, json!({ "capabilities": { "textDocumentSync": 2 } }).to_string()).unwrap();
        let trust = ProgramTrust::new(root.clone(), &root.join("state"));
        trust.set_folder(true);
        let spec = ServerSpec {
            trust,
            name: "toy".to_string(),
            command: vec!["python3".to_string(), SCRIPT.to_string(), script.display().to_string()],
            env: BTreeMap::new(),
            memory_max: Arc::new(AtomicU64::new(u64::MAX)),
            options: StartOptions {
                process_id: None,
                root: root.clone(),
                initialization: Value::Null,
                settings: Value::Null,
                timeout: LIMIT,
            },
        };
        let path = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let env = Arc::new(LocalEnvironment::new(root, path));
        let (commands, receiver) = mpsc::channel(16);
        let (sender, updates) = mpsc::channel(16);
        tokio::spawn(run_with_idle(env, spec, receiver, sender, idle));
        Self { folder, commands, updates }
    }

    async fn send(&self, command: ServerCommand) {
        assert!(self.commands.send(command).await.is_ok(), "the owner runs");
    }

    async fn open(&self, name: &str) {
        let document = OpenDocument {
            path: self.folder.path().join(name),
            language_id: "toy".to_string(),
            version: 1,
            text: Arc::new(PlainText::new("text".to_string())),
        };
        self.send(ServerCommand::Open(document)).await;
    }

    async fn close(&self, name: &str) {
        self.send(ServerCommand::Close(self.folder.path().join(name))).await;
    }

    /// Asks for the client; the error says why there is none.
    async fn ask(&self) -> Result<(), String> {
        let (asked, answer) = oneshot::channel();
        self.send(ServerCommand::Client(asked)).await;
        tokio::time::timeout(LIMIT, answer).await.unwrap().unwrap().map(drop)
    }

    /// Returns the next state in a word or two; `None` if none comes in time.
    async fn state_within(&mut self, limit: Duration) -> Option<&'static str> {
        let next = async {
            loop {
                if let ServerUpdate::State(state) = self.updates.recv().await.unwrap() {
                    return state.words();
                }
            }
        };
        tokio::time::timeout(limit, next).await.ok()
    }

    async fn state(&mut self) -> &'static str {
        self.state_within(LIMIT).await.expect("a state in time")
    }

    /// What the servers were sent so far: the methods, of texts with their names.
    fn methods(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.folder.path().join("script.json.log")).unwrap();
        let method = |line: &str| {
            let message: Value = serde_json::from_str(line).unwrap();
            let method = message["method"].as_str()?.to_string();
            let uri = message["params"]["textDocument"]["uri"].as_str();
            let name = uri.and_then(|uri| Path::new(uri).file_name()).map(|name| name.display().to_string());
            Some(name.map_or(method.clone(), |name| format!("{method} {name}")))
        };
        log.lines().filter_map(method).collect()
    }
}

#[tokio::test]
async fn server_without_files_for_the_idle_time_is_shut_down_and_starts_again_with_a_file() {
    let mut server = Started::new(Duration::from_millis(50));
    assert_eq!(server.ask().await, Err("no file wants it".to_string()));
    server.open("a.toy").await;
    assert_eq!((server.state().await, server.state().await), ("starting", "running"));
    server.close("a.toy").await;
    assert_eq!(server.state().await, "stopped");
    let first = [
        "initialize",
        "initialized",
        "textDocument/didOpen a.toy",
        "textDocument/didClose a.toy",
        "shutdown",
        "exit",
    ];
    assert_eq!(server.methods(), first, "it is asked to end, and does");
    assert_eq!(server.ask().await, Err("no file wants it".to_string()));
    server.open("b.toy").await;
    assert_eq!((server.state().await, server.state().await), ("starting", "running"));
    assert_eq!(server.ask().await, Ok(()));
    server.close("b.toy").await;
    assert_eq!(server.state().await, "stopped");
    let second = server.methods().split_off(first.len());
    assert_eq!(second[2], "textDocument/didOpen b.toy", "the closed file is not opened again: {second:?}");
}

#[tokio::test]
async fn server_with_a_file_within_the_idle_time_runs_on() {
    let idle = Duration::from_millis(200);
    let mut server = Started::new(idle);
    server.open("a.toy").await;
    assert_eq!((server.state().await, server.state().await), ("starting", "running"));
    // Nothing of the owner runs between the two, however slow the machine is.
    server.close("a.toy").await;
    server.open("b.toy").await;
    assert_eq!(server.state_within(3 * idle).await, None, "it has a file");
    assert_eq!(server.ask().await, Ok(()));
    server.close("b.toy").await;
    assert_eq!(server.state().await, "stopped");
    let opened = server.methods().iter().filter(|method| *method == "initialize").count();
    assert_eq!(opened, 1, "it was one server all the time");
}
