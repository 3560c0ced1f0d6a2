//! Errors of recording and restoring. Must not know how either works.

use std::io;
use std::path::{Path, PathBuf};

use super::object::Oid;

/// Why a state cannot be recorded or restored.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// An I/O error.
    #[error("{path}: {source}")]
    Io {
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
    /// The store lacks the object, perhaps because it was pruned.
    #[error("object {0} is not in the store of checkpoints")]
    Missing(Oid),
    /// The object has another content than its id says.
    #[error("object {0} is damaged in the store of checkpoints")]
    Damaged(Oid),
    /// The workspace has too many files.
    #[error("the folder has more than {0} files that are not ignored")]
    TooMany(usize),
    /// The workspace has too much content.
    #[error("the files of the folder that are not ignored have more than {} MB", .0 >> 20)]
    TooMuch(u64),
    /// The scan took too long; objects written so far are kept.
    #[error("it took longer than {0} s")]
    TooSlow(u64),
    /// Cancelled.
    #[error("cancelled")]
    Cancelled,
    /// Other processes use the store.
    #[error("{0} is in use")]
    Busy(PathBuf),
}

impl CheckpointError {
    /// For `map_err`: wraps an I/O error with its path.
    pub(super) fn io_at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_path_buf(), source }
    }
}
