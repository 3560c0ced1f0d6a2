//! States of a workspace: the first look at it, a look where nothing or one file has changed, the way back.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use bowline::workspace::checkpoint::apply::NoOpenFiles;
use bowline::workspace::checkpoint::{Checkpointer, Decisions, Limits, RecordedCheckpoint, Step};
use tokio_util::sync::CancellationToken;

use crate::{Effort, percentile, report};

fn path(n: usize) -> String {
    format!("part{}/folder{}/file{n}.rs", n % 20, n % 400)
}

/// A tree of sources of about 4 KB each.
fn tree(root: &Path, files: usize) {
    let line = "    let value = compute(&self.state, 42)?; // a line of source with words in it\n";
    for n in 0..files {
        let path = root.join(path(n));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("// file {n}\n{}", line.repeat(50))).unwrap();
    }
}

fn time_ms<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let made = work();
    (start.elapsed().as_secs_f64() * 1000.0, made)
}

/// Milliseconds that every file's facts cost: what no look can do without.
fn floor(root: &Path, files: usize) -> f64 {
    time_ms(|| {
        for n in 0..files {
            std::fs::symlink_metadata(root.join(path(n))).unwrap();
        }
    })
    .0
}

/// Milliseconds that git itself takes to record all of it in a store of its own, the first time and again;
/// `None` where it is not installed.
fn git_floor(root: &Path, store: &Path) -> Option<(f64, f64)> {
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(args).env("GIT_DIR", store).env("GIT_WORK_TREE", root).stdout(Stdio::null());
        git.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let record = || git(&["add", "--all"]) && git(&["write-tree"]);
    if !git(&["init", "--quiet"]) {
        return None;
    }
    let (first, done) = time_ms(record);
    // As with ours: what is as young as the first look is read once more.
    record();
    let mut again: Vec<f64> = (0..5).map(|_| time_ms(record).0).collect();
    done.then(|| (first, percentile(&mut again, 0.5)))
}

/// Ten thousand files.
pub fn checkpoints(effort: Effort) {
    let files = if effort.quick { 200 } else { 10_000 };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("work");
    tree(&root, files);
    let keeper = Checkpointer::open(&folder.path().join("kept"), &root, &[], Limits::default()).unwrap();
    let take = || -> RecordedCheckpoint { keeper.record(&[], &[], &CancellationToken::new()).unwrap() };
    let facts = floor(&root, files);
    let git = git_floor(&root, &folder.path().join("git"));
    report("checkpoint: 10 k files, their facts alone", facts, "ms", None, "-");
    let (cold, first) = time_ms(take);
    report("checkpoint: 10 k files, the first", cold, "ms", git.map(|git| git.0), "no budget; floor: git");
    // What is as young as the first look is read once more.
    take();
    let mut warm: Vec<f64> = (0..effort.times(20)).map(|_| time_ms(take).0).collect();
    report(
        "checkpoint: 10 k files, nothing changed",
        percentile(&mut warm, 0.5),
        "ms",
        git.map(|git| git.1),
        "no budget; floor: git",
    );
    let change = |n: usize| {
        std::fs::write(root.join(path(n)), format!("changed {n}\n")).unwrap();
        time_ms(take).0
    };
    let mut one: Vec<f64> = (0..effort.times(20)).map(change).collect();
    let one = percentile(&mut one, 0.5);
    report("checkpoint: 10 k files, one changed", one, "ms", git.map(|git| git.1), "no budget; floor: git");
    for n in (0..files).step_by(10) {
        std::fs::write(root.join(path(n)), "other\n").unwrap();
    }
    let now = take();
    let step = Step { base: Arc::clone(&now.files), target: Arc::clone(&first.files) };
    let (back, applied) = time_ms(|| {
        let plan = keeper.plan(&now, &[step], &Decisions::new()).unwrap();
        keeper.apply(&now, &plan, &mut NoOpenFiles)
    });
    assert!(applied.failed.is_empty());
    report("checkpoint: 1 k files brought back", back, "ms", None, "no budget");
}
