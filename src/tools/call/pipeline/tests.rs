//! The ways of one call.

use std::ffi::OsString;
use std::path::Path;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tempfile::TempDir;

use super::*;
use crate::exec::LocalEnvironment;
use crate::llm::model::ToolSpec;
use crate::llm::model::message::join_text;
use crate::tools::contract::tool::ToolClass;
use crate::tools::contract::view::CallView;
use crate::tools::output::truncation::LimitOverride;
use crate::tools::permissions::approval::{Approval, Ask, Decision};
use crate::tools::permissions::policy::Mode;
use crate::tools::permissions::rules::Author;
use crate::tools::permissions::rules::Rules;

mod kept;

/// Answers as told and remembers the questions.
struct Scripted {
    answer: Decision,
    asked: Mutex<Vec<Ask>>,
}

impl Approval for Scripted {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        self.asked.lock().push(ask);
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
            registry: Registry::of("pi"),
            rules: Rules::default(),
        }
    }

    fn context(&self, mode: Mode) -> Context {
        let vars = [(OsString::from("PATH"), OsString::from("/usr/bin:/bin"))];
        let approval: Arc<dyn Approval> = Arc::<Scripted>::clone(&self.approval);
        Context {
            env: Arc::new(LocalEnvironment::new(self.folder.path().to_path_buf(), vars)),
            approval,
            mode: mode.into(),
            rules: self.rules.clone().into(),
            shared: std::sync::Arc::new(crate::tools::AgentToolState::new(
                self.folder.path().join("artifacts"),
            )),
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
async fn tool_call_unknown_name_or_bad_arguments_are_explained() {
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
async fn tool_call_edit_outside_workspace_asks() {
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
    let asked = bench.approval.asked.lock();
    assert_eq!(asked.len(), 2);
    assert_eq!((asked[0].rule.as_str(), asked[0].tool.as_str()), ("file outside the workspace", "write"));
    assert_eq!(asked[0].target, target.to_string_lossy());
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

    fn targets(&self, args: &Value) -> Vec<String> {
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
async fn tool_call_strictest_path_verdict_counts() {
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
        let asked = bench.approval.asked.lock().pop().unwrap();
        assert_eq!(asked.target, format!("a\n{strange}\nb"));
        assert!(
            bench.call(Mode::AutoEdit, "several", paths(&[strange, "a"])).await.0.contains("nobody to ask")
        );
    }
    assert!(bench.call(Mode::Untrusted, "several", paths(&["a", "b"])).await.1);
}

#[tokio::test]
async fn tool_call_read_only_command_runs_without_approval() {
    let bench = Bench::new(Decision::Allow);
    assert_eq!(
        bench.call(Mode::OnRequest, "bash", json!({"command": "echo hi"})).await,
        ("hi".into(), false)
    );
    assert!(bench.approval.asked.lock().is_empty());
    assert!(!bench.call(Mode::OnRequest, "bash", json!({"command": "touch x"})).await.1);
    assert_eq!(bench.approval.asked.lock()[0].target, "touch x");
    assert!(bench.folder.path().join("x").exists());
}

/// What the model may write unasked is a repository for git, whose settings name a program.
#[tokio::test]
async fn tool_call_git_in_repo_with_configured_programs_asks() {
    let mut bench = Bench::new(Decision::Deny("no".into()));
    let rules = "[[rule]]\ndecision = \"allow\"\ncommand = \"touch\"\n";
    bench.rules.add(rules, Author::User, Path::new("/"), Path::new("/"));
    let at = |name: &str| bench.folder.path().join(name);
    let status = || json!({"command": "git status"});
    bench.call(Mode::OnRequest, "bash", status()).await;
    assert!(bench.approval.asked.lock().is_empty(), "there is no repository");
    for name in ["objects", "refs"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    std::fs::write(at("HEAD"), "ref: refs/heads/main\n").unwrap();
    let trap = format!("touch '{}'", at("sprung").display());
    let config =
        format!("[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = \"{trap}\"\n");
    std::fs::write(at("config"), config).unwrap();
    assert_eq!(bench.call(Mode::OnRequest, "bash", status()).await.0, "Not run: no");
    assert_eq!(bench.approval.asked.lock()[0].rule, "git in a repository that may name programs to run");
    let (text, _) = bench.call(Mode::AutoEdit, "bash", status()).await;
    assert!(text.contains("name programs"), "{text}");
    let beside = json!({"command": "touch made && git status"});
    assert_eq!(bench.call(Mode::OnRequest, "bash", beside).await.0, "Not run: no", "the rule is about touch");
    assert!(!at("sprung").exists());
    bench.call(Mode::Full, "bash", status()).await;
    assert!(at("sprung").exists(), "the trap works");
}

#[tokio::test]
async fn tool_call_without_user_is_refused_with_rule() {
    let bench = Bench::new(Decision::Allow);
    let (text, failed) = bench.call(Mode::AutoEdit, "bash", json!({"command": "touch x"})).await;
    assert!(
        failed && text.contains("not known to be read-only") && text.contains("--approval full"),
        "{text}"
    );
    assert!(bench.approval.asked.lock().is_empty() && !bench.folder.path().join("x").exists());
}

#[tokio::test]
async fn tool_call_interrupt_withdraws_permission_request() {
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

    fn kind(&self) -> Kind {
        Kind::Read
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
            let length = if call.args["how"] == "huge" { 2_000_000 } else { 100_000 };
            Outcome::text("x".repeat(length))
        })
    }

    fn call_view(&self, _args: &Value) -> CallView {
        CallView::default()
    }
}

#[tokio::test]
async fn tool_call_panic_and_long_output_are_contained() {
    let mut bench = Bench::new(Decision::Allow);
    bench.registry.add(Arc::new(Bad));
    let (text, failed) = bench.call(Mode::Full, "bad", json!({"how": "panic"})).await;
    assert!(failed && text.contains("it broke"), "{text}");
    assert!(bench.call(Mode::Full, "bad", json!({"how": "early"})).await.1);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let call = ToolCall { id: "c".into(), name: "bad".into(), arguments: json!({}), thought_signature: None };
    let progress: Progress = Arc::new(move |text| sink.lock().push(text));
    let outcome =
        execute(&bench.registry, &bench.context(Mode::Full), &call, CancellationToken::new(), progress).await;
    tokio::task::yield_now().await;
    assert_eq!(*seen.lock(), ["in time"]);
    assert_eq!(outcome.full_text.map(|text| text.len()), Some(100_000));
    let text = join_text(&outcome.content);
    assert!(text.len() < 60_000 && text.contains("characters were removed from the middle"));
}

#[tokio::test]
async fn tool_call_truncated_output_is_kept_as_artifact() {
    let mut bench = Bench::new(Decision::Allow);
    bench.registry.add(Arc::new(Bad));
    let mut context = bench.context(Mode::Full);
    let mut config = crate::tools::contract::config::ToolConfig::default();
    config.limits.set("bad", LimitOverride { chars: Some(10), lines: None });
    let shared = crate::tools::AgentToolState::new(bench.folder.path().join("artifacts")).with_config(config);
    context.shared = Arc::new(shared);
    let call =
        |arguments| ToolCall { id: "c".into(), name: "bad".into(), arguments, thought_signature: None };
    let run = async |arguments| {
        let cancel = CancellationToken::new();
        execute(&bench.registry, &context, &call(arguments), cancel, Arc::new(|_| {})).await
    };
    let outcome = run(json!({})).await;
    let text = join_text(&outcome.content);
    assert!(text.contains("99990 characters were removed from the middle"), "{text}");
    assert!(
        text.ends_with(
            "xxxxx\n\n[All 100000 characters are kept as artifact://1 and can be read by lines.]\n\
             [To see a part of it: read {\"path\":\"artifact://1\",\"offset\":1,\"limit\":200}]"
        ),
        "{text}"
    );
    assert_eq!(outcome.details.unwrap()["artifact"], json!("artifact://1"));
    assert_eq!(outcome.full_text.map(|text| text.len()), Some(100_000));
    let kept = context.shared.artifacts.list().unwrap();
    assert_eq!((kept[0].tool.as_str(), kept[0].bytes), ("bad", 100_000));
    // A kept one that is read again is not kept once more; one that is too long for listeners is named.
    let again = run(json!({"path": "artifact://1"})).await;
    assert!(again.artifact.is_none() && again.full_text.is_some());
    let huge = run(json!({"how": "huge"})).await;
    assert_eq!((huge.artifact.as_deref(), huge.full_text), (Some("artifact://2"), None));
    assert_eq!(context.shared.artifacts.list().unwrap()[1].bytes, 2_000_000);
}

#[tokio::test]
async fn tool_call_rules_override_approval_mode() {
    let mut bench = Bench::new(Decision::Deny("not now".into()));
    let root = bench.folder.path().canonicalize().unwrap();
    std::fs::write(root.join(".env"), "secret").unwrap();
    std::os::unix::fs::symlink(root.join(".env"), root.join("open.txt")).unwrap();
    let file = "[[rule]]\ndecision = \"allow\"\ncommand = \"touch\"\n\
                [[rule]]\ndecision = \"deny\"\npath = \".env\"\n\
                [[rule]]\ndecision = \"deny\"\ncommand = \"rm\"\n";
    assert_eq!(bench.rules.add(file, Author::User, &root, Path::new("/nowhere")), Vec::<String>::new());
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
    assert!(root.join("made").exists() && bench.approval.asked.lock().is_empty());
    let (text, _) = bench.call(Mode::OnRequest, "bash", json!({"command": "touch b > c"})).await;
    assert_eq!(text, "Not run: not now");
    assert_eq!(bench.approval.asked.lock().len(), 1);
}

/// Another family's way to read.
struct Look;

impl Tool for Look {
    fn spec(&self) -> ToolSpec {
        ToolSpec { name: "Look".into(), parameters: json!({"type": "object"}), ..ToolSpec::default() }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn kind(&self) -> crate::tools::Kind {
        crate::tools::Kind::Read
    }

    fn snippet(&self) -> &'static str {
        ""
    }

    fn run(&self, _: Invocation) -> BoxFuture<'static, Outcome> {
        Box::pin(async { Outcome::text("looked") })
    }

    fn call_view(&self, _: &Value) -> CallView {
        CallView::default()
    }
}

#[tokio::test]
async fn tool_call_foreign_tool_name_maps_by_kind_and_rules() {
    let mut bench = Bench::new(Decision::Allow);
    bench.registry = Registry::new();
    bench.registry.add(Arc::new(Look));
    std::fs::write(bench.folder.path().join("a"), "text of a").unwrap();
    let (text, failed) = bench.call(Mode::Full, "read", json!({"path": "a"})).await;
    assert!(!failed && text.contains("text of a"), "{text}");
    let (text, failed) = bench.call(Mode::Full, "write", json!({"path": "a", "content": ""})).await;
    assert!(failed && text.contains("no tool named \"write\"") && text.contains("Look"), "{text}");
    let rule = "[[rule]]\ndecision = \"deny\"\ntool = \"read\"\n";
    let problems = bench.rules.add(rule, Author::User, bench.folder.path(), bench.folder.path());
    assert_eq!(problems.len(), 0);
    for (name, args) in [("read", json!({"path": "a"})), ("Look", json!({}))] {
        let (text, failed) = bench.call(Mode::Full, name, args).await;
        assert!(failed && text.contains("forbidden by the rule"), "{name}: {text}");
    }
}

#[tokio::test]
async fn tool_call_undeclared_arguments_do_not_change_targets() {
    let bench = Bench::new(Decision::Deny("asked".into()));
    std::fs::write(bench.folder.path().join("in.txt"), "old").unwrap();
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().join("x").display().to_string();
    for extra in ["command", "cmd", "file_path"] {
        let args = json!({extra: "in.txt", "path": path, "content": "new"});
        let (text, is_error) = bench.call(Mode::OnRequest, "write", args).await;
        assert!(is_error && text.contains("asked"), "{extra}: {text}");
        assert!(!Path::new(&path).exists(), "{extra}");
    }
}

#[tokio::test]
async fn tool_call_edited_approval_changes_only_command() {
    let mut bench = Bench::new(Decision::AllowEdited("echo edited".into()));
    bench.registry = Registry::of("anthropic");
    let args = json!({"description": "touch made", "command": "touch made"});
    let (text, _) = bench.call(Mode::OnRequest, "Bash", args).await;
    assert!(text.contains("edited") && !bench.folder.path().join("made").exists(), "{text}");
}

#[tokio::test]
async fn tool_call_without_bash_cannot_start_job() {
    let mut bench = Bench::new(Decision::Allow);
    bench.registry = Registry::of("anthropic");
    bench.registry.retain(|name| name != "Bash");
    let start = json!({"action": "start", "command": "touch made"});
    let (text, is_error) = bench.call(Mode::Full, "job", start).await;
    assert!(is_error && text.contains("no tool named"), "{text}");
}

#[test]
fn tool_call_schema_decides_about_extra_arguments() {
    let properties = || json!({"a": {"type": "string"}});
    let args = json!({"a": "x", "b": "y"});
    for (schema, all) in [
        (json!({"properties": properties()}), false),
        (json!({"properties": properties(), "additionalProperties": false}), false),
        (json!({"properties": properties(), "additionalProperties": true}), true),
        (json!({"properties": properties(), "additionalProperties": {"type": "string"}}), true),
        (json!({"properties": properties(), "patternProperties": {"^b": {}}}), true),
        (json!({"properties": properties(), "allOf": [{"properties": {"b": {}}}]}), true),
        (json!({"type": "object"}), true),
    ] {
        let wanted = if all { args.clone() } else { json!({"a": "x"}) };
        assert_eq!(super::declared_args(args.clone(), &schema), wanted, "{schema}");
    }
}
