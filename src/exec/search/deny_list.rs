//! Denied paths of an environment, by patterns over whole paths.
//!
//! Must not know who denies it, nor the file system: where links lead is asked by the walk.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::exec::error::EnvError;

/// Patterns, prepared.
#[derive(Debug)]
pub(in crate::exec) struct DenyList(Gitignore);

impl DenyList {
    /// `None` where there is no pattern. Says in the error what is wrong with one.
    pub(in crate::exec) fn new(patterns: &[String]) -> Result<Option<Self>, EnvError> {
        if patterns.is_empty() {
            return Ok(None);
        }
        let bad = |error: ignore::Error| EnvError::Pattern(error.to_string());
        let mut builder = GitignoreBuilder::new("/");
        for pattern in patterns {
            builder.add_line(None, pattern).map_err(bad)?;
        }
        builder.build().map(Self).map(Some).map_err(bad)
    }

    /// Whether an absolute path is denied, or a folder that it is in.
    pub(in crate::exec) fn contains(&self, path: &Path, folder: bool) -> bool {
        path.is_absolute() && self.0.matched_path_or_any_parents(path, folder).is_ignore()
    }
}
