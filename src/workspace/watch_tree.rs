//! Watches all folders of a workspace that no ignore rule excludes, and reports what was created, changed and deleted in them.
//! Sleeps until an event arrives.
//!
//! Must not know who wants that, nor read files: what is in a new folder is found by its receiver.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::{AccessKind, AccessMode, CreateKind, ModifyKind, RenameMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;

use super::walk;
use super::watch::WatchError;
use crate::base::paths;

/// Maximum number of folders: each takes a watch of the system, of which all programs share some ten thousand.
const FOLDERS_MAX: usize = 8_192;
/// Maximum number of changes that wait; more are left out.
const CHANGES_MAX: usize = 10_000;

/// What happened to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeChange {
    /// It was created, or moved here.
    Created,
    /// Its content changed.
    Changed,
    /// It was deleted, or moved away.
    Deleted,
}

/// Changes that are taken together.
#[derive(Debug, Default)]
pub struct TreeBatch {
    /// What happened to which path.
    pub changes: BTreeMap<PathBuf, TreeChange>,
    /// Folders that were moved within the workspace, in this order: from where to where they are now. Their files were not
    /// reported. Each old path is one of `changes`, as far as these are not too many.
    pub moved: Vec<(PathBuf, PathBuf)>,
    /// Whether there are folders for [`TreeWatcher::follow`].
    pub has_new_folders: bool,
}

/// Changes that were not taken yet. Filled on the watcher's thread.
#[derive(Debug, Default)]
pub struct TreeChanges(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    batch: TreeBatch,
    /// What was at these paths is gone, and with it what watched it.
    gone: BTreeSet<PathBuf>,
}

impl TreeChanges {
    /// Returns and clears the changes.
    pub fn take(&self) -> TreeBatch {
        std::mem::take(&mut self.0.lock().batch)
    }

    fn take_gone(&self) -> BTreeSet<PathBuf> {
        std::mem::take(&mut self.0.lock().gone)
    }

    /// Adds changes, and the move of a folder that they come from; returns whether there were none before.
    fn add(
        &self,
        changes: Vec<(PathBuf, TreeChange)>,
        moved: Option<(&Path, &Path)>,
        has_new_folders: bool,
    ) -> bool {
        // One lock: a move that is taken without the deletion that it explains is lost.
        let Waiting { batch, gone } = &mut *self.0.lock();
        let was_empty = batch.changes.is_empty() && !batch.has_new_folders;
        batch.has_new_folders |= has_new_folders;
        if let Some((from, to)) = moved {
            for (_, now) in &mut batch.moved {
                if let Some(moved_on) = paths::moved(now, from, to) {
                    *now = moved_on;
                }
            }
            if batch.moved.len() < CHANGES_MAX {
                batch.moved.push((from.to_path_buf(), to.to_path_buf()));
            }
        }
        for (path, change) in changes {
            if change == TreeChange::Deleted && gone.len() < CHANGES_MAX {
                gone.insert(path.clone());
            }
            let change = match (batch.changes.get(&path), change) {
                (Some(TreeChange::Created), TreeChange::Changed) => TreeChange::Created,
                (Some(TreeChange::Deleted), TreeChange::Created) => TreeChange::Changed,
                _ => change,
            };
            if batch.changes.len() < CHANGES_MAX || batch.changes.contains_key(&path) {
                batch.changes.insert(path, change);
            }
        }
        was_empty && (batch.has_new_folders || !batch.changes.is_empty())
    }
}

/// Watches the folders of a workspace.
pub struct TreeWatcher {
    inner: RecommendedWatcher,
    root: PathBuf,
    folders: BTreeSet<PathBuf>,
    changes: Arc<TreeChanges>,
}

impl TreeWatcher {
    /// Watches a folder and all below it. It adds changes to `changes`, and calls `wake` on its own thread for the first one
    /// after they were taken. Blocking.
    ///
    /// # Errors
    ///
    /// The system lets nothing be watched.
    pub fn new(
        root: PathBuf,
        changes: Arc<TreeChanges>,
        wake: impl Fn() + Send + 'static,
    ) -> Result<Self, WatchError> {
        let seen = changes.clone();
        let on_event = move |event: notify::Result<notify::Event>| match event {
            Ok(event) => {
                let (found, has_new_folders) = read(&event);
                let has_any = has_new_folders || !found.is_empty();
                if has_any && seen.add(found, moved_folder(&event), has_new_folders) {
                    wake();
                }
            }
            Err(error) => tracing::warn!(%error, "watching a workspace failed"),
        };
        let inner = notify::recommended_watcher(on_event).map_err(WatchError::NoWatcher)?;
        let mut watcher = Self { inner, root, folders: BTreeSet::new(), changes };
        watcher.follow();
        Ok(watcher)
    }

    /// Watches the folders that are new, and forgets those that are gone. Returns the new ones: what was created in them
    /// before was not reported. Blocking.
    pub fn follow(&mut self) -> Vec<PathBuf> {
        let mut new = Vec::new();
        // A folder that was deleted and made again, or moved away, has to be watched anew.
        let gone = self.changes.take_gone();
        let is_gone = |folder: &PathBuf| folder.ancestors().any(|above| gone.contains(above));
        let lost: Vec<PathBuf> = self.folders.iter().filter(|folder| is_gone(folder)).cloned().collect();
        for folder in lost {
            if let Err(error) = self.inner.unwatch(&folder) {
                tracing::debug!(%error, "a folder was not watched any more");
            }
            self.folders.remove(&folder);
        }
        let walk = walk::builder(&self.root).build().filter_map(Result::ok);
        let is_folder = |entry: &ignore::DirEntry| entry.file_type().is_some_and(|kind| kind.is_dir());
        let found: BTreeSet<PathBuf> =
            walk.filter(is_folder).map(ignore::DirEntry::into_path).take(FOLDERS_MAX).collect();
        for gone in self.folders.difference(&found) {
            if let Err(error) = self.inner.unwatch(gone) {
                tracing::debug!(%error, "a folder was not watched any more");
            }
        }
        self.folders.retain(|folder| found.contains(folder));
        for folder in found {
            if self.folders.contains(&folder) {
                continue;
            }
            match self.inner.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.folders.insert(folder.clone());
                    new.push(folder);
                }
                Err(error) => {
                    tracing::warn!(%error, "not every folder is watched");
                    break;
                }
            }
        }
        new
    }
}

