//! File selection: whether a path below a root is selected.
//!
//! Must not know ignore files, nor the file system.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use super::deny_list::DenyList;
use super::spec::Selection;
use crate::exec::error::EnvError;

/// A compiled selection.
#[derive(Debug)]
pub(super) struct Selector {
    globs: Override,
    types: Option<Types>,
    hidden: bool,
    /// Denied paths.
    pub(super) deny_list: Option<DenyList>,
}

impl Selector {
    /// Fails on an invalid pattern.
    pub(super) fn new(root: &Path, files: &Selection) -> Result<Self, EnvError> {
        let bad = |error: ignore::Error| EnvError::Pattern(error.to_string());
        let mut globs = OverrideBuilder::new(root);
        globs.case_insensitive(files.ignore_case).map_err(bad)?;
        for glob in &files.globs {
            let plain = glob.strip_prefix("./").unwrap_or(glob);
            // In a rule file this would be a remark.
            let comment = if plain.starts_with('#') { "\\" } else { "" };
            globs.add(&format!("{comment}{plain}")).map_err(bad)?;
        }
        let types = files.file_type.as_ref().map(|name| {
            let mut types = TypesBuilder::new();
            types.add_defaults();
            types.select(name);
            types.build().map_err(bad)
        });
        let deny_list = DenyList::new(&files.denied)?;
        Ok(Self {
            globs: globs.build().map_err(bad)?,
            types: types.transpose()?,
            hidden: files.hidden,
            deny_list,
        })
    }

    /// Whether a folder is entered.
    pub(super) fn enters(&self, name: &str, path: &Path) -> bool {
        name != ".git"
            && (self.hidden || !name.starts_with('.'))
            && !self.globs.matched(path, true).is_ignore()
    }

    /// Whether a file is selected.
    pub(super) fn takes_file(&self, name: &str, path: &Path) -> bool {
        // A linked work tree has a file with this name.
        name != ".git"
            && (self.hidden || !name.starts_with('.'))
            && !self.globs.matched(path, false).is_ignore()
            && self.types.as_ref().is_none_or(|types| types.matched(path, false).is_whitelist())
    }

    /// Whether a folder that is entered is also a result.
    pub(super) fn gives_folder(&self, path: &Path) -> bool {
        self.types.is_none() && (self.globs.is_empty() || self.globs.matched(path, true).is_whitelist())
    }
}
