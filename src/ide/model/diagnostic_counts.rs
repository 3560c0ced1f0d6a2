//! How many errors and warnings each file of the project has, and each folder of it with all that is below. Kept up to date
//! with every change, so that a row of the file tree looks up only its own. Must not know servers nor what they found.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::ide::model::diagnostics::Counts;

/// Those of a server, of files and of folders. By their bytes: a path compares and hashes its parts, which takes five times
/// as long, and a server may report ten thousand files at once.
pub type OfServer = FxHashMap<OsString, Counts>;

/// The counts of all servers.
#[derive(Debug, Default)]
pub struct DiagnosticCounts {
    servers: FxHashMap<u32, OfServer>,
}

/// What has changed in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// What counted before.
    pub before: Counts,
    /// What counts now.
    pub after: Counts,
}

impl DiagnosticCounts {
    /// Returns those of a file, or of all files below a folder.
    pub fn of(&self, path: &Path) -> Counts {
        // Without a slash at its end.
        let path = path.components().as_path();
        let found = self.servers.values().filter_map(|server| server.get(path.as_os_str()));
        found.fold(Counts::default(), |sum, counts| sum.with(*counts))
    }

    /// Counts what has changed for a server in files below a folder; returns whether anything has. Changes of one folder that
    /// follow each other count together for the folders around it.
    pub fn change(&mut self, server: u32, root: &Path, changes: Vec<Change>) -> bool {
        let known = self.servers.entry(server).or_default();
        let mut of_folder: Option<Change> = None;
        let mut has_changed = false;
        for change in changes.into_iter().filter(|change| change.before != change.after) {
            has_changed = true;
            let folder = change.path.parent().unwrap_or(root);
            match &mut of_folder {
                Some(pending) if pending.path.as_os_str() == folder.as_os_str() => {
                    pending.before = pending.before.with(change.before);
                    pending.after = pending.after.with(change.after);
                }
                pending => {
                    let new = Change { path: folder.to_path_buf(), ..change };
                    if let Some(complete) = pending.replace(new) {
                        add_to_folders(known, root, &complete);
                    }
                }
            }
            add(known, &change.path, change.before, change.after);
        }
        if let Some(complete) = of_folder {
            add_to_folders(known, root, &complete);
        }
        if known.is_empty() {
            self.servers.remove(&server);
        }
        has_changed
    }

    /// Takes out all of a server.
    pub fn take(&mut self, server: u32) -> Option<OfServer> {
        self.servers.remove(&server)
    }
}

/// Counts a change of files in a folder for it and the folders around it, up to the root.
fn add_to_folders(known: &mut OfServer, root: &Path, change: &Change) {
    for folder in change.path.ancestors() {
        add(known, folder, change.before, change.after);
        if folder.as_os_str() == root.as_os_str() {
            return;
        }
    }
}

fn add(known: &mut OfServer, path: &Path, before: Counts, after: Counts) {
    let Some(counts) = known.get_mut(path.as_os_str()) else {
        if after != Counts::default() {
            known.insert(path.as_os_str().to_os_string(), after);
        }
        return;
    };
    *counts = counts.with(after).without(before);
    if *counts == Counts::default() {
        known.remove(path.as_os_str());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(errors: usize, warnings: usize) -> Counts {
        Counts { errors, warnings, others: 0 }
    }

    fn change(path: &str, before: Counts, after: Counts) -> Change {
        Change { path: PathBuf::from(path), before, after }
    }

    fn of(all: &DiagnosticCounts, path: &str) -> (usize, usize) {
        let Counts { errors, warnings, .. } = all.of(Path::new(path));
        (errors, warnings)
    }

    #[test]
    fn diagnostic_counts_of_folders_are_the_sums_of_their_files_of_all_servers() {
        let (mut all, root, none) = (DiagnosticCounts::default(), Path::new("/w"), counts(0, 0));
        let first = vec![
            change("/w/src/a", none, counts(2, 1)),
            change("/w/src/b", none, counts(0, 3)),
            change("/w/src/in/c", none, counts(1, 0)),
            change("/w/src/d", none, none),
            change("/w/e", none, counts(1, 0)),
        ];
        assert!(all.change(1, root, first));
        assert!(all.change(2, root, vec![change("/w/src/a", none, counts(1, 0))]));
        assert!(!all.change(3, root, vec![change("/w/src/a", none, none)]));
        assert_eq!(
            [of(&all, "/w/src/a"), of(&all, "/w/src/b"), of(&all, "/w/src/d")],
            [(3, 1), (0, 3), (0, 0)]
        );
        assert_eq!([of(&all, "/w/src/in"), of(&all, "/w/src"), of(&all, "/w")], [(1, 0), (4, 4), (5, 4)]);
        assert_eq!(
            [of(&all, "/"), of(&all, "/w/sr")],
            [(0, 0); 2],
            "the root is the last, and no part of a name"
        );
        assert_eq!(of(&all, "/w/src/"), (4, 4), "with a slash at its end");
        all.change(1, root, vec![change("/w/src/a", counts(2, 1), counts(0, 1))]);
        assert_eq!([of(&all, "/w/src/a"), of(&all, "/w/src"), of(&all, "/w")], [(1, 1), (2, 4), (3, 4)]);
        drop(all.take(1));
        assert_eq!([of(&all, "/w/src/a"), of(&all, "/w/src"), of(&all, "/w")], [(1, 0); 3]);
        all.change(2, root, vec![change("/w/src/a", counts(1, 0), none)]);
        assert!(all.servers.is_empty(), "nothing is kept of what has none: {all:?}");
    }
}
