//! The ways of one call.

use std::ffi::OsString;
use std::path::Path;
use std::sync::Mutex;

use futures::future::BoxFuture;
use tempfile::TempDir;

use super::*;
use crate::exec::LocalEnvironment;
use crate::llm::model::ToolSpec;
use crate::llm::model::message::join_text;
use crate::tools::rules::Author;
use crate::tools::view::CallView;

/// Answers as told and remembers the questions.
struct Scripted {
    answer: Decision,
    asked: Mutex<Vec<Ask>>,
}

impl Approval for Scripted {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        self.asked.lock().unwrap().push(ask);
        let answer = self.answer.clone();
        Box::pin(async move { answer })
    }
}

/// A front end that never answers.
struct Silent;

impl Approval for Silent {
    fn decide(&self, _ask: Ask) -> BoxFuture<'static, Decision> {
        Box::pin(std::future::pending())
    }
}

struct Bench {
    folder: TempDir,
    approval: Arc<Scripted>,
    registry: Registry,
    rules: Rules,
}

impl Bench {
    fn new(answer: Decision) -> Self {
        let approval = Arc::new(Scripted { answer, asked: Mutex::default() });
        Self {
            folder: tempfile::tempdir().unwrap(),
            approval,
            registry: Registry::builtin(),
            rules: Rules::default(),
        }
    }

    fn context(&self, mode: Mode) -> Context {
        let vars = [(OsString::from("PATH"), OsString::from("/usr/bin:/bin"))];
        let approval: Arc<dyn Approval> = Arc::<Scripted>::clone(&self.approval);
        Context {
            env: Arc::new(LocalEnvironment::new(self.folder.path().to_path_buf(), vars)),
            approval,
            mode,
            rules: Arc::new(self.rules.clone()),
            artifacts: self.folder.path().join("artifacts"),
        }
    }

    async fn call(&self, mode: Mode, name: &str, arguments: Value) -> (String, bool) {
        let call = ToolCall { id: "c1".into(), name: name.into(), arguments, thought_signature: None };
        let outcome =
            execute(&self.registry, &self.context(mode), &call, CancellationToken::new(), Arc::new(|_| {}))
                .await;
        (join_text(&outcome.content), outcome.is_error)
    }
}

#[tokio::test]
async fn unknown_tools_and_bad_arguments_are_explained() {
    let bench = Bench::new(Decision::Allow);
    let (text, failed) = bench.call(Mode::Full, "reed", json!({})).await;
    assert!(failed && text.contains("\"reed\"") && text.contains("read, bash, edit, write"), "{text}");
    let (text, failed) = bench.call(Mode::Full, "read", json!({"offset": "x"})).await;
    assert!(
        failed && text.contains("- path: missing") && text.contains("- offset: expected number"),
        "{text}"
    );
    let (text, failed) = bench.call(Mode::Full, "read", json!("{\"path\": ")).await;
    assert!(failed && text.contains("not valid JSON"), "{text}");
}

#[tokio::test]
async fn edits_in_the_workspace_run_and_others_ask() {
    let bench = Bench::new(Decision::Deny("use another file".into()));
    let (text, failed) = bench.call(Mode::OnRequest, "write", json!({"path": "a", "content": "x"})).await;
    assert!(!failed, "{text}");
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("b");
    let (text, failed) = bench.call(Mode::OnRequest, "write", json!({"path": target, "content": "x"})).await;
    assert!(failed && text == "Not run: use another file" && !target.exists(), "{text}");
    // A link inside the workspace leads out of it.
    std::os::unix::fs::symlink(outside.path(), bench.folder.path().join("link")).unwrap();
    let (_, failed) = bench.call(Mode::OnRequest, "write", json!({"path": "link/b", "content": "x"})).await;
    assert!(failed && !target.exists());
    let asked = bench.approval.asked.lock().unwrap();
    assert_eq!(asked.len(), 2);
    assert_eq!((asked[0].rule.as_str(), asked[0].tool.as_str()), ("file outside the workspace", "write"));
    assert_eq!(asked[0].subject, target.to_string_lossy());
}

/// Edits every path of its list.
struct Several;

impl Tool for Several {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "several".into(), parameters: json!({"type": "object"}), ..ToolSpec::default() }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Edits
    }

    fn snippet(&self) -> &'static str {
        ""
    }

    fn subjects(&self, args: &Value) -> Vec<String> {
        args["paths"].as_array().unwrap().iter().map(|path| path.as_str().unwrap().to_string()).collect()
    }

    fn run(&self, _call: Invocation) -> BoxFuture<'static, Outcome> {
        Box::pin(async { Outcome::text("done") })
    }

    fn call_view(&self, _args: &Value) -> CallView {
        CallView::default()
    }
}

#[tokio::test]
async fn of_several_paths_the_strictest_verdict_counts() {
    let mut bench = Bench::new(Decision::Deny(String::new()));
    bench.registry.add(Arc::new(Several));
    let outside = tempfile::tempdir().unwrap();
    let inside = bench.folder.path().join("a");
    std::os::unix::fs::symlink(&inside, outside.path().join("link")).unwrap();
    let paths = |paths: &[&str]| json!({"paths": paths});
    let (other, link) = (outside.path().join("x"), outside.path().join("link"));
    let (other, link) = (other.to_str().unwrap(), link.to_str().unwrap());
    assert!(!bench.call(Mode::OnRequest, "several", paths(&["a", "b/c"])).await.1);
    for strange in [other, ".git/hooks/x", link] {
        assert!(bench.call(Mode::OnRequest, "several", paths(&["a", strange, "b"])).await.1, "{strange}");
        let asked = bench.approval.asked.lock().unwrap().pop().unwrap();
        assert_eq!(asked.subject, format!("a\n{strange}\nb"));
        assert!(
            bench.call(Mode::AutoEdit, "several", paths(&[strange, "a"])).await.0.contains("nobody to ask")
        );
    }
    assert!(bench.call(Mode::Untrusted, "several", paths(&["a", "b"])).await.1);
}

