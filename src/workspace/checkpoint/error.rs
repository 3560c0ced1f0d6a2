//! Why a state cannot be recorded or brought back. Must not know how either is done.

use std::io;
use std::path::{Path, PathBuf};

use super::object::Oid;

/// Why a state cannot be recorded or brought back.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The system refuses.
    #[error("{path}: {source}")]
    Io {
        /// On what.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The store does not have it, perhaps because it was pruned.
    #[error("object {0} is not in the store of checkpoints")]
    Missing(Oid),
    /// The store has something else under that name.
    #[error("object {0} is damaged in the store of checkpoints")]
    Damaged(Oid),
    /// More files than are recorded.
    #[error("the folder has more than {0} files that are not ignored")]
    TooMany(usize),
    /// More content than is recorded.
    #[error("the files of the folder that are not ignored have more than {} MB", .0 >> 20)]
    TooMuch(u64),
    /// It took too long; what was done of it stays done.
    #[error("it took longer than {0} s")]
    TooSlow(u64),
    /// Whoever wanted it wants it no more.
    #[error("cancelled")]
    Cancelled,
    /// Other programs work with the store.
    #[error("{0} is in use")]
    Busy(PathBuf),
}

impl CheckpointError {
    /// For `map_err`: a refusal of the system on a path.
    pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_path_buf(), source }
    }
}
