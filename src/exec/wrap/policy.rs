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

/// How a path is accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    /// Its name is removed or given.
    Name,
}

impl Policy {
    /// Fails unless a path may be accessed in this way, with its links resolved.
    async fn check(&self, inner: &dyn Environment, path: &Path, access: Access) -> Result<(), EnvError> {
        let real = inner.resolve(path).await?;
        // Removing or moving a link concerns the name, not its target.
        let named = match (access, path.parent(), path.file_name()) {
            (Access::Name, Some(parent), Some(name)) => inner.resolve(parent).await?.join(name),
            _ => real.clone(),
        };
        let writes = access != Access::Read;
        let allowed = |path: &Path| below(&self.write, path) || !writes && below(&self.read, path);
        if allowed(&real) && allowed(&named) {
            return Ok(());
        }
        Err(Self::refused(path, if writes { "writing" } else { "reading" }))
    }

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
            match operation {
                // What is moved is written at both paths.
                Operation::Rename(from, to) => {
                    self.check(inner, from, Access::Name).await?;
                    self.check(inner, to, Access::Name).await
                }
                Operation::Remove(path) => self.check(inner, path, Access::Name).await,
                Operation::Write(path) => self.check(inner, path, Access::Write).await,
                _ => self.check(inner, operation.path(), Access::Read).await,
            }
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
