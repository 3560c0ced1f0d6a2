//! What a server hears of files that are created, renamed or deleted, and what it changes elsewhere because of it. Must not
//! know who does it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::edits::ServerEdit;
use super::{Client, QuestionError};
use crate::base::json::json;
use crate::lsp::capabilities::watched_files::{self, FileChange};
use crate::lsp::uri;
use crate::lsp::wire::connection::RequestError;

/// What happens to files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOperation {
    /// They are created.
    Create,
    /// They get other paths.
    Rename,
    /// They are deleted.
    Delete,
}

impl FileOperation {
    /// Its name in the protocol, without what comes before and after it.
    fn name(self) -> &'static str {
        match self {
            Self::Create => "Create",
            Self::Rename => "Rename",
            Self::Delete => "Delete",
        }
    }

    /// The method by which servers are asked before it.
    pub fn before(self) -> &'static str {
        match self {
            Self::Create => "workspace/willCreateFiles",
            Self::Rename => "workspace/willRenameFiles",
            Self::Delete => "workspace/willDeleteFiles",
        }
    }

    /// The method by which they hear that it is done.
    pub fn after(self) -> &'static str {
        match self {
            Self::Create => "workspace/didCreateFiles",
            Self::Rename => "workspace/didRenameFiles",
            Self::Delete => "workspace/didDeleteFiles",
        }
    }
}

/// A file or folder to which something happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatedFile {
    /// Its path before, absolute.
    pub path: PathBuf,
    /// Its path afterwards, of one that is renamed.
    pub to: Option<PathBuf>,
    /// Whether it is a folder.
    pub is_folder: bool,
}

impl Client {
    /// Asks what changes because something is about to happen to files; `None` if nothing does, or the server does not want to
    /// hear of any of them.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn before_operation(
        &self,
        operation: FileOperation,
        files: &[OperatedFile],
    ) -> Result<Option<ServerEdit>, QuestionError> {
        let name = format!("will{}", operation.name());
        let Some(params) = self.operation_params(&name, files) else { return Ok(None) };
        let versions = self.versions();
        let answer = self.request(operation.before(), params).await?;
        Ok(self.server_edit(answer, &versions)?)
    }

    /// Something has happened to files.
    ///
    /// # Errors
    ///
    /// The end of the connection.
    pub fn after_operation(
        &self,
        operation: FileOperation,
        files: &[OperatedFile],
    ) -> Result<(), RequestError> {
        match self.operation_params(&format!("did{}", operation.name()), files) {
            Some(params) => self.connection.notify(operation.after(), params),
            None => Ok(()),
        }
    }

    /// Files have changed on the disk. The server hears of those that it has registered for.
    ///
    /// # Errors
    ///
    /// The end of the connection.
    pub fn files_changed(&self, changes: &[(PathBuf, FileChange)]) -> Result<(), RequestError> {
        let watchers = self.shared.lock().capabilities.watchers();
        let wanted = changes.iter().filter(|(path, change)| watchers.want(path, &self.options.root, *change));
        let event = |(path, change): &(PathBuf, FileChange)| {
            Some(json!({ "uri": uri::of_path(path)?, "type": change.number() }))
        };
        let events: Vec<Value> = wanted.filter_map(event).collect();
        if events.is_empty() {
            return Ok(());
        }
        self.connection.notify(watched_files::METHOD, json!({ "changes": events }))
    }

    /// Returns what the server hears of files; `None` if it wants to hear of none of them.
    fn operation_params(&self, operation: &str, files: &[OperatedFile]) -> Option<Value> {
        let shared = self.shared.lock();
        let wants = |file: &&OperatedFile| {
            shared.capabilities.wants_file_operation(operation, &file.path, file.is_folder)
        };
        let entry = |file: &OperatedFile| {
            let address = |path: &Path| uri::of_path(path);
            Some(match &file.to {
                None => json!({ "uri": address(&file.path)? }),
                Some(to) => json!({ "oldUri": address(&file.path)?, "newUri": address(to)? }),
            })
        };
        let files: Vec<Value> = files.iter().filter(wants).filter_map(entry).collect();
        (!files.is_empty()).then(|| json!({ "files": files }))
    }
}
