//! Port for what language servers find wrong in files. Must not know servers, nor which tool changes files.

use std::path::PathBuf;
use std::time::Duration;

use futures::future::BoxFuture;

/// An error in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileError {
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// What is wrong; may have several lines and control characters.
    pub message: String,
    /// Who says so, with a code, such as `rustc E0308`; may be empty.
    pub origin: String,
}

/// What was found in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundErrors {
    /// The errors.
    pub errors: Vec<FileError>,
    /// Whether all servers of the file have looked at it, so that there are no others.
    pub is_complete: bool,
}

/// Finds errors in files.
pub trait Diagnostics: Send + Sync {
    /// Returns the errors of a file as it is now. Waits until its servers have looked at it, at most so long. `None` if no
    /// server that runs serves the file, or none has an answer.
    fn errors(&self, path: PathBuf, wait: Duration) -> BoxFuture<'static, Option<FoundErrors>>;
}
