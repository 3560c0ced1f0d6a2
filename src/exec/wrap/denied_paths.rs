//! Hides denied files and folders of an environment: they are not listed, found, searched or read.
//!
//! Must not know who denies them. Paths are checked by their own names and resolved. Commands are not
//! restricted: that takes a sandbox.

use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::layer::{Layer, Operation};
use crate::base::paths;
use crate::exec::environment::Environment;
use crate::exec::error::EnvError;
use crate::exec::file_info::{DirEntry, FileId, FileKind};
use crate::exec::search::deny_list::DenyList;
use crate::exec::search::spec::{Omitted, SearchStats, Selection};

/// Patterns of denied paths, as in [`Selection::denied`].
#[derive(Debug)]
pub struct DeniedPaths {
    patterns: Vec<String>,
    deny_list: Option<DenyList>,
    ids: Vec<FileId>,
    count: OmittedCount,
}

/// Counter of hidden paths. All clones share it.
#[derive(Debug, Clone, Default)]
pub struct OmittedCount(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    listed: Omitted,
    searched: Omitted,
}

impl OmittedCount {
    /// Returns the total; a path that was both listed and searched counts once.
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
    /// Fails on an invalid pattern.
    pub fn new(patterns: Vec<String>) -> Result<Self, EnvError> {
        Ok(Self {
            deny_list: DenyList::new(&patterns)?,
            patterns,
            ids: Vec::new(),
            count: OmittedCount::default(),
        })
    }

    /// Also hides these files in searches, whatever their names.
    #[must_use]
    pub fn with_ids(self, ids: Vec<FileId>) -> Self {
        Self { ids, ..self }
    }

    /// Returns the counter.
    #[doc(hidden)]
    pub fn count(&self) -> OmittedCount {
        self.count.clone()
    }

    /// Whether a path is denied, by its name or resolved. A path that cannot be resolved has only its name.
    async fn is_denied(&self, inner: &dyn Environment, path: &Path, folder: bool) -> bool {
        let Some(deny_list) = &self.deny_list else { return false };
        deny_list.contains(path, folder)
            || inner.resolve(path).await.is_ok_and(|real| deny_list.contains(&real, folder))
    }
}

/// Files and folders of a folder that is moved which are checked; with more it is not moved.
const MOVED_MAX: usize = 10_000;

impl DeniedPaths {
    /// Fails if anything that would be moved is denied, where it is or where it would be: under another name it could be
    /// read.
    async fn check_move(&self, inner: &dyn Environment, from: &Path, to: &Path) -> Result<(), EnvError> {
        if self.deny_list.is_none() {
            return Ok(());
        }
        let is_folder = inner.stat(from).await.is_ok_and(|stat| stat.kind == FileKind::Folder);
        let mut open = vec![(from.to_path_buf(), is_folder)];
        let mut count = 0;
        while let Some((path, is_folder)) = open.pop() {
            let there = paths::moved(&path, from, to).unwrap_or_else(|| to.to_path_buf());
            for path in [&path, &there] {
                if self.is_denied(inner, path, is_folder).await {
                    return Err(EnvError::Refused(format!("{}: rules forbid it", path.display())));
                }
            }
            count += 1;
            if count > MOVED_MAX {
                let reason = format!("{}: has more than {MOVED_MAX} files to check", from.display());
                return Err(EnvError::Refused(reason));
            }
            if is_folder {
                let real = inner.resolve(&path).await?;
                for entry in inner.list(&path).await? {
                    let below = entry.path_in(&path);
                    // What a link leads to stays where it is.
                    let is_link = inner.resolve(&below).await? != entry.path_in(&real);
                    open.push((below, entry.kind == FileKind::Folder && !is_link));
                }
            }
        }
        Ok(())
    }
}

impl Layer for DeniedPaths {
    fn admit<'a>(
        &'a self,
        inner: &'a dyn Environment,
        operation: Operation<'a>,
    ) -> BoxFuture<'a, Result<(), EnvError>> {
        Box::pin(async move {
            if let Operation::Rename(from, to) = operation {
                return self.check_move(inner, from, to).await;
            }
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
