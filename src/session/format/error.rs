//! Errors of a session, and problems in its file. Must not know how files are read or written.

use std::io;
use std::path::PathBuf;

use super::header::VERSION;

/// Why a session cannot be opened or written.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The file is not a session; it was not modified.
    #[error("{0} is not a session file; it was left as it is")]
    NotASession(PathBuf),
    /// The session has an unsupported format version.
    #[error("{path} is a session of format {version}; this program reads formats 1 to {VERSION}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u64,
    },
    /// Another program is writing it.
    #[error("{0} is open in another program")]
    Busy(PathBuf),
    /// There is no such entry.
    #[error("the session has no entry {0}")]
    NoSuchEntry(String),
    /// An entry of an unknown kind that is not an object with a `type`.
    #[error("an entry must be a JSON object with a type")]
    BadEntry,
    /// The session was opened read-only.
    #[error("session file {0} was opened for reading only")]
    ReadOnly(PathBuf),
    /// An I/O error.
    #[error("session file {path}: {source}")]
    Io {
        /// The path.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}

/// A problem in a session file that did not prevent opening it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line number from 1; 0 when it concerns the whole file.
    pub line: usize,
    /// The problem and how it was handled.
    pub message: String,
}
