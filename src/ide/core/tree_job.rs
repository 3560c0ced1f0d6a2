//! What is done to files and folders of the tree. Plain data; must not know who does it.

use std::path::{Path, PathBuf};

/// A job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeJob {
    /// Create an empty file or a folder.
    Create {
        /// Its path.
        path: PathBuf,
        /// Whether it is a folder.
        is_folder: bool,
    },
    /// Move to another path.
    Move {
        /// The old path.
        from: PathBuf,
        /// The new path.
        to: PathBuf,
    },
    /// Delete, by moving to the trash folder.
    Delete(PathBuf),
}

impl TreeJob {
    /// Returns the paths that it is about.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let (first, second) = match self {
            Self::Create { path, .. } | Self::Delete(path) => (path, None),
            Self::Move { from, to } => (from, Some(to.as_path())),
        };
        std::iter::once(first.as_path()).chain(second)
    }
}
