//! Applies a plan to the disk: brings the files from one state to another, path by path.
//!
//! Must not know why. A path that changed since the state was taken is not touched, nothing is written
//! through a link, and files are replaced atomically.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use super::error::CheckpointError;
use super::files::{Node, RIGHTS};
use super::index::{Index, Stat};
use super::name::Name;
use super::object::{Kind, Oid};
use super::plan::{Change, Plan};
use super::snapshot;
use super::store::Store;

/// Permissions that an owner needs to change a folder's content.
const OWNER_RIGHTS: u32 = 0o700;

/// Access to files that are open in an editor.
pub trait OpenFileWriter {
    /// Whether a file is open.
    fn is_open(&self, name: &Name) -> bool;
    /// Replaces the content of an open file from `before` by `after`; the error is the reason for a refusal.
    fn write(&mut self, name: &Name, before: Option<&[u8]>, after: Vec<u8>) -> Result<(), String>;
}

/// No files are open.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoOpenFiles;

impl OpenFileWriter for NoOpenFiles {
    fn is_open(&self, _name: &Name) -> bool {
        false
    }

    fn write(&mut self, name: &Name, _before: Option<&[u8]>, _after: Vec<u8>) -> Result<(), String> {
        Err(format!("{name} is not open"))
    }
}

/// The result of applying a plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Number of paths changed as planned.
    pub done: usize,
    /// Paths that were not changed, and why.
    pub failed: Vec<(Name, String)>,
}

/// Applies a plan; `index` holds the known file metadata of the present state.
pub(super) fn apply(
    root: &Path,
    store: &Store,
    index: &Index,
    plan: &Plan,
    held: &mut dyn OpenFileWriter,
) -> Applied {
    let mut work = Applier {
        root,
        store,
        index,
        open_files: held,
        checked_folders: HashSet::new(),
        widened_folders: BTreeMap::new(),
        failed: HashSet::new(),
    };
    let mut applied = Applied::default();
    // First removals, innermost first; then creations, outermost first.
    let goes = plan.changes.iter().rev().filter(|change| is_removed(change));
    for change in goes {
        work.apply_change(change, &mut applied, Applier::remove);
    }
    for change in plan.changes.iter().filter(|change| change.to.is_some()) {
        if !work.failed.contains(&change.name) {
            work.apply_change(change, &mut applied, Applier::make);
        }
    }
    work.restore_rights(&mut applied);
    for change in &plan.changes {
        applied.done += usize::from(!work.failed.contains(&change.name));
    }
    applied
}

/// Whether the existing node must be removed before the new one can be created.
fn is_removed(change: &Change) -> bool {
    match (change.from, change.to) {
        (None, _) | (Some(Node::File { .. }), Some(Node::File { .. })) => false,
        (Some(from), Some(to)) => {
            from.is_folder() != to.is_folder() || matches!(from, Node::Link(_)) || matches!(to, Node::Link(_))
        }
        (Some(_), None) => true,
    }
}

struct Applier<'a> {
    root: &'a Path,
    store: &'a Store,
    index: &'a Index,
    open_files: &'a mut dyn OpenFileWriter,
    /// Paths that were verified as folders, with all their parents.
    checked_folders: HashSet<Name>,
    /// Folders whose permissions were widened, with their final permissions.
    widened_folders: BTreeMap<Name, u32>,
    failed: HashSet<Name>,
}

fn error_text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Reason for a path that changed after the state was taken.
const CHANGED_SINCE: &str = "changed meanwhile";
/// Reason for a path that was recorded as absent but exists: an ignored file, or a new one.
const NOT_RECORDED: &str = "something that was not recorded is there";

