//! Storage of undo trees, in tasks. Must not know the state.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::exec::CacheFolder;
use crate::exec::storage::cache::Limits;
use crate::ide::core::slots::Slot;
use crate::ide::features::recovery::journal::key_of;
use crate::text::rope::Text;
use crate::text::undo::archive::{self, ArchiveError};
use crate::text::undo::history::{History, RevisionId};

/// Maximum bytes of one tree's texts.
const TREE_BYTES: usize = 4 << 20;
/// Maximum bytes of an archive that is read; stored ones are shorter.
const ARCHIVE_BYTES: u64 = 4 * TREE_BYTES as u64;
/// Limits of all stored trees.
const LIMITS: Limits = Limits { bytes: 64 << 20, age: Duration::from_hours(90 * 24) };

/// An undo tree to save.
pub struct StoredTree {
    /// Of which file, links followed.
    pub path: PathBuf,
    /// The tree.
    pub history: History,
    /// Its current text.
    pub text: Text,
    /// The revision that is in the file.
    pub saved: RevisionId,
    /// Of two trees of one file the one with the higher number wins.
    pub number: u64,
}

/// Slot of the feature's state.
pub const UNDO_STORE: Slot<Option<UndoStore>> = Slot::new();

/// Storage of the trees of this run, and the number of trees passed to it.
#[derive(Debug)]
pub struct UndoStore {
    /// The storage.
    pub files: Arc<UndoFiles>,
    number: u64,
}

impl UndoStore {
    /// Trees in the program's folder of state.
    pub fn new(state: &Path) -> Self {
        Self { files: Arc::new(UndoFiles::new(state.join("undo"))), number: 0 }
    }

    /// The number of the next tree that is handed out.
    pub fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }
}

/// The files of the storage.
#[derive(Debug)]
pub struct UndoFiles {
    files: CacheFolder,
    /// Number of the stored tree of each file; `None` before any is stored.
    stored: Mutex<Option<BTreeMap<String, u64>>>,
}

impl UndoFiles {
    /// Trees in a folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { files: CacheFolder::new(folder), stored: Mutex::default() }
    }

    /// Saves a tree, if possible; blocking.
    pub fn store(&self, tree: StoredTree) {
        let StoredTree { path, history, text, saved, number } = tree;
        if let Err(error) = self.write(&path, &history, text, saved, number) {
            tracing::warn!(%error, path = %path.display(), "an undo tree could not be kept");
        }
    }

    fn write(
        &self,
        path: &Path,
        history: &History,
        mut text: Text,
        saved: RevisionId,
        number: u64,
    ) -> std::io::Result<()> {
        // To the text in the file, however much was typed since.
        for (_, step) in history.clone().travel(saved) {
            step.changes.apply(&mut text);
        }
        let archive = archive::write(history, &text, saved, TREE_BYTES);
        let key = name_of(path);
        let mut kept = self.stored.lock();
        let is_first = kept.is_none();
        let numbers = kept.get_or_insert_default();
        if numbers.get(&key).is_some_and(|newer| *newer > number) {
            return Ok(());
        }
        match archive {
            Some(archive) => self.files.put(&key, archive.as_bytes())?,
            None => self.files.remove(&key)?,
        }
        numbers.insert(key, number);
        if is_first { self.files.clean(LIMITS) } else { Ok(()) }
    }

    /// Returns the tree of a file; `None` if none is stored. An unusable one is removed. Blocking.
    pub fn find(&self, path: &Path, text: &Text) -> Option<Result<History, ArchiveError>> {
        let key = name_of(path);
        let bytes = match self.files.get(&key, ARCHIVE_BYTES) {
            Ok(bytes) => bytes?,
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "a kept undo tree cannot be read");
                return None;
            }
        };
        let archive = std::str::from_utf8(&bytes).map_err(|_| ArchiveError::Damaged);
        let result = archive.and_then(|archive| archive::read(archive, text));
        if let Err(read_error) = &result {
            tracing::info!(path = %path.display(), "a kept undo tree is dropped: {read_error}");
            if let Err(error) = self.files.remove(&key) {
                tracing::warn!(%error, path = %path.display(), "a kept undo tree cannot be removed");
            }
        }
        Some(result)
    }
}

fn name_of(path: &Path) -> String {
    key_of(path) + ".undo"
}
