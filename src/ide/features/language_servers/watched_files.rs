//! Tells servers of files that have changed on the disk, where they have registered for them: in one batch per turn of the
//! loop. While one has registered, the folders of the workspace are watched. Must not read files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::exec::{Environment, FileKind};
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::feature::DiskChange;
use crate::ide::features::language_servers::questions;
use crate::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer};
use crate::lsp::capabilities::watched_files::{FileChange, METHOD};
use crate::workspace::watch::WatchError;
use crate::workspace::watch_tree::{TreeChange, TreeChanges, TreeWatcher};

/// Files of new folders that servers hear of.
const FILES_MAX: usize = 10_000;

fn has_registered(server: &RunningServer) -> bool {
    server.offers(METHOD)
}

/// Notes a change for the next batch.
pub fn note(cx: &mut Cx<'_>, path: &Path, change: DiskChange) {
    let known = &mut cx.state.slots[LANGUAGE_SERVERS];
    if known.servers.iter().any(has_registered) {
        let change = match change {
            DiskChange::Created => FileChange::Created,
            DiskChange::Changed => FileChange::Changed,
            DiskChange::Deleted => FileChange::Deleted,
        };
        known.disk_changes.push((path.to_path_buf(), change));
    }
}

/// What watches the folders of the workspace.
#[derive(Default)]
pub struct TreeWatch {
    /// Created by a task; one task at a time uses it.
    watcher: Arc<Mutex<Option<TreeWatcher>>>,
    changes: Arc<TreeChanges>,
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
    let wake = move || tasks.post_blocking("language-servers.disk-events", take_in);
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

/// Takes in what the watcher has seen.
fn take_in(cx: &mut Cx<'_>) {
    let Some(watch) = &cx.state.slots[LANGUAGE_SERVERS].tree_watch else { return };
    let (changes, has_new_folders) = watch.changes.take();
    let slot = watch.watcher.clone();
    for (path, change) in changes {
        let change = match change {
            TreeChange::Created => DiskChange::Created,
            TreeChange::Changed => DiskChange::Changed,
            TreeChange::Deleted => DiskChange::Deleted,
        };
        note(cx, &path, change);
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
        let changes = with_content(&*env, changes).await;
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

/// Adds the files in folders that are new: a folder that is moved arrives with its content.
async fn with_content(
    env: &dyn Environment,
    changes: Vec<(PathBuf, FileChange)>,
) -> Vec<(PathBuf, FileChange)> {
    let mut all = Vec::with_capacity(changes.len());
    let mut walked: Vec<PathBuf> = Vec::new();
    for (path, change) in changes {
        all.push((path.clone(), change));
        let is_folder = change == FileChange::Created
            && !walked.iter().any(|folder| path.starts_with(folder))
            && env.stat(&path).await.is_ok_and(|stat| stat.kind == FileKind::Folder);
        let mut folders = Vec::new();
        if is_folder {
            walked.push(path.clone());
            folders.push(path);
        }
        while let Some(folder) = folders.pop().filter(|_| all.len() < FILES_MAX) {
            // What cannot be listed is nothing that a server could read.
            let Ok(entries) = env.list(&folder).await else { continue };
            for entry in entries {
                let path = entry.path_in(&folder);
                if entry.kind == FileKind::Folder {
                    folders.push(path.clone());
                }
                all.push((path, FileChange::Created));
            }
        }
    }
    all
}