#[tokio::test]
async fn commands_that_only_look_run_and_others_ask() {
    let bench = Bench::new(Decision::Allow);
    assert_eq!(
        bench.call(Mode::OnRequest, "bash", json!({"command": "echo hi"})).await,
        ("hi".into(), false)
    );
    assert!(bench.approval.asked.lock().unwrap().is_empty());
    assert!(!bench.call(Mode::OnRequest, "bash", json!({"command": "touch x"})).await.1);
    assert_eq!(bench.approval.asked.lock().unwrap()[0].subject, "touch x");
    assert!(bench.folder.path().join("x").exists());
}

#[tokio::test]
async fn without_a_person_it_is_refused_with_rule_and_flag() {
    let bench = Bench::new(Decision::Allow);
    let (text, failed) = bench.call(Mode::AutoEdit, "bash", json!({"command": "touch x"})).await;
    assert!(
        failed && text.contains("not known to be read-only") && text.contains("--approval full"),
        "{text}"
    );
    assert!(bench.approval.asked.lock().unwrap().is_empty() && !bench.folder.path().join("x").exists());
}

#[tokio::test]
async fn an_interrupt_withdraws_the_question() {
    let bench = Bench::new(Decision::Allow);
    let cx = Context { approval: Arc::new(Silent), ..bench.context(Mode::OnRequest) };
    let call = ToolCall {
        id: "c".into(),
        name: "bash".into(),
        arguments: json!({"command": "make"}),
        thought_signature: None,
    };
    let cancel = CancellationToken::new();
    let work = execute(&bench.registry, &cx, &call, cancel.clone(), Arc::new(|_| {}));
    let (outcome, ()) = tokio::join!(work, async { cancel.cancel() });
    assert!(outcome.is_error && join_text(&outcome.content).contains("interrupted"));
}

/// Behaves as badly as its argument says.
struct Bad;

impl Tool for Bad {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "bad".into(),
            description: String::new(),
            parameters: json!({"type": "object"}),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn snippet(&self) -> &'static str {
        ""
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        assert!(call.args["how"] != "early", "early");
        Box::pin(async move {
            assert!(call.args["how"] != "panic", "it {}", "broke");
            let late = Arc::clone(&call.progress);
            call.progress.as_ref()("in time".into());
            std::mem::forget(tokio::spawn(async move { late("late".into()) }));
            Outcome::text("x".repeat(100_000))
        })
    }

    fn call_view(&self, _args: &Value) -> CallView {
        CallView::default()
    }
}

#[tokio::test]
async fn panics_long_outputs_and_late_progress_are_contained() {
    let mut bench = Bench::new(Decision::Allow);
    bench.registry.add(Arc::new(Bad));
    let (text, failed) = bench.call(Mode::Full, "bad", json!({"how": "panic"})).await;
    assert!(failed && text.contains("it broke"), "{text}");
    assert!(bench.call(Mode::Full, "bad", json!({"how": "early"})).await.1);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let call = ToolCall { id: "c".into(), name: "bad".into(), arguments: json!({}), thought_signature: None };
    let progress: Progress = Arc::new(move |text| sink.lock().unwrap().push(text));
    let outcome =
        execute(&bench.registry, &bench.context(Mode::Full), &call, CancellationToken::new(), progress).await;
    tokio::task::yield_now().await;
    assert_eq!(*seen.lock().unwrap(), ["in time"]);
    assert_eq!(outcome.full_text.map(|text| text.len()), Some(100_000));
    let text = join_text(&outcome.content);
    assert!(text.len() < 60_000 && text.contains("are left out"));
}

#[tokio::test]
async fn rules_decide_before_the_mode() {
    let mut bench = Bench::new(Decision::Deny("not now".into()));
    let root = bench.folder.path().canonicalize().unwrap();
    std::fs::write(root.join(".env"), "secret").unwrap();
    std::os::unix::fs::symlink(root.join(".env"), root.join("open.txt")).unwrap();
    let file = "[[rule]]\ndecision = \"allow\"\ncommand = \"touch\"\n\
                [[rule]]\ndecision = \"deny\"\npath = \".env\"\n\
                [[rule]]\ndecision = \"deny\"\ncommand = \"rm\"\n";
    assert_eq!(bench.rules.add(file, Author::Person, &root, Path::new("/nowhere")), Vec::<String>::new());
    let touched = bench.call(Mode::AutoEdit, "bash", json!({"command": "touch made && ls"})).await;
    assert!(!touched.1 && root.join("made").exists(), "{touched:?}");
    for mode in [Mode::OnRequest, Mode::Full] {
        let (text, is_error) = bench.call(mode, "bash", json!({"command": "touch made; rm made"})).await;
        assert_eq!(
            (text.as_str(), is_error),
            (
                "Not run: forbidden by the rule `deny command \"rm\"`. Find another way or tell the user.",
                true
            )
        );
        for path in [".env", "open.txt", "x/../.env"] {
            let (text, _) = bench.call(mode, "read", json!({"path": path})).await;
            assert!(text.contains("deny path \".env\""), "{path}: {text}");
        }
    }
    assert!(root.join("made").exists() && bench.approval.asked.lock().unwrap().is_empty());
    let (text, _) = bench.call(Mode::OnRequest, "bash", json!({"command": "touch b > c"})).await;
    assert_eq!(text, "Not run: not now");
    assert_eq!(bench.approval.asked.lock().unwrap().len(), 1);
}
