//! An environment of which some files and folders cannot be seen: nothing lists or finds them, no search looks into
//! them, and they cannot be read.
//!
//! Must not know who denies them. Paths count by their own names and by where they lead. What commands see is not
//! held back by this: that takes a sandbox.

use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::layer::{Layer, Operation};
use crate::exec::environment::Environment;
use crate::exec::error::EnvError;
use crate::exec::file_info::{DirEntry, FileId, FileKind};
use crate::exec::search::deny_list::DenyList;
use crate::exec::search::spec::{Omitted, SearchStats, Selection};

/// Patterns of what is denied, as in [`Selection::denied`].
#[derive(Debug)]
pub struct DeniedPaths {
    patterns: Vec<String>,
    deny_list: Option<DenyList>,
    ids: Vec<FileId>,
    count: OmittedCount,
}

/// How much was left out so far. All clones are one.
#[derive(Debug, Clone, Default)]
pub struct OmittedCount(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    listed: Omitted,
    searched: Omitted,
}

impl OmittedCount {
    /// The sum; what was both listed and searched, once.
    pub fn get(&self) -> Omitted {
        let counts = self.0.lock();
        Omitted {
            files: counts.listed.files.max(counts.searched.files),
            folders: counts.listed.folders.max(counts.searched.folders),
        }
    }

    fn note(&self, note: impl FnOnce(&mut Counts)) {
        note(&mut self.0.lock());
    }
}

impl DeniedPaths {
    /// Says in the error what is wrong with a pattern.
    pub fn new(patterns: Vec<String>) -> Result<Self, EnvError> {
        Ok(Self {
            deny_list: DenyList::new(&patterns)?,
            patterns,
            ids: Vec::new(),
            count: OmittedCount::default(),
        })
    }

    /// Searches leave these files out, too, whatever their names are.
    #[must_use]
    pub fn with_ids(self, ids: Vec<FileId>) -> Self {
        Self { ids, ..self }
    }

    /// How much is left out.
    #[doc(hidden)]
    pub fn count(&self) -> OmittedCount {
        self.count.clone()
    }

    /// Whether it is denied, by its name or by where it leads. What leads nowhere has only a name.
    async fn is_denied(&self, inner: &dyn Environment, path: &Path, folder: bool) -> bool {
        let Some(deny_list) = &self.deny_list else { return false };
        deny_list.contains(path, folder)
            || inner.resolve(path).await.is_ok_and(|real| deny_list.contains(&real, folder))
    }
}

impl Layer for DeniedPaths {
    fn admit<'a>(
        &'a self,
        inner: &'a dyn Environment,
        operation: Operation<'a>,
    ) -> BoxFuture<'a, Result<(), EnvError>> {
        Box::pin(async move {
            let folder = matches!(operation, Operation::List(_));
            let touches = folder
                || matches!(operation, Operation::Read(_) | Operation::Write(_) | Operation::Remove(_));
            if touches && self.is_denied(inner, operation.path(), folder).await {
                let path = operation.path().display();
                return Err(EnvError::Refused(format!("{path}: rules forbid it")));
            }
            Ok(())
        })
    }

    fn selection(&self, mut files: Selection) -> Selection {
        files.denied.extend(self.patterns.iter().cloned());
        files.denied_ids.extend(&self.ids);
        files
    }

    fn on_search_done(&self, done: &SearchStats) {
        self.count.note(|counts| counts.searched.add(done.denied));
    }

    fn filter_entries<'a>(
        &'a self,
        inner: &'a dyn Environment,
        folder: &'a Path,
        entries: Vec<DirEntry>,
    ) -> BoxFuture<'a, Result<Vec<DirEntry>, EnvError>> {
        Box::pin(async move {
            let mut kept = Vec::with_capacity(entries.len());
            for entry in entries {
                let is_folder = entry.kind == FileKind::Folder;
                if self.is_denied(inner, &entry.path_in(folder), is_folder).await {
                    self.count.note(|counts| counts.listed.note(is_folder));
                } else {
                    kept.push(entry);
                }
            }
            Ok(kept)
        })
    }
}
