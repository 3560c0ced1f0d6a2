//! Why an environment could not do what was asked.
//!
//! Must not know environments.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::base::panics::Panicked;

/// Why an environment could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvError {
    /// Nothing there.
    #[error("{0}: no such file or folder")]
    NotFound(PathBuf),
    /// A folder where a file was expected.
    #[error("{0}: is a folder")]
    IsFolder(PathBuf),
    /// The system refuses.
    #[error("{0}: permission denied")]
    Denied(PathBuf),
    /// The file is not in the state of the stamp that the write was based on.
    #[error("{0}: changed since it was read")]
    Stale(PathBuf),
    /// The working folder of a command is not there.
    #[error("working folder {0} does not exist")]
    NoWorkingFolder(PathBuf),
    /// Anything else.
    #[error("{path}: {source}")]
    Io {
        /// On what.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// An expression or a glob pattern that is none.
    #[error("{0}")]
    Pattern(String),
    /// The environment does not allow it, whatever the system says.
    #[error("{0}")]
    Refused(String),
    /// The system did not answer for so long.
    #[error("{0}: no answer for {seconds} s; the file or its file system may hang", seconds = .1.as_secs())]
    NoAnswer(PathBuf, Duration),
    /// The work was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl EnvError {
    /// A content that cannot be turned into a file's bytes.
    pub fn unencodable(path: &Path, why: impl std::error::Error + Send + Sync + 'static) -> Self {
        let source = io::Error::new(io::ErrorKind::InvalidData, why);
        Self::Io { path: path.to_path_buf(), source }
    }

    /// Work on a path that failed inside the program.
    #[doc(hidden)]
    pub fn internal(path: &Path, panicked: Panicked) -> Self {
        Self::Io { path: path.to_path_buf(), source: io::Error::other(panicked) }
    }

    /// A pipe or a device where a file was expected.
    pub fn not_a_file(path: &Path) -> Self {
        Self::Io { path: path.to_path_buf(), source: io::Error::other("not a regular file") }
    }

    /// A file where a folder was expected.
    pub fn not_a_folder(path: &Path) -> Self {
        Self::Io { path: path.to_path_buf(), source: io::ErrorKind::NotADirectory.into() }
    }

    /// Something that the environment cannot do.
    pub fn unsupported(path: &Path) -> Self {
        Self::Io { path: path.to_path_buf(), source: io::ErrorKind::Unsupported.into() }
    }
}
