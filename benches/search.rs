//! Searching a tree of files, beside ripgrep where it is installed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bowline::exec::{Environment, LocalEnvironment, SearchSpec, Selection};
use bowline::workspace::grep::{self as workspace, FileTexts, Pattern};
use tokio_util::sync::CancellationToken;

use crate::{Effort, percentile, report};

/// A tree of sources: `folders` times 50 files of about 20 KB, of which every seventh has a match.
fn tree(root: &Path, folders: usize) {
    let line = "    let value = compute(&self.state, 42)?; // a line of source with words in it\n";
    for folder in 0..folders {
        let path = root.join(format!("part{}/folder{folder}", folder % 7));
        std::fs::create_dir_all(&path).unwrap();
        for file in 0..50 {
            let mut text = line.repeat(250);
            if (folder * 50 + file) % 7 == 0 {
                text.insert_str(line.len() * 100, "    fn needle_in_the_hay() {}\n");
            }
            std::fs::write(path.join(format!("file{file}.rs")), text).unwrap();
        }
    }
}

/// Milliseconds of one run of ours and the lines that it found.
fn run_search(env: &LocalEnvironment, runtime: &tokio::runtime::Runtime, pattern: &str) -> (f64, usize) {
    let found = Arc::new(AtomicUsize::new(0));
    let into = Arc::clone(&found);
    let spec = SearchSpec {
        root: env.root().to_path_buf(),
        pattern: pattern.to_string(),
        files: Selection { hidden: true, ..Selection::default() },
        ..SearchSpec::default()
    };
    let sink = move |file: bowline::exec::FileMatches| {
        into.fetch_add(file.count, Ordering::Relaxed);
        true
    };
    let start = Instant::now();
    runtime.block_on(env.search(spec, Box::new(sink), CancellationToken::new())).unwrap();
    (start.elapsed().as_secs_f64() * 1000.0, found.load(Ordering::Relaxed))
}

/// Texts as they are on disk, for the search of the IDE.
struct OnDisk;

impl FileTexts for OnDisk {
    fn unsaved_text(&self, _: &Path) -> Option<String> {
        None
    }

    fn unsaved_files(&self) -> Vec<std::path::PathBuf> {
        Vec::new()
    }

    fn decode(&self, bytes: Vec<u8>) -> Option<String> {
        String::from_utf8(bytes).ok()
    }
}

/// The same of the search for a list in the editor.
fn run_editor_search(root: &Path, pattern: &str) -> (f64, usize) {
    let start = Instant::now();
    let pattern = Pattern::new(pattern).unwrap();
    let mut found = 0;
    let count = |file: workspace::FileHits| found += file.hits.len();
    workspace::grep(root, &pattern, usize::MAX, &CancellationToken::new(), &OnDisk, count);
    (start.elapsed().as_secs_f64() * 1000.0, found)
}

/// The same of ripgrep; `None` where it is not installed.
fn ripgrep(root: &Path, pattern: &str) -> Option<(f64, usize)> {
    let start = Instant::now();
    let mut rg = Command::new("rg");
    rg.args(["--no-config", "--hidden", "--line-number", "--no-heading", "--", pattern]).arg(root);
    let output = rg.stdin(Stdio::null()).output().ok()?;
    let lines = memchr::memchr_iter(b'\n', &output.stdout).count();
    Some((start.elapsed().as_secs_f64() * 1000.0, lines))
}

/// A search of a whole tree, few matches and many.
pub fn grep(effort: Effort) {
    let folder = tempfile::tempdir().unwrap();
    tree(folder.path(), if effort.quick { 2 } else { 200 });
    let env = LocalEnvironment::new(folder.path().to_path_buf(), []);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for (what, pattern) in
        [("grep: few matches", r"fn needle_\w+"), ("grep: no match", "not_to_be_found_[0-9]+")]
    {
        let (mut figures, mut floors, mut lines) = (Vec::new(), Vec::new(), (0, 0));
        let mut listed = Vec::new();
        for _ in 0..effort.times(15) {
            let (took, found) = run_search(&env, &runtime, pattern);
            figures.push(took);
            lines.0 = found;
            let (took, found) = run_editor_search(folder.path(), pattern);
            listed.push(took);
            assert_eq!(found, lines.0, "both searches find the same");
            if let Some((took, found)) = ripgrep(folder.path(), pattern) {
                floors.push(took);
                lines.1 = found;
            }
        }
        let floor = (!floors.is_empty()).then(|| percentile(&mut floors, 0.5));
        assert!(floor.is_none() || lines.0 == lines.1, "ripgrep finds the same: {lines:?}");
        report(what, percentile(&mut figures, 0.5), "ms", floor, "<= 1.25x ripgrep");
        report(
            &format!("{what}, in the editor"),
            percentile(&mut listed, 0.5),
            "ms",
            floor,
            "<= 1.25x ripgrep",
        );
    }
}
