//! Errors of environments.
//!
//! Must not know environments.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::panics::Panicked;

/// Why an operation of an environment failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvError {
    /// The path does not exist.
    #[error("{0}: no such file or folder")]
    NotFound(PathBuf),
    /// A folder instead of a file.
    #[error("{0}: is a folder")]
    IsFolder(PathBuf),
    /// There is something at the path, which must not be overwritten.
    #[error("{0}: exists already")]
    Exists(PathBuf),
    /// The system refuses.
    #[error("{0}: permission denied")]
    Denied(PathBuf),
    /// The file is not in the state of the stamp that the write was based on.
    #[error("{0}: changed since it was read")]
    Stale(PathBuf),
    /// The working folder of a command does not exist.
    #[error("working folder {0} does not exist")]
    NoWorkingFolder(PathBuf),
    /// Any other I/O error.
    #[error("{path}: {source}")]
    Io {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// An invalid regular expression or glob.
    #[error("{0}")]
    Pattern(String),
    /// Refused by the environment itself.
    #[error("{0}")]
    Refused(String),
    /// The system did not respond within this time.
    #[error("{0}: no answer for {seconds} s; the file or its file system may hang", seconds = .1.as_secs())]
    NoAnswer(PathBuf, Duration),
    /// The work was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl EnvError {
    /// A content that cannot be turned into a file's bytes.
    pub fn unencodable(path: &Path, error: impl std::error::Error + Send + Sync + 'static) -> Self {
        let source = io::Error::new(io::ErrorKind::InvalidData, error);
        Self::Io { path: path.to_path_buf(), source }
    }

    /// Work on a path that failed inside the program.
    #[doc(hidden)]
    pub fn internal(path: &Path, panicked: Panicked) -> Self {
        Self::Io { path: path.to_path_buf(), source: io::Error::other(panicked) }
    }

    /// A pipe or device instead of a file.
    pub fn not_a_file(path: &Path) -> Self {
        Self::Io { path: path.to_path_buf(), source: io::Error::other("not a regular file") }
    }

    /// A file instead of a folder.
    pub fn not_a_folder(path: &Path) -> Self {
        Self::Io { path: path.to_path_buf(), source: io::ErrorKind::NotADirectory.into() }
    }

    /// An operation that the environment does not support.
    pub fn unsupported(path: &Path) -> Self {
        Self::Io { path: path.to_path_buf(), source: io::ErrorKind::Unsupported.into() }
    }

    /// Whether the environment does not support the operation.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::Unsupported)
    }
}
