//! Where commands of Claude Code's `Bash` begin: where the last one ended, and they are judged by it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use bowline::exec::LocalEnvironment;
use bowline::llm::model::ToolCall;
use bowline::llm::model::message::join_text;
use bowline::tools::{self, Approval, Ask, Context, Decision, Mode, Registry, Rules, Shared};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::process::until;

/// Says yes, and remembers to what.
#[derive(Default)]
struct Yes {
    asked: Mutex<Vec<String>>,
}

impl Approval for Yes {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        self.asked.lock().unwrap().push(ask.target);
        std::future::ready(Decision::Allow).boxed()
    }
}

/// A workspace with the folders `a` and `b`, one agent, and a folder beside.
struct Desk {
    _folder: tempfile::TempDir,
    root: PathBuf,
    yes: Arc<Yes>,
    context: Context,
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let above = fs::canonicalize(folder.path()).unwrap();
        let root = above.join("it's work");
        for name in ["a", "b"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::create_dir(above.join("beside")).unwrap();
        let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let yes = Arc::new(Yes::default());
        let context = Context {
            env: Arc::new(LocalEnvironment::new(root.clone(), vars)),
            approval: yes.clone(),
            mode: Mode::OnRequest.into(),
            rules: Rules::default().into(),
            shared: Arc::new(Shared::new(above.join("outputs"))),
        };
        Self { _folder: folder, root, yes, context }
    }

    /// What a model is told of a command.
    async fn bash(&self, command: &str) -> String {
        let arguments = json!({"command": command});
        let call = ToolCall { id: "c".into(), name: "Bash".into(), arguments, thought_signature: None };
        let (registry, cancel) = (Registry::of("anthropic"), CancellationToken::new());
        let outcome = tools::execute(&registry, &self.context, &call, cancel, Arc::new(|_| {})).await;
        join_text(&outcome.content).trim_end().to_string()
    }

    fn below(&self, name: &str) -> String {
        self.root.join(name).to_str().unwrap().to_string()
    }

    fn at_root(&self) -> String {
        self.root.to_str().unwrap().to_string()
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.yes.asked.lock().unwrap())
    }
}

#[tokio::test]
async fn a_command_begins_where_the_last_one_ended_and_is_judged_there() {
    let desk = Desk::new();
    assert_eq!(desk.bash("cd a").await, "(no output)");
    assert_eq!(desk.bash("pwd").await, desk.below("a"));
    assert_eq!(desk.asked(), Vec::<String>::new(), "looking around is not asked about");
    assert_eq!(desk.bash("touch made").await, "(no output)");
    let quoted = desk.below("a").replace('\'', "'\\''");
    assert_eq!(desk.asked(), [format!("cd '{quoted}' && touch made")]);
    assert!(desk.root.join("a/made").exists());
    // A repository's settings are those of the folder.
    desk.bash("git status").await;
    assert_eq!(desk.asked(), [format!("cd '{quoted}' && git status")]);
    // Failing changes nothing about it, nor does a folder of a part of the command.
    assert_eq!(
        desk.bash("(cd ..); cd ../b; X=1; nonsense_x; exit 3").await.lines().next(),
        Some("Exit code 3")
    );
    assert_eq!(desk.bash("pwd; echo ${X-none}").await, format!("{}\nnone", desk.below("b")));
    assert_eq!(desk.bash("cd ..").await, "(no output)");
    desk.asked();
    desk.bash("touch made").await;
    assert_eq!(desk.asked(), ["touch made"]);
    assert!(desk.root.join("made").exists());
}

#[tokio::test]
async fn outside_of_the_workspace_no_command_begins() {
    let desk = Desk::new();
    let beside = desk.root.parent().unwrap().join("beside");
    symlink(&beside, desk.root.join("way-out")).unwrap();
    for leaves in ["cd ../../beside", "cd ../way-out", "cd ..; cd ..", "cd /"] {
        desk.bash("cd a").await;
        let told = desk.bash(leaves).await;
        let root = desk.at_root();
        let wanted = format!("which is no folder of the workspace. The next begins in {root}.]");
        assert!(told.starts_with("[This ended in /") && told.ends_with(&wanted), "{leaves}: {told}");
        assert_eq!(desk.bash("pwd").await, root, "{leaves}");
    }
    // What has printed something keeps it.
    let told = desk.bash("cd /; echo there").await;
    assert!(told.starts_with("there\n\n[This ended in /, which"), "{told}");
}

#[tokio::test]
async fn a_folder_that_is_gone_or_leads_elsewhere_is_left() {
    let desk = Desk::new();
    desk.bash("cd a").await;
    fs::remove_dir(desk.root.join("a")).unwrap();
    let told = desk.bash("pwd").await;
    let note =
        format!("[{} is no folder of the workspace any more; this began in the workspace.]", desk.below("a"));
    assert!(told.starts_with(&desk.at_root()) && told.ends_with(&note), "{told}");
    assert_eq!(desk.bash("pwd").await, desk.at_root(), "it is said once");
    desk.bash("cd b").await;
    fs::remove_dir(desk.root.join("b")).unwrap();
    symlink(desk.root.parent().unwrap().join("beside"), desk.root.join("b")).unwrap();
    desk.asked();
    desk.bash("touch made").await;
    assert_eq!(desk.asked(), ["touch made"]);
    assert!(desk.root.join("made").exists());
}

#[tokio::test]
async fn what_cannot_tell_where_it_ended_says_so() {
    let desk = Desk::new();
    for script in ["cd a; exec true", "cd a; trap 'true' EXIT"] {
        let told = desk.bash(script).await;
        let wanted = format!("[It is not known where this ended; the next begins in {}.]", desk.at_root());
        assert_eq!(told, wanted, "{script}");
        assert_eq!(desk.bash("pwd").await, desk.at_root());
    }
    assert_eq!(desk.bash("exec true").await, "(no output)", "it went nowhere");
    let told = desk.bash("nonsense_x").await;
    assert!(told.contains("line 1: nonsense_x"), "lines are counted as they were written: {told}");
}

#[tokio::test]
async fn of_commands_at_the_same_time_the_one_counts_that_goes_elsewhere() {
    let desk = Desk::new();
    let stays = desk.bash("touch begun; while [ ! -e go ]; do sleep 0.01; done");
    let goes = async {
        until("the first one runs", || desk.root.join("begun").exists()).await;
        desk.bash("cd a").await;
        assert_eq!(desk.bash("pwd").await, desk.below("a"));
        fs::write(desk.root.join("go"), "").unwrap();
    };
    tokio::join!(stays, goes);
    assert_eq!(desk.bash("pwd").await, desk.below("a"));
}
