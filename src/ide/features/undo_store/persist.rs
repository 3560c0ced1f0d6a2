//! Persistent undo: the undo tree of a file is saved when the file is saved or closed, and restored when it
//! is opened unchanged.
//!
//! Must not access the disk on the event loop: `ide::features::undo_store::store` does so in tasks.

use crate::ide::core::context::Cx;
use crate::ide::core::state::State;
use crate::ide::features::undo_store::store::StoredTree;
use crate::ide::features::undo_store::store::UNDO_STORE;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::text::undo::archive::ArchiveError;
use crate::text::undo::history::{History, RevisionId};

/// Maximum text size in bytes for which trees are saved, since verification reads the whole text.
const TEXT_MAX: usize = 64 << 20;

/// Handles an opened file: looks for its saved tree.
pub fn on_opened(cx: &mut Cx<'_>, id: BufferId) {
    // A text that was already edited differs from the file.
    let is_as_read =
        |buffer: &&mut Buffer| buffer.stamp.is_some() && buffer.area.document.history().is_empty();
    let Some(buffer) = cx.state.buffers.get_mut(id).filter(is_as_read) else { return };
    let Some(path) = buffer.real_path().map(ToOwned::to_owned) else { return };
    let text = buffer.area.text().clone();
    let Some(store) = cx.state.slots[UNDO_STORE].as_ref().filter(|_| text.end().0 <= TEXT_MAX) else {
        return;
    };
    let files = store.files.clone();
    cx.tasks.spawn_blocking(
        "undo_store.find",
        move || files.find(&path, &text),
        move |cx, tree| match tree {
            Ok(Some(tree)) => on_found(cx, id, tree),
            Ok(None) => {}
            Err(error) => tracing::error!("an undo tree could not be found: {error}"),
        },
    );
}

/// The tree was found, or is of no use.
pub fn on_found(cx: &mut Cx<'_>, id: BufferId, tree: Result<History, ArchiveError>) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    match tree {
        Ok(history) => {
            let is_all = buffer.area.document.history().is_empty();
            buffer.area.document.adopt(history);
            // A tree saved in the meantime lacks the restored steps.
            buffer.stored_undo = if is_all { stored_version(&buffer.area.document) } else { None };
        }
        Err(error) => {
            let name = buffer.name();
            if cx.state.status.message.is_empty() {
                cx.state.set_status(match error {
                    ArchiveError::OtherText => format!("Changed since: {name}. Older undo steps are dropped"),
                    other => format!("Cannot load older undo steps of {name}: {other}"),
                });
            }
        }
    }
}

/// Returns what identifies a saved tree.
fn stored_version(document: &crate::text::document::Document) -> Option<(u64, RevisionId)> {
    Some((document.version(), document.saved()?))
}

/// Saves the tree of a file that was saved or is being closed, unless it is already saved.
pub fn store_tree(cx: &mut Cx<'_>, id: BufferId) {
    let tree = unstored_tree(cx.state, id);
    let (Some(tree), Some(store)) = (tree, &cx.state.slots[UNDO_STORE]) else { return };
    let files = store.files.clone();
    cx.tasks.spawn_blocking(
        "undo_store.keep",
        move || files.store(tree),
        |_, kept| {
            if let Err(error) = kept {
                tracing::error!("an undo tree could not be kept: {error}");
            }
        },
    );
}

/// Returns the final saving of all trees on exit; blocking.
pub fn final_writes(state: &mut State) -> impl FnOnce() + Send + 'static + use<> {
    let ids: Vec<BufferId> = state.buffers.all().iter().map(|buffer| buffer.id).collect();
    let trees: Vec<StoredTree> = ids.into_iter().filter_map(|id| unstored_tree(state, id)).collect();
    let files = state.slots[UNDO_STORE].as_ref().map(|store| store.files.clone());
    move || {
        let Some(files) = files else { return };
        for tree in trees {
            files.store(tree);
        }
    }
}

/// Returns the tree of a file, if it is wanted and not saved yet.
fn unstored_tree(state: &mut State, id: BufferId) -> Option<StoredTree> {
    let store = state.slots[UNDO_STORE].as_mut()?;
    let buffer = state.buffers.get_mut(id)?;
    let document = &buffer.area.document;
    let now = stored_version(document)?;
    let is_storable =
        buffer.stamp.is_some() && !document.history().is_empty() && document.text().end().0 <= TEXT_MAX;
    if !is_storable || buffer.stored_undo == Some(now) {
        return None;
    }
    let path = buffer.real_path()?.to_path_buf();
    buffer.stored_undo = Some(now);
    let number = store.next_number();
    let (history, text) = (document.history().clone(), document.text().clone());
    Some(StoredTree { path, history, text, saved: now.1, number })
}
