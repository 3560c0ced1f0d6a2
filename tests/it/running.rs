//! Commands of the agent's tools judged by the pipeline, and gone with the session.

use std::sync::{Arc, Mutex};

use bowline::exec::LocalEnvironment;
use bowline::llm::model::ToolCall;
use bowline::tools::{self, AgentToolState, Approval, Ask, Context, Decision, Mode, Registry, Rules};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

/// Refuses, and remembers what it was asked.
#[derive(Default)]
struct RecordingDeny(Mutex<Vec<String>>);

impl Approval for RecordingDeny {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        self.0.lock().unwrap().push(ask.target);
        Box::pin(std::future::ready(Decision::Deny("not now".to_string())))
    }
}

async fn approval_requests(set: &str, name: &str, arguments: Value) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("sub")).unwrap();
    let approval = Arc::new(RecordingDeny::default());
    let context = Context {
        env: Arc::new(LocalEnvironment::new(root, [])),
        approval: Arc::<RecordingDeny>::clone(&approval),
        mode: Mode::OnRequest.into(),
        rules: Rules::default().into(),
        shared: Arc::new(AgentToolState::new(folder.path().join("artifacts"))),
    };
    let call = ToolCall { id: "c".into(), name: name.into(), arguments, thought_signature: None };
    let cancel = CancellationToken::new();
    tools::execute(&Registry::of(set), &context, &call, cancel, Arc::new(|_| {})).await;
    let asked = approval.0.lock().unwrap();
    asked.clone()
}

#[tokio::test]
async fn permission_request_shows_command_and_folder() {
    for (set, name, args, wanted) in [
        ("pi", "bash", json!({"command": "make"}), "make"),
        ("pi", "job", json!({"action": "start", "command": "make"}), "make"),
        ("openai", "exec_command", json!({"cmd": "make"}), "make"),
        ("openai", "exec_command", json!({"cmd": "make", "workdir": "sub"}), "/sub' && make"),
        (
            "openai",
            "exec_command",
            json!({"cmd": "make", "workdir": "/var/o'x"}),
            "cd '/var/o'\\''x' && make",
        ),
        ("openai", "write_stdin", json!({"session_id": 1, "chars": "ls\n"}), "stdin of command 1:\nls\n"),
        ("anthropic", "Bash", json!({"command": "make", "run_in_background": true}), "make"),
        ("gemini", "run_shell_command", json!({"command": "make", "dir_path": ".."}), "&& make"),
    ] {
        let asked = approval_requests(set, name, args).await;
        assert_eq!(asked.len(), 1, "{name}");
        assert!(asked[0].ends_with(wanted), "{name}: {asked:?}");
    }
}

#[tokio::test]
async fn permission_not_needed_for_polling_and_killing() {
    for (set, name, args) in [
        ("openai", "write_stdin", json!({"session_id": 1})),
        ("openai", "exec_command", json!({"cmd": "ls", "workdir": "/"})),
        ("anthropic", "BashOutput", json!({"bash_id": "bash_1"})),
        ("anthropic", "KillShell", json!({"shell_id": "bash_1"})),
        ("pi", "job", json!({"action": "poll", "job": 1})),
    ] {
        assert_eq!(approval_requests(set, name, args).await, Vec::<String>::new(), "{name}");
    }
}
