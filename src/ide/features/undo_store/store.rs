//! Keeps undo trees beyond the program and finds them again, away from the loop. Must not know
//! the state.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::exec::Shelf;
use crate::exec::shelf::Limits;
use crate::ide::features::recovery::journal::key_of;
use crate::ide::model::buffers::BufferId;
use crate::text::archive::{self, Unusable};
use crate::text::history::{History, RevisionId};
use crate::text::rope::Text;

/// Bytes of one tree's texts.
const TREE_BYTES: usize = 4 << 20;
/// Bytes of the longest archive that is read; what is kept is written shorter.
const ARCHIVE_BYTES: u64 = 4 * TREE_BYTES as u64;
/// What is kept of all files.
const LIMITS: Limits = Limits { bytes: 64 << 20, age: Duration::from_hours(90 * 24) };

/// A piece of work.
pub enum UndoJob {
    /// Keep a tree.
    Keep {
        /// Of which file, links followed.
        path: PathBuf,
        /// The tree.
        history: History,
        /// Its text as it is.
        text: Text,
        /// The revision that is in the file.
        saved: RevisionId,
        /// Of two of one file the one with the higher number counts.
        number: u64,
    },
    /// Find the tree of a file.
    Find {
        /// For whom.
        buffer: BufferId,
        /// Which file, links followed.
        path: PathBuf,
        /// The file's text.
        text: Text,
    },
}

/// A tree that was found, or is of no use.
pub struct Found {
    /// For whom.
    pub buffer: BufferId,
    /// The tree, about the text as the file was opened.
    pub result: Result<History, Unusable>,
}

/// Where trees are kept.
#[derive(Debug)]
pub struct UndoShelf {
    shelf: Shelf,
    /// The number of what is kept of each file; `None` before anything is.
    kept: Mutex<Option<BTreeMap<String, u64>>>,
}

impl UndoShelf {
    /// Trees in a folder.
    pub fn new(folder: PathBuf) -> Self {
        Self { shelf: Shelf::new(folder), kept: Mutex::default() }
    }

    /// Does a piece of work; blocking. What was found, if that was asked.
    pub fn perform(&self, job: UndoJob) -> Option<Found> {
        match job {
            UndoJob::Keep { path, history, text, saved, number } => {
                if let Err(error) = self.keep(&path, &history, text, saved, number) {
                    tracing::warn!(%error, path = %path.display(), "an undo tree could not be kept");
                }
                None
            }
            UndoJob::Find { buffer, path, text } => {
                let result = self.find(&path, &text)?;
                Some(Found { buffer, result })
            }
        }
    }

    fn keep(
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
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = kept.is_none();
        let numbers = kept.get_or_insert_default();
        if numbers.get(&key).is_some_and(|newer| *newer > number) {
            return Ok(());
        }
        match archive {
            Some(archive) => self.shelf.put(&key, archive.as_bytes())?,
            None => self.shelf.remove(&key)?,
        }
        numbers.insert(key, number);
        if is_first { self.shelf.clean(LIMITS) } else { Ok(()) }
    }

    /// The tree of a file; `None` when none is kept. One of no use is not found twice.
    fn find(&self, path: &Path, text: &Text) -> Option<Result<History, Unusable>> {
        let key = name_of(path);
        let bytes = match self.shelf.get(&key, ARCHIVE_BYTES) {
            Ok(bytes) => bytes?,
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "a kept undo tree cannot be read");
                return None;
            }
        };
        let archive = std::str::from_utf8(&bytes).map_err(|_| Unusable::Damaged);
        let result = archive.and_then(|archive| archive::read(archive, text));
        if let Err(why) = &result {
            tracing::info!(path = %path.display(), "a kept undo tree is dropped: {why}");
            if let Err(error) = self.shelf.remove(&key) {
                tracing::warn!(%error, path = %path.display(), "a kept undo tree cannot be removed");
            }
        }
        Some(result)
    }
}

fn name_of(path: &Path) -> String {
    key_of(path) + ".undo"
}
