//! The tool against a real shell.

use std::ffi::OsString;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::exec::LocalEnvironment;
use crate::llm::model::message::join_text;
use crate::tools::Tool;
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::families::pi;
use crate::tools::contract::view::ResultView;

fn tool(name: &str) -> &'static BuiltinTool {
    pi::SET.get(name).unwrap()
}

struct Bench {
    folder: tempfile::TempDir,
    cancel: CancellationToken,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), cancel: CancellationToken::new(), seen: Arc::default() }
    }

    async fn run(&self, args: Value) -> (String, bool, Value) {
        let vars = [(OsString::from("PATH"), OsString::from("/usr/bin:/bin"))];
        let seen = Arc::clone(&self.seen);
        let cancel = self.cancel.clone();
        let call = Invocation {
            folder: None,
            call_id: "call/1".into(),
            args,
            env: Arc::new(LocalEnvironment::new(self.folder.path().to_path_buf(), vars)),
            cancel: self.cancel.clone(),
            progress: Arc::new(move |text: String| {
                if text.contains("stop me") {
                    cancel.cancel();
                }
                seen.lock().push(text);
            }),
            shared: std::sync::Arc::new(crate::tools::AgentToolState::new(
                self.folder.path().join("artifacts"),
            )),
        };
        let outcome = tool("bash").run(call).await;
        (join_text(&outcome.content), outcome.is_error, outcome.details.unwrap_or_default())
    }
}

#[tokio::test]
async fn bash_output_and_exit_code() {
    let bench = Bench::new();
    let (text, failed, details) = bench.run(json!({"command": "printf '\\033[31mred\\033[0m\\n'"})).await;
    assert_eq!((text.as_str(), failed, &details["exitCode"]), ("red", false, &json!(0)));
    assert_eq!(bench.run(json!({"command": "true"})).await.0, "(no output)");
    let (text, failed, details) = bench.run(json!({"command": "echo oops >&2; exit 7"})).await;
    assert_eq!((text.as_str(), failed), ("oops\n\nCommand exited with code 7.", true));
    assert_eq!(details["exitCode"], json!(7));
    assert_eq!(bench.run(json!({"command": "exit 1"})).await.0, "Command exited with code 1.");
}

#[tokio::test]
async fn bash_long_output_keeps_tail_and_artifact() {
    let bench = Bench::new();
    let (text, failed, details) = bench.run(json!({"command": "seq 1 30000"})).await;
    let path = details["fullOutputPath"].as_str().unwrap();
    assert!(!failed && text.starts_with("28001\n"));
    assert!(
        text.ends_with("30000\n\n[Lines 28001-30000 of 30000. Everything is in artifact://1.]"),
        "{}",
        &text[9000..]
    );
    assert_eq!(std::fs::read_to_string(path).unwrap().lines().count(), 30_000);
    assert!(path.ends_with("artifacts/1-bash.txt"), "{path}");
    assert_eq!(details["truncation"]["totalLines"], json!(30_000));
}

#[tokio::test]
async fn bash_timeout_is_validated_and_reported() {
    let bench = Bench::new();
    let (text, failed, _) = bench.run(json!({"command": "echo a; sleep 30", "timeout": 0.2})).await;
    assert!(failed && text.starts_with("a\n\nCommand timed out after 0.2 s"), "{text}");
    for wrong in [json!(0), json!(-1), json!(1e300)] {
        let (text, failed, _) = bench.run(json!({"command": "echo never", "timeout": wrong})).await;
        assert!(failed && text.contains("timeout must be"), "{text}");
    }
}

#[tokio::test]
async fn bash_interrupt_keeps_partial_output() {
    let bench = Bench::new();
    let (text, failed, _) = bench.run(json!({"command": "echo stop me; sleep 30"})).await;
    assert!(failed && text == "stop me\n\nCommand interrupted by the user.", "{text}");
}

#[tokio::test]
async fn bash_progress_is_throttled() {
    let bench = Bench::new();
    let start = std::time::Instant::now();
    // It is ended by what is seen of it, so something is.
    let script = "for i in $(seq 1 2000); do echo $i; done; echo stop me; sleep 30";
    bench.run(json!({"command": script})).await;
    let updates = bench.seen.lock().len();
    // Ten a second, one at once, and the last when it is interrupted.
    let most = 2 + start.elapsed().div_duration_f64(Duration::from_millis(100)).ceil() as usize;
    assert!((2..=most).contains(&updates), "{updates} of {most}");
}

#[tokio::test]
async fn bash_progress_shows_last_output_while_running() {
    let bench = Bench::new();
    let (text, failed, _) = bench.run(json!({"command": "echo a; sleep 0.02; echo stop me; sleep 30"})).await;
    assert!(failed && text.starts_with("a\nstop me\n"), "{text}");
}

#[tokio::test]
async fn bash_missing_workspace_is_error() {
    let bench = Bench::new();
    let gone = bench.folder.path().join("gone");
    let call = Invocation {
        folder: None,
        call_id: "c".into(),
        args: json!({"command": "ls"}),
        env: Arc::new(LocalEnvironment::new(gone, [])),
        cancel: CancellationToken::new(),
        progress: Arc::new(|_| {}),
        shared: std::sync::Arc::new(crate::tools::AgentToolState::new(bench.folder.path().into())),
    };
    let outcome = tool("bash").run(call).await;
    assert!(outcome.is_error && join_text(&outcome.content).contains("does not exist"));
}

#[test]
fn bash_call_view_title_is_first_line() {
    let view = tool("bash").call_view(&json!({"command": "a\nb"}));
    assert_eq!((view.title.as_str(), view.body.as_deref()), ("a", Some("a\nb")));
    assert_eq!(tool("bash").result_view("x", None), ResultView::Output("x".into()));
}
