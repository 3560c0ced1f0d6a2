//! Tells servers of files that have changed on the disk, where they have registered for them: in one batch per turn of the
//! loop. While one has registered, the folders of the workspace are watched. Must not read files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::base::paths;
use crate::exec::{Environment, FileKind};
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::feature::DiskChange;
use crate::ide::core::state::State;
use crate::ide::features::language_servers::project_diagnostics;
use crate::ide::features::language_servers::questions;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer};
use crate::lsp::capabilities::watched_files::{FileChange, METHOD};
use crate::workspace::watch::WatchError;
use crate::workspace::watch_tree::{TreeBatch, TreeChange, TreeChanges, TreeWatcher};

/// Files of a folder that is new or gone that servers hear of.
const FILES_MAX: usize = 10_000;

/// How long what other programs do is collected.
pub const PAUSE: Duration = Duration::from_millis(100);

/// A change that servers hear of next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotedChange {
    path: PathBuf,
    change: FileChange,
    /// Where the content of a path that is gone is now, if that is known: of a folder servers hear of each file.
    content: Option<PathBuf>,
}

fn has_registered(server: &RunningServer) -> bool {
    server.offers(METHOD)
}

/// Notes a change for the next batch.
pub fn note(cx: &mut Cx<'_>, path: &Path, change: DiskChange) {
    let change = match change {
        DiskChange::Created => FileChange::Created,
        DiskChange::Changed => FileChange::Changed,
        DiskChange::Deleted => {
            project_diagnostics::forget_path(cx, path);
            FileChange::Deleted
        }
    };
    push(cx, NotedChange { path: path.to_path_buf(), change, content: None });
}

/// Notes that something was moved.
pub fn note_moved(cx: &mut Cx<'_>, from: &Path, to: &Path) {
    note_deleted(cx, from, to);
    note(cx, to, DiskChange::Created);
}

/// Notes that something is gone from a path, and is at another one.
pub fn note_deleted(cx: &mut Cx<'_>, path: &Path, now: &Path) {
    project_diagnostics::forget_path(cx, path);
    let (path, content) = (path.to_path_buf(), Some(now.to_path_buf()));
    push(cx, NotedChange { path, change: FileChange::Deleted, content });
}

fn push(cx: &mut Cx<'_>, change: NotedChange) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    if known.servers.iter().any(has_registered) {
        known.disk_changes.push(change);
    }
}

/// What watches the folders of the workspace.
#[derive(Default)]
pub struct TreeWatch {
    /// Created by a task; one task at a time uses it.
    watcher: Arc<Mutex<Option<TreeWatcher>>>,
    changes: Arc<TreeChanges>,
    /// When what it has seen is taken in, on the monotonic clock.
    due: Option<Duration>,
}

/// Watches the workspace from now on, if a server has registered for files and that is not done yet.
pub fn watch(cx: &mut Cx<'_>) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    if known.tree_watch.is_some() || !known.servers.iter().any(has_registered) {
        return;
    }
    let watch = known.tree_watch.insert(TreeWatch::default());
    let (slot, changes) = (watch.watcher.clone(), watch.changes.clone());
    let (tasks, root) = (cx.tasks.clone(), cx.state.workspace.clone());
    let wake = move || tasks.post_blocking("language-servers.disk-events", on_event);
    let work = move || {
        // Nothing is watched any more if the servers were switched off meanwhile.
        let made = TreeWatcher::new(root, changes, wake)?;
        *slot.lock() = Some(made);
        Ok::<_, WatchError>(())
    };
    cx.tasks.spawn_blocking("language-servers.watch-tree", work, |cx, made| {
        if let Some(Err(error)) = answer_or_error(cx, "watch the workspace", made) {
            // They still hear of what is done here.
            tracing::warn!(%error, "language servers do not hear of what other programs do to files");
        }
    });
}

/// The watcher has seen something. It says nothing more until that is taken in: a build or a checkout changes thousands of
/// files.
fn on_event(cx: &mut Cx<'_>) {
    let due = cx.now + PAUSE;
    if let Some(watch) = &mut cx.state.slots[LANGUAGE_SERVERS].tree_watch {
        watch.due = Some(due);
    }
}

/// Returns when what the watcher has seen is taken in, on the monotonic clock.
pub fn deadline(state: &State) -> Option<Duration> {
    state.slots[LANGUAGE_SERVERS].tree_watch.as_ref().and_then(|watch| watch.due)
}

