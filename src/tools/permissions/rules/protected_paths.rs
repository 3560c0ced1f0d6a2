//! Path rules as barriers against reading file content through commands and links.
//!
//! Must not know the verdict.

use std::path::Path;

use ignore::gitignore::Gitignore;

/// A rule that protects the content of some files.
#[derive(Debug, Clone)]
pub struct ProtectedPaths {
    /// A description of the rule.
    pub rule: String,
    paths: Gitignore,
}

impl ProtectedPaths {
    pub(super) fn new(rule: String, paths: Gitignore) -> Self {
        Self { rule, paths }
    }

    /// Whether it covers an absolute path, or one of its folders.
    pub fn contains(&self, path: &Path) -> bool {
        path.is_absolute() && self.paths.matched_path_or_any_parents(path, false).is_ignore()
    }
}
