//! Moves by the agent next to jobs of the user on files: which of them wait, and what happens to one that fails.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bowline::exec::wrap::{Layer, Operation, Wrapped};
use bowline::exec::{EnvError, Environment, FileData, LocalEnvironment, Stamp};
use bowline::ide::features::files::jobs::FILE_JOBS;
use bowline::llm::model::ToolSpec;
use bowline::tools::contract::shared::AgentToolState;
use bowline::tools::contract::tool::{Invocation, Tool as _};
use bowline::tools::language_servers::draft::{DraftFile, DraftedChange};
use bowline::tools::language_servers::planned_edit::PlannedEdit;
use futures::future::BoxFuture;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};
use crate::support::written_by_agent::{environment, environment_over, serve};

/// Moves of `a` and `c` to `b` and `d`, after which a file is to be written below `b`: that cannot be done.
fn failing_change(ide: &TestIde) -> DraftedChange {
    let mut files = BTreeMap::new();
    let mut moves = Vec::new();
    for (from, to) in [("a", "b"), ("c", "d")] {
        let bytes = ide.file_text(from).into_bytes();
        let before = FileData { stamp: Stamp::of(&bytes), bytes: bytes.clone() };
        let (from, to) = (ide.path(from), ide.path(to));
        files.insert(from.clone(), DraftFile { before: Some(before), ..DraftFile::default() });
        let moved_from = Some(from.clone());
        files.insert(to.clone(), DraftFile { after: Some(bytes), moved_from, ..DraftFile::default() });
        moves.push((from, to));
    }
    files.insert(ide.path("b/below"), DraftFile { after: Some(Vec::new()), ..DraftFile::default() });
    DraftedChange { files, moves }
}

#[tokio::test]
async fn planned_edit_of_the_agent_is_taken_back_while_the_user_wants_to_move_files() {
    let mut ide = IdeSetup::new().file("a", "one").file("c", "two").start().await;
    let (env, mut events) = environment(&ide);
    let edit = PlannedEdit {
        spec: ToolSpec { name: "move".into(), ..ToolSpec::default() },
        headline: "Moved".into(),
        note: String::new(),
        change: Arc::new(failing_change(&ide)),
        root: ide.path(""),
    };
    let state = Arc::new(AgentToolState::new(ide.path("artifacts")));
    let call = Invocation::new(json!({}), Arc::new(env), state);
    let first = ide.path("b");
    // The user begins a job once the first file is moved, as soon as no other one runs.
    let user = |ide: &mut TestIde| {
        let jobs = &mut ide.state().slots[FILE_JOBS];
        jobs.is_tree_running |= first.exists() && !jobs.is_busy();
    };
    let outcome = serve(&mut ide, &mut events, edit.run(call), user).await;
    let text = format!("{:?}", outcome.content);
    assert!(outcome.is_error && text.contains("Nothing was changed."), "{text}");
    assert_eq!((ide.file_text("a").as_str(), ide.file_text("c").as_str()), ("one", "two"));
    assert!(!ide.path("b").exists() && !ide.path("d").exists());
}

#[tokio::test]
async fn agent_moves_at_the_same_time_do_not_refuse_each_other() {
    let mut ide = IdeSetup::new().file("a", "one").file("c", "two").start().await;
    let (env, mut events) = environment(&ide);
    let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| ide.path(name));
    let held = serve(&mut ide, &mut events, env.lock_moves(), |_| {}).await.unwrap();
    let both = futures::future::join(env.rename(&a, &b, false), env.rename(&c, &d, false));
    let (one, two) = serve(&mut ide, &mut events, both, |_| {}).await;
    assert!(one.is_ok() && two.is_ok(), "{one:?} {two:?}");
    assert!(ide.state().slots[FILE_JOBS].is_busy(), "the lock is held");
    drop(held);
    assert!(!ide.state().slots[FILE_JOBS].is_busy());
}

/// Every move panics.
#[derive(Debug)]
struct Panicking;

impl Layer for Panicking {
    fn admit<'a>(
        &'a self,
        _inner: &'a dyn Environment,
        operation: Operation<'a>,
    ) -> BoxFuture<'a, Result<(), EnvError>> {
        assert!(!matches!(operation, Operation::Rename(..)), "no move");
        Box::pin(std::future::ready(Ok(())))
    }
}

#[tokio::test]
async fn agent_move_whose_task_ends_in_the_middle_blocks_no_job_and_no_save() {
    let mut ide = IdeSetup::new().with("a", "one").start().await;
    let (from, to): (PathBuf, PathBuf) = (ide.path("a"), ide.path("b"));
    let files = LocalEnvironment::new(ide.path(""), std::iter::empty());
    let (env, mut events) = environment_over(Arc::new(Wrapped::new(Arc::new(files), Panicking)));
    let moved = serve(&mut ide, &mut events, env.rename(&from, &to, false), |_| {}).await;
    assert!(moved.is_err());
    while ide.state().slots[FILE_JOBS].is_busy() {
        let event = tokio::time::timeout(Duration::from_secs(20), events.recv()).await;
        ide.headless.app().handle(event.expect("the end of the move").unwrap());
    }
    assert!(ide.state().buffers.all().iter().all(|buffer| !buffer.is_saving));
}
