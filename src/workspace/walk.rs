//! Walks all files of a workspace under its ignore rules, in batches while they are found.
//!
//! Must not know the caller. Blocking: call it on a blocking thread.

use crate::base::names;
use std::path::Path;

use ignore::{DirEntry, Walk, WalkBuilder};
use tokio_util::sync::CancellationToken;

/// Size of the first batch: one screen, for a quick first display.
const BATCH_FIRST: usize = 64;
/// Maximum batch size, so that a million files are not a million messages.
const BATCH_MAX: usize = 4096;

/// The summary of a walk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WalkSummary {
    /// Number of files reported.
    pub files: usize,
    /// Number of folders that could not be read and files whose names are not UTF-8.
    pub skipped: usize,
    /// Whether it was cancelled.
    pub cancelled: bool,
}

/// Which files are meant: those below a folder which no ignore rule excludes, or all.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The folder.
    pub root: &'a Path,
    /// Whether ignored files are included.
    pub with_ignored: bool,
}

impl<'a> From<&'a Path> for Scope<'a> {
    fn from(root: &'a Path) -> Self {
        Self { root, with_ignored: false }
    }
}

impl Scope<'_> {
    /// Returns the same folder with or without ignored files.
    #[must_use]
    pub fn with_ignored(self, with_ignored: bool) -> Self {
        Self { with_ignored, ..self }
    }

    /// Returns the walker over the files in the order of their folders and names.
    pub(super) fn sorted(self) -> Walk {
        let mut builder = builder(self.root);
        if self.with_ignored {
            builder.standard_filters(false);
        }
        builder.sort_by_file_name(Ord::cmp).build()
    }
}

/// Reports the paths of all files of a scope, relative to its folder, sorted by folder and name. Ignore files apply
/// with and without a repository; hidden files are included, `.git` never is; links to folders are not
/// followed.
pub fn walk<'a>(
    scope: impl Into<Scope<'a>>,
    cancel: &CancellationToken,
    mut sink: impl FnMut(Vec<String>),
) -> WalkSummary {
    let scope = scope.into();
    let mut walked = WalkSummary::default();
    let mut batch = Vec::with_capacity(BATCH_FIRST);
    let mut size = BATCH_FIRST;
    for entry in scope.sorted() {
        if cancel.is_cancelled() {
            walked.cancelled = true;
            return walked;
        }
        match entry {
            Err(error) => {
                tracing::debug!(%error, "skipped in the walk");
                walked.skipped += 1;
            }
            Ok(entry) if !is_file(&entry) => {}
            Ok(entry) => match relative(&entry, scope.root) {
                None => walked.skipped += 1,
                Some(path) => {
                    walked.files += 1;
                    batch.push(path);
                }
            },
        }
        if batch.len() >= size {
            size = (size * 2).min(BATCH_MAX);
            sink(std::mem::replace(&mut batch, Vec::with_capacity(size)));
        }
    }
    if !batch.is_empty() {
        sink(batch);
    }
    walked
}

/// Returns the walker with the rules that apply everywhere in a workspace.
pub(super) fn builder(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder.hidden(false).require_git(false).filter_entry(|entry| entry.file_name() != ".git");
    builder
}

/// Whether it is a file, or a link to one.
pub(super) fn is_file(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_file() || kind.is_symlink() && entry.path().is_file())
}

/// Returns its path below the root, as [`names`] has it; `None` if it is outside.
pub(super) fn relative(entry: &DirEntry, root: &Path) -> Option<String> {
    Some(names::display(entry.path().strip_prefix(root).ok()?).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    fn all(root: &Path) -> Vec<String> {
        let mut found = Vec::new();
        walk(root, &CancellationToken::new(), |batch| found.extend(batch));
        found
    }

    #[test]
    fn walk_skips_ignored_files_and_git() {
        let root =
            tree(&["b.rs", "a/x.rs", "a/y.log", ".github/ci.yml", ".git/config", "target/o", "sub/.git"]);
        fs::write(root.path().join(".gitignore"), "target/\n*.log\n").unwrap();
        symlink("b.rs", root.path().join("link")).unwrap();
        symlink("a", root.path().join("zfolder")).unwrap();
        assert_eq!(all(root.path()), [".github/ci.yml", ".gitignore", "a/x.rs", "b.rs", "link"]);
    }

    #[test]
    fn walk_with_ignored_files_skips_git_only() {
        let root = tree(&["b.rs", ".hidden", ".git/config", "target/deep/o", "sub/.git", "sub/.git2/x"]);
        fs::write(root.path().join(".gitignore"), "target/\n.hidden\n").unwrap();
        fs::write(root.path().join(".ignore"), "b.rs\n").unwrap();
        let mut found = Vec::new();
        let scope = Scope::from(root.path()).with_ignored(true);
        walk(scope, &CancellationToken::new(), |batch| found.extend(batch));
        assert_eq!(found, [".gitignore", ".hidden", ".ignore", "b.rs", "sub/.git2/x", "target/deep/o"]);
        assert_eq!(all(root.path()), [".gitignore", ".ignore", "sub/.git2/x"]);
    }

    #[test]
    fn walk_ends_where_links_are_a_loop_or_folders_vanish() {
        let root = tree(&["a/one", "a/deep/two", "b/gone/x", "b/gone/y", "c/three"]);
        symlink("..", root.path().join("a/up")).unwrap();
        symlink("self", root.path().join("self")).unwrap();
        symlink(root.path(), root.path().join("a/deep/root")).unwrap();
        for with_ignored in [false, true] {
            assert_eq!(
                found_in(Scope::from(root.path()).with_ignored(with_ignored)),
                ["a/deep/two", "a/one", "b/gone/x", "b/gone/y", "c/three"]
            );
        }
        // What was found before a folder vanished is passed on later.
        let names: Vec<String> = (0..BATCH_FIRST).map(|n| format!("a/{n:03}")).collect();
        for name in &names {
            fs::write(root.path().join(name), "").unwrap();
        }
        let mut found = Vec::new();
        let walked = walk(root.path(), &CancellationToken::new(), |batch| {
            let _ = fs::remove_dir_all(root.path().join("b"));
            found.extend(batch);
        });
        assert_eq!(found.last().map(String::as_str), Some("c/three"), "the rest is found");
        assert!(!found.iter().any(|path| path.starts_with("b/")), "{found:?}");
        assert_eq!((walked.cancelled, walked.files), (false, found.len()));
    }

    fn found_in(scope: Scope<'_>) -> Vec<String> {
        let mut found = Vec::new();
        walk(scope, &CancellationToken::new(), |batch| found.extend(batch));
        found
    }

    #[test]
    fn walk_batches_grow_and_abort_ends() {
        let names: Vec<String> = (0..300).map(|n| format!("{n:03}")).collect();
        let root = tree(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let mut sizes = Vec::new();
        let cancel = CancellationToken::new();
        let done = walk(root.path(), &cancel, |batch| sizes.push(batch.len()));
        assert_eq!(
            (sizes, done),
            (vec![64, 128, 108], WalkSummary { files: 300, skipped: 0, cancelled: false })
        );
        let mut batches = 0;
        let done = walk(root.path(), &cancel, |_| {
            batches += 1;
            cancel.cancel();
        });
        assert_eq!((batches, done.cancelled), (1, true));
    }

    #[test]
    fn walk_missing_root_counts_as_skipped() {
        let done = walk(Path::new("/no/such/folder"), &CancellationToken::new(), |_| {});
        assert_eq!(done, WalkSummary { files: 0, skipped: 1, cancelled: false });
    }
}