impl Applier<'_> {
    fn apply_change(
        &mut self,
        change: &Change,
        applied: &mut Applied,
        apply: impl FnOnce(&mut Self, &Change) -> Result<(), String>,
    ) {
        let done = self.prepare_folders(&change.name).and_then(|()| apply(self, change));
        if let Err(error) = done {
            self.failed.insert(change.name.clone());
            applied.failed.push((change.name.clone(), error));
        }
    }

    fn facts(&self, name: &Name) -> Result<Option<Metadata>, String> {
        match fs::symlink_metadata(name.under(self.root)) {
            Ok(facts) => Ok(Some(facts)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(error) => Err(error_text(error)),
        }
    }

    /// Checks that all parents of a path are folders, and makes them writable.
    fn prepare_folders(&mut self, name: &Name) -> Result<(), String> {
        let mut folders: Vec<Name> =
            name.folders().take_while(|folder| !self.checked_folders.contains(folder)).collect();
        while let Some(folder) = folders.pop() {
            let facts = self.facts(&folder)?.ok_or_else(|| format!("the folder {folder} is gone"))?;
            if !facts.is_dir() {
                return Err(format!("{folder} is no folder any more"));
            }
            let rights = facts.mode() & 0o7777;
            if rights & OWNER_RIGHTS != OWNER_RIGHTS {
                fs::set_permissions(folder.under(self.root), Permissions::from_mode(rights | OWNER_RIGHTS))
                    .map_err(error_text)?;
                self.widened_folders.entry(folder.clone()).or_insert(rights);
            }
            self.checked_folders.insert(folder);
        }
        Ok(())
    }

    /// Whether a path is unchanged since the state was taken.
    fn is_unchanged(&self, name: &Name, node: Option<Node>, facts: Option<&Metadata>) -> bool {
        match (node, facts) {
            (None, None) => true,
            (Some(Node::Folder(_)), Some(facts)) => facts.is_dir(),
            (Some(Node::File { oid, .. }), Some(facts)) if facts.is_file() => {
                self.is_same(name, oid, facts, false)
            }
            (Some(Node::Link(oid)), Some(facts)) if facts.is_symlink() => {
                self.is_same(name, oid, facts, true)
            }
            _ => false,
        }
    }

    /// Whether a file or link is the recorded one: by its timestamps, or by content if those are too recent.
    fn is_same(&self, name: &Name, oid: Oid, facts: &Metadata, is_link: bool) -> bool {
        // An open file is compared by its editor, including unsaved text.
        let held = !is_link && self.open_files.is_open(name);
        self.index.is_as_recorded(name, &Stat::of(facts)).unwrap_or_else(|| {
            let content = || snapshot::content(&name.under(self.root), is_link, u64::MAX - 1);
            held || content().is_ok_and(|read| read.is_some_and(|bytes| Oid::of(Kind::Blob, &bytes) == oid))
        })
    }

    fn check(&self, change: &Change) -> Result<Option<Metadata>, String> {
        let facts = self.facts(&change.name)?;
        if self.is_unchanged(&change.name, change.from, facts.as_ref()) {
            Ok(facts)
        } else if change.from.is_none() {
            Err(NOT_RECORDED.to_string())
        } else {
            Err(CHANGED_SINCE.to_string())
        }
    }

    fn remove(&mut self, change: &Change) -> Result<(), String> {
        let path = change.name.under(self.root);
        if self.check(change)?.is_some_and(|facts| facts.is_dir()) {
            self.checked_folders.remove(&change.name);
            self.widened_folders.remove(&change.name);
            return match fs::remove_dir(path) {
                // The folder holds files that are not recorded: it is kept.
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && change.to.is_none() => {
                    Ok(())
                }
                other => other.map_err(error_text),
            };
        }
        fs::remove_file(path).map_err(error_text)
    }

    fn make(&mut self, change: &Change) -> Result<(), String> {
        let path = change.name.under(self.root);
        // The old node has been removed.
        let facts = if is_removed(change) { None } else { self.check(change)? };
        match change.to {
            Some(Node::File { rights, oid }) => self.file(change, &path, (rights, oid), facts.is_some()),
            Some(Node::Link(oid)) => {
                let target = self.store.blob(oid).map_err(error_text)?;
                symlink(std::ffi::OsString::from_vec(target), path).map_err(error_text)
            }
            Some(Node::Folder(rights)) => {
                if facts.is_none() {
                    DirBuilder::new()
                        .mode(OWNER_RIGHTS | u32::from(rights))
                        .create(&path)
                        .map_err(error_text)?;
                }
                let rest = fs::symlink_metadata(&path).map_err(error_text)?.mode() & 0o7000;
                self.widened_folders.insert(change.name.clone(), rest | u32::from(rights));
                Ok(())
            }
            Some(Node::Unrecorded) | None => Ok(()),
        }
    }

    fn file(
        &mut self,
        change: &Change,
        path: &Path,
        (rights, oid): (u16, Oid),
        is_there: bool,
    ) -> Result<(), String> {
        let before = change.from.and_then(Node::oid).filter(|_| is_there);
        if before != Some(oid) {
            let content = self.store.blob(oid).map_err(error_text)?;
            if self.open_files.is_open(&change.name) {
                let before = before.map(|oid| self.store.blob(oid)).transpose().map_err(error_text)?;
                self.open_files.write(&change.name, before.as_deref(), content)?;
            } else {
                return write(path, &content, rights, is_there).map_err(error_text);
            }
        }
        let is = fs::symlink_metadata(path).map_err(error_text)?.mode();
        if is & RIGHTS != u32::from(rights) {
            fs::set_permissions(path, Permissions::from_mode(is & 0o7000 | u32::from(rights)))
                .map_err(error_text)?;
        }
        Ok(())
    }

    /// Sets the final permissions of folders, innermost first.
    fn restore_rights(&mut self, applied: &mut Applied) {
        while let Some((name, rights)) = self.widened_folders.pop_last() {
            let path = name.under(self.root);
            let set = fs::symlink_metadata(&path).and_then(|facts| {
                let other = facts.is_dir() && facts.mode() & 0o7777 != rights;
                if other { fs::set_permissions(&path, Permissions::from_mode(rights)) } else { Ok(()) }
            });
            if let Err(error) = set
                && error.kind() != io::ErrorKind::NotFound
            {
                self.failed.insert(name.clone());
                applied.failed.push((name, error_text(error)));
            }
        }
    }
}