/// Takes in what the watcher has seen, if that is due.
pub fn on_deadline(cx: &mut Cx<'_>) {
    let now = cx.now;
    let Some(watch) = &mut cx.state.slots[LANGUAGE_SERVERS].tree_watch else { return };
    if watch.due.take_if(|due| *due <= now).is_none() {
        return;
    }
    let TreeBatch { changes, moved, has_new_folders } = watch.changes.take();
    let moved: BTreeMap<PathBuf, PathBuf> = moved.into_iter().collect();
    let slot = watch.watcher.clone();
    for (path, change) in changes {
        match (change, moved.get(&path)) {
            (TreeChange::Deleted, Some(now)) => note_deleted(cx, &path, now),
            // A folder was moved away, and another one made in its place.
            (TreeChange::Created | TreeChange::Changed, Some(now)) => {
                note_deleted(cx, &path, now);
                note(cx, &path, DiskChange::Created);
            }
            (TreeChange::Deleted, None) => note(cx, &path, DiskChange::Deleted),
            (TreeChange::Created, None) => note(cx, &path, DiskChange::Created),
            (TreeChange::Changed, None) => note(cx, &path, DiskChange::Changed),
        }
    }
    if has_new_folders {
        let work = move || slot.lock().as_mut().map(TreeWatcher::follow).unwrap_or_default();
        cx.tasks.spawn_blocking("language-servers.watch-folders", work, |cx, new| {
            for folder in answer_or_error(cx, "watch new folders", new).unwrap_or_default() {
                note(cx, &folder, DiskChange::Created);
            }
        });
    }
}

/// Sends what was noted since the last call.
pub fn flush(cx: &mut Cx<'_>) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    if known.disk_changes.is_empty() {
        return;
    }
    let mut changes = std::mem::take(&mut known.disk_changes);
    changes.dedup();
    let clients: Vec<_> =
        known.servers.iter().filter(|server| has_registered(server)).map(questions::client).collect();
    let env = cx.env.clone();
    let work = async move {
        let changes = with_content(&*env, changes, FILES_MAX).await;
        for client in clients {
            // One that has ended reads everything when it is started again.
            if let Some(client) = client.await
                && let Err(error) = client.files_changed(&changes)
            {
                tracing::debug!(%error, "a language server does not hear of changed files");
            }
        }
    };
    cx.tasks.spawn("language-servers.watched-files", work, |cx, done| {
        answer_or_error(cx, "tell language servers of changed files", done);
    });
}

/// Adds the files in folders that are new or gone: a folder arrives and goes with its content. Of each at most `files_max`, so
/// that after a move what is gone and what is new are reported alike.
async fn with_content(
    env: &dyn Environment,
    changes: Vec<NotedChange>,
    files_max: usize,
) -> Vec<(PathBuf, FileChange)> {
    let mut all = Vec::with_capacity(changes.len());
    let mut walked: Vec<(PathBuf, FileChange)> = Vec::new();
    for NotedChange { path, change, content } in changes {
        all.push((path.clone(), change));
        let root = match change {
            FileChange::Created => Some(path.clone()),
            FileChange::Deleted => content,
            FileChange::Changed => None,
        };
        let is_known = walked.iter().any(|(folder, of)| *of == change && path.starts_with(folder));
        let Some(root) = root.filter(|_| !is_known) else { continue };
        if env.stat(&root).await.is_ok_and(|stat| stat.kind == FileKind::Folder) {
            walked.push((path.clone(), change));
            let found = paths_below(env, &root, files_max).await;
            let moved = found.iter().filter_map(|found| paths::moved(found, &root, &path));
            all.extend(moved.map(|path| (path, change)));
        }
    }
    all
}

/// Returns the files and folders below a folder, at most so many.
async fn paths_below(env: &dyn Environment, root: &Path, max: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop().filter(|_| found.len() < max) {
        // What cannot be listed is nothing that a server could read.
        let Ok(entries) = env.list(&folder).await else { continue };
        for entry in entries.into_iter().take(max - found.len()) {
            let path = entry.path_in(&folder);
            if entry.kind == FileKind::Folder {
                folders.push(path.clone());
            }
            found.push(path);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::LocalEnvironment;

    fn noted(path: PathBuf, change: FileChange, content: Option<PathBuf>) -> NotedChange {
        NotedChange { path, change, content }
    }

    #[tokio::test]
    async fn moved_folder_of_many_files_is_gone_and_new_with_as_many_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        std::fs::create_dir_all(new.join("deep")).unwrap();
        for name in ["a", "b", "c", "d", "deep/e", "deep/f"] {
            std::fs::write(new.join(name), "").unwrap();
        }
        let env = LocalEnvironment::new(folder.path().to_path_buf(), []);
        let changes = vec![
            noted(old.clone(), FileChange::Deleted, Some(new.clone())),
            noted(new.clone(), FileChange::Created, None),
        ];
        for (max, expected) in [(3, 3), (100, 7)] {
            let all = with_content(&env, changes.clone(), max).await;
            let below = |root: &Path| all.iter().filter(|(path, _)| path.starts_with(root)).count() - 1;
            assert_eq!((below(&old), below(&new)), (expected, expected));
        }
    }
}
