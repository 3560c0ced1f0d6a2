//! The tool against real files; what patches mean is tested where they are read.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::*;
use crate::exec::LocalEnvironment;
use crate::llm::model::message::join_text;
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::families::openai;
use crate::tools::{CallKind, Tool};

fn tool(name: &str) -> &'static BuiltinTool {
    openai::SET.get(name).unwrap()
}

async fn run_with(folder: &Path, args: Value, cancel: CancellationToken) -> Outcome {
    let call = Invocation {
        folder: None,
        call_id: "c".into(),
        args: tool("apply_patch").prepare(args),
        env: Arc::new(LocalEnvironment::new(folder.to_path_buf(), [])),
        cancel,
        progress: Arc::new(|_| {}),
        shared: std::sync::Arc::new(crate::tools::AgentToolState::new(folder.join("artifacts"))),
    };
    tool("apply_patch").run(call).await
}

async fn run(folder: &Path, sections: &str) -> (String, Outcome) {
    let patch = format!("*** Begin Patch\n{sections}\n*** End Patch\n");
    let outcome = run_with(folder, json!({"input": patch}), CancellationToken::new()).await;
    (join_text(&outcome.content), outcome)
}

#[tokio::test]
async fn apply_patch_changes_several_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("f"), "a\r\nb\r\n").unwrap();
    fs::write(path("g"), "one\n").unwrap();
    fs::write(path("old"), b"\xff\n").unwrap();
    let (text, outcome) = run(
        folder.path(),
        "*** Update File: f\n a\n-b\n+c\n*** Add File: n/m\n+x\n*** Delete File: old\n\
         *** Update File: g\n*** Move to: n/h\n-one\n+two",
    )
    .await;
    assert_eq!(text, "Applied the patch:\nM f (+1 -1)\nA n/m (+1 -0)\nD old (+0 -1)\nM g -> n/h (+1 -1)");
    assert_eq!(fs::read_to_string(path("f")).unwrap(), "a\r\nc\r\n");
    assert_eq!(fs::read_to_string(path("n/m")).unwrap(), "x\n");
    assert_eq!(fs::read_to_string(path("n/h")).unwrap(), "two\n");
    assert!(!path("old").exists() && !path("g").exists());
    let details = outcome.details.unwrap();
    assert_eq!(details["files"][0]["firstChangedLine"], json!(2));
    let ResultView::Diffs(files) = tool("apply_patch").result_view(&text, Some(&details)) else {
        panic!("no diffs")
    };
    let titles: Vec<&str> = files.iter().map(|file| file.title.as_str()).collect();
    assert_eq!(titles, ["M f", "A n/m", "D old", "M g -> n/h"]);
    assert_eq!((files[0].added, files[0].removed, files[0].lines.len()), (1, 1, 3));
}

#[tokio::test]
async fn apply_patch_failure_lists_applied_and_untried() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f"), "a\n").unwrap();
    let (text, outcome) = run(
        folder.path(),
        "*** Add File: n\n+x\n*** Update File: f\n-zz\n*** Delete File: f\n*** Delete File: n",
    )
    .await;
    assert!(outcome.is_error && text.starts_with("Cannot update f: the chunk at line 5"), "{text}");
    assert!(text.contains("do not send them again:\nA n (+1 -0)\nNot tried: f, n"), "{text}");
    assert!(matches!(tool("apply_patch").result_view(&text, outcome.details.as_ref()), ResultView::Text(_)));
    assert_eq!(fs::read_to_string(folder.path().join("n")).unwrap(), "x\n");
    fs::write(folder.path().join("latin"), b"caf\xe9\n").unwrap();
    for (sections, what) in [
        ("*** Update File: none\n-a", "no such file"),
        ("*** Update File: latin\n-a", "not UTF-8"),
        ("*** Delete File: .", "is a folder"),
        ("*** Update File: f\n*** Move to: .\n-a\n+b", "is a folder"),
        ("*** Add File: m\n+x\n*** Frob", "line 4: \"*** Frob\" starts no section"),
    ] {
        let (text, outcome) = run(folder.path(), sections).await;
        assert!(outcome.is_error && text.contains(what) && text.contains("Nothing was changed"), "{text}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("f")).unwrap(), "a\n");
    assert!(!folder.path().join("m").exists());
}

#[tokio::test]
async fn apply_patch_interrupt_stops_before_next_file() {
    let folder = tempfile::tempdir().unwrap();
    let cancel = CancellationToken::new();
    cancel.cancel();
    let patch = json!({"patch": "*** Begin Patch\n*** Add File: n\n+x\n*** End Patch"});
    let outcome = run_with(folder.path(), patch.clone(), cancel).await;
    assert!(outcome.is_error && join_text(&outcome.content).contains("Interrupted.\nNothing was changed"));
    let outcome = run_with(folder.path(), patch, CancellationToken::new()).await;
    assert!(!outcome.is_error && folder.path().join("n").exists());
}

#[test]
fn apply_patch_call_view_shows_files_while_streaming() {
    let patch = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n-x\n+y\n*** Delete File: c\n*** Add Fi";
    let view = tool("apply_patch").call_view(&json!({"input": patch}));
    assert_eq!((view.title.as_str(), view.body.as_deref()), ("a → b +1 −1, c deleted", Some(patch)));
    let edit = CallView { kind: CallKind::Edit, ..CallView::default() };
    assert_eq!(tool("apply_patch").call_view(&json!({})), edit);
    let whole = format!("{patch}le: ../n\n+x\n*** End Patch");
    assert_eq!(tool("apply_patch").targets(&json!({"input": whole})), ["a", "b", "c", "../n"]);
    assert!(tool("apply_patch").targets(&json!({"input": patch})).is_empty());
}
