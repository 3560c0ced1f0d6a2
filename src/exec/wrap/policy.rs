//! Policy layer: restricts access to some folders, and the variables that commands get.
//!
//! Must not know who made the policy. Paths are checked resolved. File access by commands is not restricted:
//! that takes a sandbox. Which of its own variables an environment passes to commands is its own setting
//! (`LocalEnvironment::inheriting`).

use std::path::{Path, PathBuf};

use futures::future::BoxFuture;

use super::layer::{Layer, Operation};
use crate::exec::commands::variables::Inherit;
use crate::exec::environment::{CommandSpec, Environment};
use crate::exec::error::EnvError;

/// The policy.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Folders in which can be read; links followed, absolute.
    pub read: Vec<PathBuf>,
    /// Folders in which can be read and written.
    pub write: Vec<PathBuf>,
    /// Which of a command's given variables are passed on.
    pub variables: Inherit,
}

impl Policy {
    fn refused(path: &Path, what: &str) -> EnvError {
        EnvError::Refused(format!("{}: {what} here is not allowed", path.display()))
    }
}

fn below(folders: &[PathBuf], path: &Path) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

impl Layer for Policy {
    fn admit<'a>(
        &'a self,
        inner: &'a dyn Environment,
        operation: Operation<'a>,
    ) -> BoxFuture<'a, Result<(), EnvError>> {
        Box::pin(async move {
            // Resolving a path reveals no content, and policy checks need it.
            if let Operation::Resolve(_) = operation {
                return Ok(());
            }
            let real = inner.resolve(operation.path()).await?;
            // Removing a link removes the name, not its target.
            let named = match (operation, operation.path().parent(), operation.path().file_name()) {
                (Operation::Remove(_), Some(parent), Some(name)) => inner.resolve(parent).await?.join(name),
                _ => real.clone(),
            };
            let writes = matches!(operation, Operation::Write(_) | Operation::Remove(_));
            let allowed = |path: &Path| below(&self.write, path) || !writes && below(&self.read, path);
            if allowed(&real) && allowed(&named) {
                return Ok(());
            }
            Err(Self::refused(operation.path(), if writes { "writing" } else { "reading" }))
        })
    }

    fn admit_terminal(&self, folder: &Path) -> Result<(), EnvError> {
        // The path cannot be resolved here, and a shell can go anywhere.
        Err(Self::refused(folder, "a shell"))
    }

    fn command(&self, mut command: CommandSpec) -> CommandSpec {
        command.env.retain(|name, _| self.variables.includes(name.as_ref()));
        command
    }

    fn sees_each_file(&self) -> bool {
        true
    }
}
