//! The tool against real files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::*;
use crate::exec::LocalEnvironment;
use crate::llm::model::message::join_text;
use crate::tools::Tool;
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::families::pi;

fn tool(name: &str) -> &'static BuiltinTool {
    pi::SET.get(name).unwrap()
}

async fn run(folder: &std::path::Path, args: Value) -> Outcome {
    let call = Invocation {
        folder: None,
        call_id: "c".into(),
        args,
        env: Arc::new(LocalEnvironment::new(folder.to_path_buf(), [])),
        cancel: CancellationToken::new(),
        progress: Arc::new(|_| {}),
        shared: std::sync::Arc::new(crate::tools::AgentToolState::new(folder.join("artifacts"))),
    };
    tool("write").run(call).await
}

#[tokio::test]
async fn write_tool_creates_folders_and_replaces_files() {
    let folder = tempfile::tempdir().unwrap();
    let made = run(folder.path(), json!({"path": "a/b.txt", "content": "one\ntwo\n"})).await;
    assert_eq!(join_text(&made.content), "Made a/b.txt (2 lines, 8B).");
    let replaced = run(folder.path(), json!({"path": "a/b.txt", "content": "one\n2\n"})).await;
    assert_eq!(fs::read_to_string(folder.path().join("a/b.txt")).unwrap(), "one\n2\n");
    assert_eq!(join_text(&replaced.content), "Replaced a/b.txt (2 lines, 6B).");
    let details = replaced.details.unwrap();
    assert_eq!((&details["diff"], &details["created"]), (&json!(" 1 one\n-2 two\n+2 2"), &json!(false)));
    assert!(matches!(
        tool("write").result_view("", Some(&details)),
        ResultView::Diff { added: 1, removed: 1, .. }
    ));
}

#[tokio::test]
async fn write_tool_at_path_is_literal() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("types")).unwrap();
    fs::write(folder.path().join("types/a.ts"), "old").unwrap();
    run(folder.path(), json!({"path": "@types/a.ts", "content": "new"})).await;
    assert_eq!(fs::read_to_string(folder.path().join("types/a.ts")).unwrap(), "old");
    assert_eq!(fs::read_to_string(folder.path().join("@types/a.ts")).unwrap(), "new");
}

#[tokio::test]
async fn write_tool_errors_name_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let locked = folder.path().join("locked");
    fs::write(&locked, "x").unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o444)).unwrap();
    for (path, what) in [("locked", "permission denied"), (".", "is a folder"), ("locked/x", "locked")] {
        let outcome = run(folder.path(), json!({"path": path, "content": "y"})).await;
        let text = join_text(&outcome.content);
        assert!(outcome.is_error && text.contains(what), "{text}");
    }
    assert_eq!(fs::read(&locked).unwrap(), b"x");
}
