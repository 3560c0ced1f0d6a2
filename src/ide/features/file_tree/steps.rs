//! What is done to files and folders from the tree, and how each of it is taken back. Must not know the state.

use std::io;
use std::path::{Path, PathBuf};

use crate::exec::disk::tree;
use crate::ide::core::slots::Slot;

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeJob {
    /// Make an empty file, or a folder.
    Create {
        /// Where.
        path: PathBuf,
        /// Whether it is a folder.
        is_folder: bool,
    },
    /// Give another path.
    Move {
        /// From where.
        from: PathBuf,
        /// To where.
        to: PathBuf,
    },
    /// Take away, into the folder of what is kept.
    Delete(PathBuf),
}

/// Something that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeStep {
    /// This was made.
    Created(PathBuf),
    /// This was moved: from, to.
    Moved(PathBuf, PathBuf),
    /// This was deleted: its path, where it is kept.
    Deleted(PathBuf, PathBuf),
}

impl TreeStep {
    /// What takes it back.
    pub fn inverse(&self) -> TreeJob {
        match self {
            Self::Created(path) => TreeJob::Delete(path.clone()),
            Self::Moved(from, to) => TreeJob::Move { from: to.clone(), to: from.clone() },
            Self::Deleted(path, kept) => TreeJob::Move { from: kept.clone(), to: path.clone() },
        }
    }
}

/// Where it is in the state.
pub const TREE_STEPS: Slot<TreeSteps> = Slot::new();

/// What was done and can be taken back.
#[derive(Debug)]
pub struct TreeSteps {
    /// The folder that keeps what is deleted.
    pub trash: PathBuf,
    /// The last one at the end.
    pub undoable: Vec<TreeStep>,
    /// The one that could not be taken back a moment ago.
    pub failed: Option<TreeStep>,
    /// Whether something is being done.
    pub is_busy: bool,
}

impl TreeSteps {
    /// Nothing was done yet; the program keeps what outlives it in `state`.
    pub fn new(state: &Path) -> Self {
        Self { trash: state.join("deleted"), undoable: Vec::new(), failed: None, is_busy: false }
    }
}

/// Does one thing; `of` is the step that it takes back, `deleted` the folder that keeps what is deleted. Gives where
/// what was moved is now, links followed, or where what was deleted is kept. Blocking.
pub fn perform(job: &TreeJob, of: Option<&TreeStep>, deleted: &Path) -> io::Result<PathBuf> {
    match job {
        TreeJob::Create { path, is_folder } => tree::create(path, *is_folder).map(|()| path.clone()),
        TreeJob::Move { from, to } => tree::rename(from, to),
        TreeJob::Delete(path) => {
            // What was put in since was not made by that step.
            if matches!(of, Some(TreeStep::Created(_))) && !tree::is_empty(path)? {
                return Err(io::Error::new(io::ErrorKind::DirectoryNotEmpty, "it is no longer empty"));
            }
            tree::delete(path, deleted)
        }
    }
}