/// Writes a file atomically. Its content is in the store, so it need not be synced to disk here.
fn write(path: &Path, content: &[u8], rights: u16, is_there: bool) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut new = tempfile::Builder::new().prefix(".bowline-").tempfile_in(folder)?;
    new.write_all(content)?;
    new.as_file().set_permissions(Permissions::from_mode(rights.into()))?;
    if is_there { new.persist(path) } else { new.persist_noclobber(path) }.map_err(|failed| failed.error)?;
    Ok(())
}

/// Returns the target of a recorded link, for display.
pub fn link_target(store: &Store, oid: Oid) -> Result<String, CheckpointError> {
    let bytes = store.blob(oid)?;
    Ok(Path::new(std::ffi::OsStr::from_bytes(&bytes)).display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::checkpoint::pack::Packer;

    #[test]
    fn restore_apply_reads_files_with_unsettled_times() {
        let folder = tempfile::tempdir().unwrap();
        let (root, name) = (folder.path().join("work"), Name::from_bytes(b"f").unwrap());
        fs::create_dir(&root).unwrap();
        let store = Store::open(&folder.path().join("store")).unwrap();
        let batch = store.batch();
        let [one, two] =
            [b"one", b"two"].map(|text| batch.put(&mut Packer::default(), Kind::Blob, text).unwrap());
        batch.finish().unwrap();
        let node = |oid| Some(Node::File { rights: 0o644, oid });
        let change = Change { name: name.clone(), from: node(two), to: node(one) };
        let plan = Plan { changes: vec![change], ..Plan::default() };
        let go = |text: &str| {
            fs::write(root.join("f"), text).unwrap();
            let stat = Stat::of(&fs::symlink_metadata(root.join("f")).unwrap());
            let mut index = Index::default();
            // Looked at in the moment in which it was written: the dates of a change since may be the same.
            index.put(name.clone(), stat, two, 0);
            let applied = apply(&root, &store, &index, &plan, &mut NoOpenFiles);
            (applied.done, fs::read_to_string(root.join("f")).unwrap())
        };
        assert_eq!(go("tri"), (0, "tri".to_string()), "written since");
        assert_eq!(go("two"), (1, "one".to_string()));
    }
}
