//! States of a workspace: the first look at it, a look where nothing or one file has changed, the way back.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bowline::workspace::checkpoint::apply::Nobody;
use bowline::workspace::checkpoint::{Decisions, Keeper, Limits, Step, Taken};
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

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let made = work();
    (start.elapsed().as_secs_f64() * 1000.0, made)
}

/// Milliseconds that every file's facts cost: what no look can do without.
fn floor(root: &Path, files: usize) -> f64 {
    timed(|| {
        for n in 0..files {
            std::fs::symlink_metadata(root.join(path(n))).unwrap();
        }
    })
    .0
}

/// Ten thousand files.
pub fn checkpoints(effort: Effort) {
    let files = if effort.quick { 200 } else { 10_000 };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("work");
    tree(&root, files);
    let keeper = Keeper::open(&folder.path().join("kept"), &root, &[], Limits::default()).unwrap();
    let take = || -> Taken { keeper.take(&[], &[], &CancellationToken::new()).unwrap() };
    let facts = floor(&root, files);
    let (cold, first) = timed(take);
    report("checkpoint: 10 k files, the first", cold, "ms", Some(facts), "no budget");
    // What is as young as the first look is read once more.
    take();
    let mut warm: Vec<f64> = (0..effort.times(20)).map(|_| timed(take).0).collect();
    report(
        "checkpoint: 10 k files, nothing changed",
        percentile(&mut warm, 0.5),
        "ms",
        Some(facts),
        "no budget",
    );
    let change = |n: usize| {
        std::fs::write(root.join(path(n)), format!("changed {n}\n")).unwrap();
        timed(take).0
    };
    let mut one: Vec<f64> = (0..effort.times(20)).map(change).collect();
    report("checkpoint: 10 k files, one changed", percentile(&mut one, 0.5), "ms", Some(facts), "no budget");
    for n in (0..files).step_by(10) {
        std::fs::write(root.join(path(n)), "other\n").unwrap();
    }
    let now = take();
    let step = Step { base: Arc::clone(&now.files), target: Arc::clone(&first.files) };
    let (back, applied) = timed(|| {
        let plan = keeper.plan(&now, &[step], &Decisions::new()).unwrap();
        keeper.apply(&now, &plan, &mut Nobody)
    });
    assert!(applied.failed.is_empty());
    report("checkpoint: 1 k files brought back", back, "ms", None, "no budget");
}
