//! What is done to files and folders of the tree. Plain data; must not know who does it.

use std::path::PathBuf;

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
