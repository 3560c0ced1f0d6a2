//! What is done to files and folders from the tree, and how each of it is taken back. Plain data.

use std::path::PathBuf;

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
    pub fn back(&self) -> TreeJob {
        match self {
            Self::Created(path) => TreeJob::Delete(path.clone()),
            Self::Moved(from, to) => TreeJob::Move { from: to.clone(), to: from.clone() },
            Self::Deleted(path, kept) => TreeJob::Move { from: kept.clone(), to: path.clone() },
        }
    }
}

/// What came of it.
#[derive(Debug)]
pub struct TreeDone {
    /// What was to be done.
    pub job: TreeJob,
    /// The step that it took back, if it was one.
    pub of: Option<TreeStep>,
    /// Where what was moved is now, links followed; where what was deleted is kept.
    pub result: std::io::Result<PathBuf>,
}

/// What was done and can be taken back.
#[derive(Debug, Default)]
pub struct TreeSteps {
    /// The last one at the end.
    pub done: Vec<TreeStep>,
    /// The one that could not be taken back a moment ago.
    pub failed: Option<TreeStep>,
    /// Whether something is being done.
    pub is_busy: bool,
}
