//! Rules by paths, as they stand before what commands and links would tell of files.
//!
//! Must not know what is decided.

use std::path::Path;

use ignore::gitignore::Gitignore;

/// A rule by which what is in some files is not to be given unasked.
#[derive(Debug, Clone)]
pub struct Barrier {
    /// The rule in words.
    pub rule: String,
    paths: Gitignore,
}

impl Barrier {
    pub(super) fn new(rule: String, paths: Gitignore) -> Self {
        Self { rule, paths }
    }

    /// Whether an absolute path, or a folder that it is in, is behind it.
    pub fn has(&self, path: &Path) -> bool {
        path.is_absolute() && self.paths.matched_path_or_any_parents(path, false).is_ignore()
    }
}
