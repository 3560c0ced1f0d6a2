//! What can go wrong with a session, and what was wrong with its file. Must not know how files are
//! read or written.

use std::io;
use std::path::PathBuf;

use super::header::VERSION;

/// Why a session cannot be opened or written.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The file is something else; it was not touched.
    #[error("{0} is not a session file; it was left as it is")]
    NotASession(PathBuf),
    /// A session of a format that this program does not read.
    #[error("{path} is a session of format {version}; this program reads formats 1 to {VERSION}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its format.
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
    /// It was opened to be looked at.
    #[error("session file {0} was opened for reading only")]
    ReadOnly(PathBuf),
    /// The system refuses.
    #[error("session file {path}: {source}")]
    Io {
        /// On what.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Something wrong in a session file that did not keep it from being opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Line number from 1; 0 where it is about the whole file.
    pub line: usize,
    /// What is wrong and what was done about it.
    pub message: String,
}
