//! An environment of which only some folders can be reached, and whose commands get only some of the variables
//! that they are given.
//!
//! Must not know who made the policy. Paths are judged by where they really lead. What commands reach by
//! themselves is not held back by this: that takes a sandbox. Which variables of its own an environment hands to
//! commands is the environment's to say (`LocalEnvironment::inheriting`).

use std::path::{Path, PathBuf};

use futures::future::BoxFuture;

use super::layer::{Layer, Operation};
use crate::exec::commands::variables::Inherit;
use crate::exec::environment::{CommandSpec, Environment};
use crate::exec::error::EnvError;

/// What can be reached.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// Folders in which can be read; links followed, absolute.
    pub read: Vec<PathBuf>,
    /// Folders in which can be read and written.
    pub write: Vec<PathBuf>,
    /// Which of the variables that a command is given reach it.
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
            // Where a path leads says nothing of what is there; and who judges paths must know it.
            if let Operation::Resolve(_) = operation {
                return Ok(());
            }
            let real = inner.resolve(operation.path()).await?;
            // Of a link that is removed the name goes, not what it leads to.
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
        // Where its path leads cannot be asked here; a shell goes where it likes anyway.
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
