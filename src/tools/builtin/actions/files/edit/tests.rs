//! The tool against real files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio_util::sync::CancellationToken;

use super::*;
use crate::exec::{
    CommandSpec, DirEntry, EnvError, Environment, Exit, FileData, FileStat, LocalEnvironment, OutputSink,
    Stamp,
};
use crate::llm::model::message::join_text;
use crate::tools::Tool;
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::families::pi;

fn tool(name: &str) -> &'static BuiltinTool {
    pi::SET.get(name).unwrap()
}

async fn run_in(env: Arc<dyn Environment>, args: Value) -> Outcome {
    let call = Invocation {
        folder: None,
        call_id: "c".into(),
        args: tool("edit").prepare(args),
        shared: std::sync::Arc::new(crate::tools::AgentToolState::new(env.root().join("artifacts"))),
        env,
        cancel: CancellationToken::new(),
        progress: Arc::new(|_| {}),
    };
    tool("edit").run(call).await
}

fn local(folder: &Path) -> LocalEnvironment {
    LocalEnvironment::new(folder.to_path_buf(), [])
}

#[tokio::test]
async fn edit_tool_accepts_every_argument_form() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    for args in [
        json!({"path": "f", "edits": [{"oldText": "b", "newText": "B"}]}),
        json!({"path": "f", "edits": "[{\"oldText\": \"b\", \"newText\": \"B\"}]"}),
        json!({"path": "f", "edits": {"oldText": "b", "newText": "B"}}),
        json!({"path": "f", "oldText": "b", "newText": "B"}),
        json!({"path": "f", "edits": [], "oldText": "b", "newText": "B"}),
    ] {
        fs::write(&file, "a\r\nb\r\nc\r\n").unwrap();
        let outcome = run_in(Arc::new(local(folder.path())), args).await;
        assert_eq!(join_text(&outcome.content), "Replaced 1 piece in f (+1 -1 lines).");
        assert_eq!(fs::read_to_string(&file).unwrap(), "a\r\nB\r\nc\r\n");
        let details = outcome.details.unwrap();
        assert_eq!(details["firstChangedLine"], json!(2));
        assert!(matches!(
            tool("edit").result_view("", Some(&details)),
            ResultView::Diff { added: 1, removed: 1, .. }
        ));
    }
}

#[tokio::test]
async fn edit_tool_failure_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f"), "a\na\n").unwrap();
    fs::write(folder.path().join("latin"), b"caf\xe9").unwrap();
    let edit = |path: &str, old: &str| json!({"path": path, "oldText": old, "newText": "x"});
    for (args, what) in [
        (edit("f", "a"), "2 times, at lines 1, 2"),
        (edit("f", "zzz"), "does not occur"),
        (edit("f", ""), "is empty"),
        (edit("none", "a"), "no such file"),
        (edit("latin", "a"), "not UTF-8"),
        (edit(".", "a"), "is a folder"),
    ] {
        let outcome = run_in(Arc::new(local(folder.path())), args).await;
        let text = join_text(&outcome.content);
        assert!(outcome.is_error && text.contains(what), "{text}");
    }
    assert_eq!(fs::read(folder.path().join("f")).unwrap(), b"a\na\n");
    assert_eq!(fs::read(folder.path().join("latin")).unwrap(), b"caf\xe9");
}

/// Another process appends a line before each of the first writes.
#[derive(Debug)]
struct Busy {
    inner: LocalEnvironment,
    left: AtomicUsize,
}

impl Environment for Busy {
    fn root(&self) -> &Path {
        self.inner.root()
    }

    fn resolve<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<PathBuf, EnvError>> {
        self.inner.resolve(path)
    }

    fn stat<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileStat, EnvError>> {
        self.inner.stat(path)
    }

    fn list<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        self.inner.list(path)
    }

    fn read<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Result<FileData, EnvError>> {
        self.inner.read(path)
    }

    fn write<'a>(
        &'a self,
        path: &'a Path,
        bytes: Vec<u8>,
        expected: Option<Stamp>,
    ) -> BoxFuture<'a, Result<Stamp, EnvError>> {
        let left = self.left.load(Ordering::SeqCst);
        if left > 0 {
            self.left.store(left - 1, Ordering::SeqCst);
            let text = fs::read_to_string(path).unwrap();
            fs::write(path, text + "more\n").unwrap();
        }
        self.inner.write(path, bytes, expected)
    }

    fn run(
        &self,
        command: CommandSpec,
        output: OutputSink,
        cancel: CancellationToken,
    ) -> BoxFuture<'_, Result<Exit, EnvError>> {
        self.inner.run(command, output, cancel)
    }
}

#[tokio::test]
async fn edit_tool_retries_when_file_changes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f");
    let busy = |left| Arc::new(Busy { inner: local(folder.path()), left: AtomicUsize::new(left) });
    let args = json!({"path": "f", "oldText": "a", "newText": "A"});
    fs::write(&file, "a\n").unwrap();
    let outcome = run_in(busy(3), args.clone()).await;
    assert!(!outcome.is_error, "{outcome:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "A\nmore\nmore\nmore\n");
    fs::write(&file, "a\n").unwrap();
    let outcome = run_in(busy(99), args).await;
    assert!(outcome.is_error && join_text(&outcome.content).contains("keeps being changed"));
    assert!(fs::read_to_string(&file).unwrap().starts_with("a\n"));
}

#[test]
fn edit_tool_call_view_shows_planned_diff() {
    let view = tool("edit").call_view(&json!({"path": "f", "edits": [{"oldText": "a\nb", "newText": "c"}]}));
    assert_eq!((view.title.as_str(), view.body.as_deref()), ("f", Some("-a\n-b\n+c\n")));
    assert_eq!(tool("edit").call_view(&json!({"path": "f"})).body, None);
}
