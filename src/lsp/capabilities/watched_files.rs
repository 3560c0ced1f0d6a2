//! Which files a server has registered for, so that it hears when they change on the disk. Pure.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use crate::lsp::uri;

/// The method.
pub const METHOD: &str = "workspace/didChangeWatchedFiles";
/// Bytes of a glob.
const GLOB_MAX: usize = 1 << 10;
/// Patterns of a server; more are left out.
const WATCHERS_MAX: usize = 1_000;

/// What happened to a file on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileChange {
    /// It was created.
    Created,
    /// Its content changed.
    Changed,
    /// It was deleted.
    Deleted,
}

impl FileChange {
    /// Its number in the protocol.
    pub fn number(self) -> u8 {
        match self {
            Self::Created => 1,
            Self::Changed => 2,
            Self::Deleted => 3,
        }
    }

    /// Its bit in a `WatchKind`.
    fn bit(self) -> u64 {
        match self {
            Self::Created => 1,
            Self::Changed => 2,
            Self::Deleted => 4,
        }
    }
}

/// A `FileSystemWatcher` (LSP 3.18).
#[derive(Debug, Clone)]
struct Watcher {
    /// The folder that the pattern is relative to, if it names one.
    base: Option<PathBuf>,
    glob: GlobMatcher,
    kinds: u64,
}

/// The watchers of a server.
#[derive(Debug, Clone, Default)]
pub struct Watchers(Vec<Watcher>);

impl Watchers {
    /// Reads the options of registrations. A watcher that cannot be read costs itself.
    pub(super) fn read<'v>(options: impl Iterator<Item = &'v Value>) -> Self {
        let all = options.filter_map(|options| options["watchers"].as_array()).flatten();
        Self(all.take(WATCHERS_MAX).filter_map(read).collect())
    }

    /// Whether one of them wants to hear of a change; `root` is the folder of the server.
    pub(in crate::lsp) fn want(&self, path: &Path, root: &Path, change: FileChange) -> bool {
        self.0.iter().filter(|watcher| watcher.kinds & change.bit() != 0).any(|watcher| {
            let below = |base: &Path| path.strip_prefix(base).is_ok_and(|below| watcher.glob.is_match(below));
            match &watcher.base {
                Some(base) => below(base),
                // Some servers send absolute patterns.
                None => below(root) || watcher.glob.is_match(path),
            }
        })
    }
}

fn read(watcher: &Value) -> Option<Watcher> {
    let pattern = &watcher["globPattern"];
    let (base, glob) = if let Some(glob) = pattern.as_str() {
        (None, glob)
    } else {
        // A `WorkspaceFolder` has its address in a field.
        let base = &pattern["baseUri"];
        let address = base.as_str().or_else(|| base["uri"].as_str())?;
        (Some(uri::to_path(address)?), pattern["pattern"].as_str()?)
    };
    let kinds = watcher["kind"].as_u64().unwrap_or(7);
    if glob.len() > GLOB_MAX {
        return None;
    }
    match GlobBuilder::new(glob).literal_separator(true).build() {
        Ok(glob) => Some(Watcher { base, glob: glob.compile_matcher(), kinds }),
        Err(error) => {
            tracing::debug!(%error, "a language server has an invalid glob");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn watched_files_are_those_of_globs_folders_and_kinds() {
        let options = json!({ "watchers": [
            { "globPattern": "**/*.toy" },
            { "globPattern": "/elsewhere/**/*.cfg", "kind": 2 },
            { "globPattern": { "baseUri": "file:///root/lib", "pattern": "*.lock" }, "kind": 5 },
            { "globPattern": { "baseUri": { "uri": "file:///other", "name": "other" }, "pattern": "**/x" } },
            { "globPattern": "[" }, { "globPattern": "*".repeat(2000) }, {}, 4,
        ] });
        let watchers = Watchers::read([&options].into_iter());
        let want = |path: &str, change| watchers.want(Path::new(path), Path::new("/root"), change);
        for change in [FileChange::Created, FileChange::Changed, FileChange::Deleted] {
            assert!(want("/root/a/b.toy", change) && want("/root/a.toy", change), "{change:?}");
            assert!(!want("/root/a.txt", change));
            assert_eq!(want("/elsewhere/a/b.cfg", change), change == FileChange::Changed);
            assert_eq!(want("/root/lib/a.lock", change), change != FileChange::Changed);
            assert!(!want("/root/lib/sub/a.lock", change) && !want("/root/a.lock", change));
            assert!(want("/other/deep/x", change));
        }
    }
}
