//! Read-only layer.
//!
//! Must not know what commands do: its creator supplies a judge.

use std::fmt;
use std::path::Path;

use futures::future::BoxFuture;

use super::layer::{Layer, Operation};
use crate::exec::environment::Environment;
use crate::exec::error::EnvError;

/// Returns whether a command is read-only.
pub type CommandPredicate = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Refuses every change, and every command that its judge does not accept.
pub struct ReadOnly {
    judge: CommandPredicate,
}

impl ReadOnly {
    /// Creates the layer with a judge of commands; `|_| false` refuses all.
    pub fn new(judge: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self { judge: Box::new(judge) }
    }
}

impl fmt::Debug for ReadOnly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadOnly").finish_non_exhaustive()
    }
}

impl Layer for ReadOnly {
    fn admit<'a>(
        &'a self,
        _inner: &'a dyn Environment,
        operation: Operation<'a>,
    ) -> BoxFuture<'a, Result<(), EnvError>> {
        let refused = match operation {
            Operation::Write(path) => {
                Some(format!("{}: not written, nothing may be changed here", path.display()))
            }
            Operation::Remove(path) => {
                Some(format!("{}: not removed, nothing may be changed here", path.display()))
            }
            Operation::Rename(path, _) => {
                Some(format!("{}: not moved, nothing may be changed here", path.display()))
            }
            Operation::Run(script, _) if !(self.judge)(script) => {
                Some("the command was not run: only commands that look may run here".to_string())
            }
            _ => None,
        };
        Box::pin(std::future::ready(refused.map_or(Ok(()), |reason| Err(EnvError::Refused(reason)))))
    }

    fn admit_terminal(&self, _folder: &Path) -> Result<(), EnvError> {
        Err(EnvError::Refused("no shell is started: nothing may be changed here".to_string()))
    }
}
