//! A workspace on a real disk whose states are kept, and how it looks without any of our code.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bowline::workspace::checkpoint::apply::NoOpenFiles;
use bowline::workspace::checkpoint::{
    Applied, Checkpointer, Decisions, Limits, Name, Oid, Plan, RecordedCheckpoint, Step,
};
use tokio_util::sync::CancellationToken;

/// A workspace with a keeper.
pub struct CheckpointWorkspace {
    _folder: tempfile::TempDir,
    /// The workspace.
    pub root: PathBuf,
    /// Its keeper.
    pub store: Checkpointer,
}

impl CheckpointWorkspace {
    pub fn new() -> Self {
        Self::with_limits(Limits::default())
    }

    pub fn with_limits(limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("work");
        fs::create_dir(&root).unwrap();
        let keeper = Checkpointer::open(&folder.path().join("checkpoints"), &root, &[], limits).unwrap();
        Self { root: keeper.root().to_path_buf(), _folder: folder, store: keeper }
    }

    pub fn write_file(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read_file(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    pub fn record(&self) -> RecordedCheckpoint {
        self.store.record(&[], &[], &CancellationToken::new()).unwrap()
    }

    /// Goes from what is there, which was recorded last, to another state.
    pub fn restore(&self, target: Oid) -> (Plan, Applied) {
        let now = self.record();
        let step = Step { base: Arc::clone(&now.files), target: self.store.load(target).unwrap() };
        self.apply_step(&now, step)
    }

    pub fn apply_step(&self, now: &RecordedCheckpoint, step: Step) -> (Plan, Applied) {
        let plan = self.store.plan(now, &[step], &Decisions::new()).unwrap();
        let applied = self.store.apply(now, &plan, &mut NoOpenFiles);
        (plan, applied)
    }
}

/// The paths of a state.
pub fn names(taken: &RecordedCheckpoint) -> Vec<String> {
    taken.files.keys().map(ToString::to_string).collect()
}

pub fn name(text: &str) -> Name {
    Name::from_bytes(text.as_bytes()).unwrap()
}

/// All that is below a folder, read without any of our code: kind and rights, and what it holds.
pub fn image(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut next = vec![root.to_path_buf()];
    while let Some(folder) = next.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let facts = fs::symlink_metadata(&path).unwrap();
            let content = if facts.is_symlink() {
                fs::read_link(&path).unwrap().into_os_string().into_vec()
            } else if facts.is_dir() {
                next.push(path.clone());
                Vec::new()
            } else {
                fs::read(&path).unwrap()
            };
            // Of a link the system does not keep rights.
            let mode = if facts.is_symlink() { 0o120_000 } else { facts.mode() };
            found.insert(path.strip_prefix(root).unwrap().to_path_buf(), (mode, content));
        }
    }
    found
}