/// Returns what an event says of paths, and whether there may be a new folder.
fn read(event: &notify::Event) -> (Vec<(PathBuf, TreeChange)>, bool) {
    let all = |change: TreeChange| event.paths.iter().map(|path| (path.clone(), change)).collect::<Vec<_>>();
    let there = |path: &Path| if path.exists() { TreeChange::Created } else { TreeChange::Deleted };
    match event.kind {
        EventKind::Create(kind) => {
            let is_folder = kind != CreateKind::File && event.paths.iter().any(|path| path.is_dir());
            (all(TreeChange::Created), is_folder)
        }
        EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From)) => {
            (all(TreeChange::Deleted), false)
        }
        EventKind::Modify(ModifyKind::Name(_)) => {
            let found: Vec<_> = event.paths.iter().map(|path| (path.clone(), there(path))).collect();
            let has_folder = event.paths.iter().any(|path| path.is_dir());
            (found, has_folder)
        }
        EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Any)
        | EventKind::Access(AccessKind::Close(AccessMode::Write)) => (all(TreeChange::Changed), false),
        _ => (Vec::new(), false),
    }
}

/// Returns from where to where a folder was moved within the workspace, if an event says so.
fn moved_folder(event: &notify::Event) -> Option<(&Path, &Path)> {
    let (EventKind::Modify(ModifyKind::Name(RenameMode::Both)), [from, to]) = (&event.kind, &event.paths[..])
    else {
        return None;
    };
    to.is_dir().then_some((from, to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn tree_watch_takes_a_move_together_with_its_changes() {
        let [old, new, newer] = ["/w/old", "/w/new", "/w/newer"].map(Path::new);
        let found = |from: &Path, to: &Path| {
            vec![(from.to_path_buf(), TreeChange::Deleted), (to.to_path_buf(), TreeChange::Created)]
        };
        let changes = TreeChanges::default();
        assert!(changes.add(found(old, new), Some((old, new)), true));
        assert!(!changes.add(found(new, newer), Some((new, newer)), true), "it was woken already");
        let batch = changes.take();
        let moved = [(old, newer), (new, newer)].map(|(from, to)| (from.to_path_buf(), to.to_path_buf()));
        assert_eq!(batch.moved, moved);
        assert!(batch.moved.iter().all(|(from, _)| batch.changes[from] == TreeChange::Deleted));
        let left = changes.take();
        assert!(left.changes.is_empty() && left.moved.is_empty() && !left.has_new_folders);
    }

    #[test]
    fn tree_watch_reports_changes_outside_of_ignored_folders() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir_all(root.join("target")).unwrap();
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::write(root.join(".gitignore"), "target\n").unwrap();
        fs::write(root.join("src/deep/a"), "a").unwrap();
        let changes = Arc::new(TreeChanges::default());
        let (send, woken) = mpsc::channel();
        let wake = move || send.send(()).unwrap();
        let mut watcher = TreeWatcher::new(root.clone(), changes.clone(), wake).unwrap();
        let mut seen: BTreeMap<PathBuf, TreeChange> = BTreeMap::new();
        let mut wait_for = |watcher: &mut TreeWatcher, name: &str, wanted: TreeChange| {
            while seen.get(&root.join(name)) != Some(&wanted) {
                woken.recv_timeout(Duration::from_secs(20)).expect(name);
                let batch = changes.take();
                seen.extend(batch.changes);
                if batch.has_new_folders {
                    watcher.follow();
                }
            }
            seen.clone()
        };
        fs::write(root.join("target/x"), "x").unwrap();
        fs::write(root.join(".git/x"), "x").unwrap();
        fs::write(root.join("src/deep/a"), "b").unwrap();
        wait_for(&mut watcher, "src/deep/a", TreeChange::Changed);
        fs::write(root.join("src/new"), "n").unwrap();
        wait_for(&mut watcher, "src/new", TreeChange::Created);
        fs::rename(root.join("src/new"), root.join("moved")).unwrap();
        wait_for(&mut watcher, "moved", TreeChange::Created);
        wait_for(&mut watcher, "src/new", TreeChange::Deleted);
        fs::create_dir(root.join("lib")).unwrap();
        wait_for(&mut watcher, "lib", TreeChange::Created);
        fs::write(root.join("lib/b"), "b").unwrap();
        let all = wait_for(&mut watcher, "lib/b", TreeChange::Created);
        assert!(
            !all.contains_key(&root.join("target/x")) && !all.contains_key(&root.join(".git/x")),
            "{all:?}"
        );
        // A folder that was deleted and made again is watched again.
        fs::remove_dir_all(root.join("lib")).unwrap();
        wait_for(&mut watcher, "lib", TreeChange::Deleted);
        fs::create_dir(root.join("lib")).unwrap();
        wait_for(&mut watcher, "lib", TreeChange::Created);
        fs::write(root.join("lib/c"), "c").unwrap();
        wait_for(&mut watcher, "lib/c", TreeChange::Created);
    }
}
