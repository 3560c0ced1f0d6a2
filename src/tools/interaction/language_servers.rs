//! Port to the language servers of a session: what they find wrong in files, and their clients for questions. Must not know
//! who starts the servers, nor which tool asks.

use std::any::Any;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;

use crate::lsp::answers::diagnostics::{Diagnostic, Severity};
use crate::lsp::capabilities::watched_files::FileChange;
use crate::lsp::client::Client;
use crate::lsp::table::Features;

/// Something that a server found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiagnostic {
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong; may have several lines and control characters.
    pub message: String,
    /// Who says so, with a code, such as `rustc E0308`; may be empty.
    pub origin: String,
    /// What it is about, in bytes of the text.
    pub bytes: Range<usize>,
    /// As the server sent it, to be given back to it.
    pub sent: Arc<str>,
}

impl FileDiagnostic {
    /// Creates it from what a server said; line and column from 1, the range in bytes of the text.
    pub fn new(found: &Diagnostic, (line, column): (usize, usize), bytes: Range<usize>) -> Self {
        let (severity, message, origin) = (found.severity, found.message.clone(), found.origin());
        Self { line, column, severity, message, origin, bytes, sent: found.sent.clone() }
    }

    /// Creates an error without a range.
    #[cfg(test)]
    pub fn error(line: usize, message: &str) -> Self {
        let (severity, message) = (Severity::Error, message.to_string());
        let origin = "toy E1".to_string();
        Self { line, column: 2, severity, message, origin, bytes: 0..0, sent: Arc::default() }
    }
}

/// What was found in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FoundDiagnostics {
    /// What was found.
    pub all: Vec<FileDiagnostic>,
    /// Whether all servers of the file have looked at it, so that there is nothing else.
    pub is_complete: bool,
}

/// Why diagnostics are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To see what an edit has broken: `None` if the user does not want that.
    Edit,
    /// A question about the file.
    Question,
}

/// A server that knows a file.
#[derive(Clone)]
pub struct OpenServer {
    /// Its name. May contain control characters, as all that configuration says.
    pub name: String,
    /// Its client.
    pub client: Client,
    /// What it is asked for.
    pub features: Features,
}

/// A file that servers know as it is now.
pub struct OpenFile {
    /// Its path, as the servers know it.
    pub path: PathBuf,
    /// Its servers, in the order of the table; at least one.
    pub servers: Vec<OpenServer>,
    /// Keeps the file open at the servers until it is dropped.
    pub guard: Option<Box<dyn Any + Send + Sync>>,
}

/// Why there are no servers for a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoServers {
    /// The user has switched them off.
    #[error("language servers are switched off in the settings")]
    Off,
    /// They would run what the folder contains.
    #[error("language servers are not started because the user has not trusted this folder as it is now")]
    Untrusted,
    /// The file is of no language that the table has servers for.
    #[error("no language server is known for this kind of file")]
    UnknownLanguage,
    /// None of the servers is installed: their names and programs.
    #[error(
        "no language server for this file is installed. The user can install one of these, or set its command in servers.toml: {0}"
    )]
    NotInstalled(String),
    /// None runs: those that were started, with the reason.
    #[error("{0}")]
    NotRunning(String),
    /// The environment does not run programs.
    #[error("language servers cannot be started here: {0}")]
    Environment(String),
    /// The file cannot be read.
    #[error("{0}")]
    File(String),
}

/// A server, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerStatus {
    /// Its name.
    pub name: String,
    /// Its root.
    pub root: PathBuf,
    /// What it does, in a few words.
    pub state: String,
}

/// The language servers of a session.
pub trait LanguageServers: Send + Sync {
    /// Returns what is found in a file as it is now. Waits until its servers have looked at it, at most so long. `None` if no
    /// server that runs serves the file, or none has an answer. Starts no server.
    fn diagnostics(
        &self,
        path: PathBuf,
        wait: Duration,
        purpose: Purpose,
    ) -> BoxFuture<'static, Option<FoundDiagnostics>>;

    /// Opens a file at its servers as it is now. Starts those that do not run, and waits until they answer, at most so long.
    fn open(&self, path: PathBuf, wait: Duration) -> BoxFuture<'static, Result<OpenFile, NoServers>>;

    /// Returns the servers that run.
    fn running(&self) -> BoxFuture<'static, Vec<OpenServer>>;

    /// Returns all servers that were started.
    fn status(&self) -> BoxFuture<'static, Vec<ServerStatus>>;

    /// Starts servers again: those of a name, or all. Returns their names.
    fn restart(&self, name: Option<String>) -> BoxFuture<'static, Vec<String>>;

    /// A tool has changed files on the disk: servers hear of those that they have registered for. Nothing needs to be done
    /// where the servers hear of every change by other means.
    fn files_changed(&self, changes: Vec<(PathBuf, FileChange)>) -> BoxFuture<'static, ()> {
        drop(changes);
        Box::pin(std::future::ready(()))
    }

    /// Ends the servers that were started for the session alone.
    fn end(&self) -> BoxFuture<'static, ()>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_servers_that_are_not_installed_are_named_as_alternatives() {
        let message = NoServers::NotInstalled("one, other".to_string()).to_string();
        assert!(message.contains("one of these") && message.ends_with(": one, other"), "{message}");
    }
}
