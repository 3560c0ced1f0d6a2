//! Denied paths of an environment, as patterns over whole paths.
//!
//! Must not know who denies them, nor the file system: the walker resolves links.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::exec::error::EnvError;

/// Compiled patterns.
#[derive(Debug)]
pub(in crate::exec) struct DenyList(Gitignore);

impl DenyList {
    /// Returns `None` without patterns. Fails on an invalid one.
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

    /// Whether an absolute path is denied, or one of its folders.
    pub(in crate::exec) fn contains(&self, path: &Path, folder: bool) -> bool {
        path.is_absolute() && self.0.matched_path_or_any_parents(path, folder).is_ignore()
    }
}
