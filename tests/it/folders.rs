//! Where commands of Claude Code's `Bash` begin: where the last one ended, and they are judged by it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use bowline::exec::LocalEnvironment;
use bowline::llm::model::ToolCall;
use bowline::llm::model::message::join_text;
use bowline::tools::{self, AgentToolState, Approval, Ask, Context, Decision, Mode, Registry, Rules};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::process::wait_until;

/// Says yes, and remembers to what.
#[derive(Default)]
struct RecordingAllow {
    targets: Mutex<Vec<String>>,
}

impl Approval for RecordingAllow {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        self.targets.lock().unwrap().push(ask.target);
        std::future::ready(Decision::Allow).boxed()
    }
}

/// A workspace with the folders `a` and `b`, one agent, and a folder beside.
struct Fixture {
    _folder: tempfile::TempDir,
    root: PathBuf,
    approval: Arc<RecordingAllow>,
    context: Context,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let above = fs::canonicalize(folder.path()).unwrap();
        let root = above.join("it's work");
        for name in ["a", "b"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::create_dir(above.join("beside")).unwrap();
        let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let yes = Arc::new(RecordingAllow::default());
        let context = Context {
            env: Arc::new(LocalEnvironment::new(root.clone(), vars)),
            approval: yes.clone(),
            mode: Mode::OnRequest.into(),
            rules: Rules::default().into(),
            shared: Arc::new(AgentToolState::new(above.join("outputs"))),
        };
        Self { _folder: folder, root, approval: yes, context }
    }

    /// What a model is told of a command.
    async fn run_bash(&self, command: &str) -> String {
        let arguments = json!({"command": command});
        let call = ToolCall { id: "c".into(), name: "Bash".into(), arguments, thought_signature: None };
        let (registry, cancel) = (Registry::of("anthropic"), CancellationToken::new());
        let outcome = tools::execute(&registry, &self.context, &call, cancel, Arc::new(|_| {})).await;
        join_text(&outcome.content).trim_end().to_string()
    }

    fn path_text(&self, name: &str) -> String {
        self.root.join(name).to_str().unwrap().to_string()
    }

    fn root_text(&self) -> String {
        self.root.to_str().unwrap().to_string()
    }

    fn take_approved(&self) -> Vec<String> {
        std::mem::take(&mut self.approval.targets.lock().unwrap())
    }
}

#[tokio::test]
async fn bash_tool_keeps_working_directory_for_permissions() {
    let fixture = Fixture::new();
    assert_eq!(fixture.run_bash("cd a").await, "(no output)");
    assert_eq!(fixture.run_bash("pwd").await, fixture.path_text("a"));
    assert_eq!(fixture.take_approved(), Vec::<String>::new(), "looking around is not asked about");
    assert_eq!(fixture.run_bash("touch made").await, "(no output)");
    let quoted = fixture.path_text("a").replace('\'', "'\\''");
    assert_eq!(fixture.take_approved(), [format!("cd '{quoted}' && touch made")]);
    assert!(fixture.root.join("a/made").exists());
    // A repository's settings are those of the folder.
    fixture.run_bash("git status").await;
    assert_eq!(fixture.take_approved(), [format!("cd '{quoted}' && git status")]);
    // Failing changes nothing about it, nor does a folder of a part of the command.
    assert_eq!(
        fixture.run_bash("(cd ..); cd ../b; X=1; nonsense_x; exit 3").await.lines().next(),
        Some("Exit code 3")
    );
    assert_eq!(fixture.run_bash("pwd; echo ${X-none}").await, format!("{}\nnone", fixture.path_text("b")));
    assert_eq!(fixture.run_bash("cd ..").await, "(no output)");
    fixture.take_approved();
    fixture.run_bash("touch made").await;
    assert_eq!(fixture.take_approved(), ["touch made"]);
    assert!(fixture.root.join("made").exists());
}

#[tokio::test]
async fn bash_tool_cd_outside_workspace_resets_to_root() {
    let fixture = Fixture::new();
    let beside = fixture.root.parent().unwrap().join("beside");
    symlink(&beside, fixture.root.join("way-out")).unwrap();
    for leaves in ["cd ../../beside", "cd ../way-out", "cd ..; cd ..", "cd /"] {
        fixture.run_bash("cd a").await;
        let told = fixture.run_bash(leaves).await;
        let root = fixture.root_text();
        let wanted = format!("which is no folder of the workspace. The next begins in {root}.]");
        assert!(told.starts_with("[This ended in /") && told.ends_with(&wanted), "{leaves}: {told}");
        assert_eq!(fixture.run_bash("pwd").await, root, "{leaves}");
    }
    // What has printed something keeps it.
    let told = fixture.run_bash("cd /; echo there").await;
    assert!(told.starts_with("there\n\n[This ended in /, which"), "{told}");
}

#[tokio::test]
async fn bash_tool_deleted_or_replaced_folder_resets_to_root() {
    let fixture = Fixture::new();
    fixture.run_bash("cd a").await;
    fs::remove_dir(fixture.root.join("a")).unwrap();
    let told = fixture.run_bash("pwd").await;
    let note = format!(
        "[{} is no folder of the workspace any more; this began in the workspace.]",
        fixture.path_text("a")
    );
    assert!(told.starts_with(&fixture.root_text()) && told.ends_with(&note), "{told}");
    assert_eq!(fixture.run_bash("pwd").await, fixture.root_text(), "it is said once");
    fixture.run_bash("cd b").await;
    fs::remove_dir(fixture.root.join("b")).unwrap();
    symlink(fixture.root.parent().unwrap().join("beside"), fixture.root.join("b")).unwrap();
    fixture.take_approved();
    fixture.run_bash("touch made").await;
    assert_eq!(fixture.take_approved(), ["touch made"]);
    assert!(fixture.root.join("made").exists());
}

#[tokio::test]
async fn bash_tool_unknown_end_folder_is_reported() {
    let fixture = Fixture::new();
    for script in ["cd a; exec true", "cd a; trap 'true' EXIT"] {
        let told = fixture.run_bash(script).await;
        let wanted =
            format!("[It is not known where this ended; the next begins in {}.]", fixture.root_text());
        assert_eq!(told, wanted, "{script}");
        assert_eq!(fixture.run_bash("pwd").await, fixture.root_text());
    }
    assert_eq!(fixture.run_bash("exec true").await, "(no output)", "it went nowhere");
    let told = fixture.run_bash("nonsense_x").await;
    assert!(told.contains("line 1: nonsense_x"), "lines are counted as they were written: {told}");
}

#[tokio::test]
async fn bash_tool_parallel_cd_sets_working_directory() {
    let fixture = Fixture::new();
    let stays = fixture.run_bash("touch begun; while [ ! -e go ]; do sleep 0.01; done");
    let goes = async {
        wait_until("the first one runs", || fixture.root.join("begun").exists()).await;
        fixture.run_bash("cd a").await;
        assert_eq!(fixture.run_bash("pwd").await, fixture.path_text("a"));
        fs::write(fixture.root.join("go"), "").unwrap();
    };
    tokio::join!(stays, goes);
    assert_eq!(fixture.run_bash("pwd").await, fixture.path_text("a"));
}
