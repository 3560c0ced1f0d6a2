//! File state of a session: locks for changes, and the version of each file that a model last saw.
//!
//! Must not know any tool. Files are identified by their resolved paths.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;

use crate::exec::{Environment, Stamp};

/// Maximum number of tracked files; beyond it the oldest are forgotten.
const SEEN_MAX: usize = 10_000;

/// Whether a model must have read a file before it edits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReadFirst {
    /// If the models of the family are used to it.
    #[default]
    Family,
    /// Never.
    Off,
    /// Always.
    On,
}

impl ReadFirst {
    /// Parses the setting; unknown values are the default.
    pub fn from_setting(word: &str) -> Self {
        match word {
            "off" => Self::Off,
            "on" => Self::On,
            _ => Self::Family,
        }
    }

    /// Whether a tool requires it, given its family's habit.
    pub fn is_required(self, family: bool) -> bool {
        match self {
            Self::Family => family,
            Self::Off => false,
            Self::On => true,
        }
    }
}

/// What a model knows of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadState {
    /// It has not read it.
    Unread,
    /// The file is unchanged since it was read.
    Unchanged,
    /// Another process has changed it since.
    Changed,
}

/// The files of a session.
#[derive(Debug, Default)]
pub struct FileTracker {
    read_first: ReadFirst,
    locks: Arc<Mutex<HashMap<PathBuf, Arc<tokio::sync::Mutex<()>>>>>,
    seen: Mutex<SeenFiles>,
}

#[derive(Debug, Default)]
struct SeenFiles {
    states: HashMap<PathBuf, (u64, Stamp)>,
    next: u64,
}

/// A lock for changing a file; released on drop.
#[derive(Debug)]
pub struct FileLock {
    /// The resolved path.
    pub real: PathBuf,
    _guard: OwnedMutexGuard<()>,
}

impl FileTracker {
    /// With this rule for files that were not read.
    pub fn new(read_first: ReadFirst) -> Self {
        Self { read_first, ..Self::default() }
    }

    /// Creates the state for another agent on the same files: locks are shared, but it has read nothing yet.
    #[must_use]
    pub fn for_subagent(&self) -> Self {
        Self { read_first: self.read_first, locks: Arc::clone(&self.locks), seen: Mutex::default() }
    }

    /// The rule for files that were not read.
    pub fn read_first(&self) -> ReadFirst {
        self.read_first
    }

    /// Waits for the lock of a file. `None` when cancelled first.
    pub async fn lock_file(
        &self,
        env: &dyn Environment,
        path: &Path,
        cancel: &CancellationToken,
    ) -> Option<FileLock> {
        let real = real(env, path).await;
        let lock = {
            let mut turns = lock(&self.locks);
            // Removes locks that no call holds or waits for.
            turns.retain(|_, turn| Arc::strong_count(turn) > 1);
            Arc::clone(turns.entry(real.clone()).or_default())
        };
        tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            guard = lock.lock_owned() => Some(FileLock { real, _guard: guard }),
        }
    }

    /// Records that a model has read or written this version of a file.
    pub async fn note_seen(&self, env: &dyn Environment, path: &Path, stamp: Stamp) {
        let real = real(env, path).await;
        self.note_seen_real(real, stamp);
    }

    /// The same for a resolved path.
    pub fn note_seen_real(&self, real: PathBuf, stamp: Stamp) {
        let mut seen = lock(&self.seen);
        seen.next += 1;
        let next = seen.next;
        seen.states.insert(real, (next, stamp));
        if seen.states.len() > SEEN_MAX {
            let oldest = seen.states.iter().min_by_key(|(_, (at, _))| *at).map(|(path, _)| path.clone());
            oldest.map(|path| seen.states.remove(&path));
        }
    }

    /// Returns what a model knows of a file whose present version is given.
    pub fn read_state(&self, real: &Path, now: &Stamp) -> ReadState {
        match lock(&self.seen).states.get(real) {
            None => ReadState::Unread,
            Some((_, stamp)) if stamp == now => ReadState::Unchanged,
            Some(_) => ReadState::Changed,
        }
    }

    /// Forgets a file, because it was deleted or should count as unread.
    pub fn forget(&self, real: &Path) {
        lock(&self.seen).states.remove(real);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

/// Resolves a path; returns it unchanged if that fails.
async fn real(env: &dyn Environment, path: &Path) -> PathBuf {
    env.resolve(path).await.unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::LocalEnvironment;
    use futures::FutureExt;

    #[tokio::test]
    async fn file_lock_serializes_changes_through_symlinks() {
        let folder = tempfile::tempdir().unwrap();
        let env = LocalEnvironment::new(folder.path().to_path_buf(), []);
        std::fs::write(folder.path().join("f"), "").unwrap();
        std::os::unix::fs::symlink("f", folder.path().join("link")).unwrap();
        let files = FileTracker::default();
        let (go, stop) = (CancellationToken::new(), CancellationToken::new());
        stop.cancel();
        let first = files.lock_file(&env, &folder.path().join("f"), &go).await.unwrap();
        assert!(files.lock_file(&env, &folder.path().join("link"), &stop).await.is_none());
        assert!(files.lock_file(&env, &folder.path().join("other"), &go).await.is_some());
        let path = folder.path().join("link");
        let mut second = Box::pin(files.lock_file(&env, &path, &go));
        while lock(&files.locks).len() != 1
            || lock(&files.locks).values().any(|turn| Arc::strong_count(turn) < 3)
        {
            assert!(second.as_mut().now_or_never().is_none());
            tokio::task::yield_now().await;
        }
        drop(first);
        assert_eq!(second.await.unwrap().real, std::fs::canonicalize(folder.path().join("f")).unwrap());
    }

    #[test]
    fn file_state_compares_reads_and_is_bounded() {
        let files = FileTracker::new(ReadFirst::from_setting("on"));
        let stamp = |text: &str| Stamp::of(text.as_bytes());
        assert_eq!(files.read_state(Path::new("/a"), &stamp("x")), ReadState::Unread);
        files.note_seen_real("/a".into(), stamp("x"));
        assert_eq!(files.read_state(Path::new("/a"), &stamp("x")), ReadState::Unchanged);
        assert_eq!(files.read_state(Path::new("/a"), &stamp("y")), ReadState::Changed);
        for n in 0..SEEN_MAX {
            files.note_seen_real(format!("/{n}").into(), stamp("x"));
        }
        assert_eq!(files.read_state(Path::new("/a"), &stamp("x")), ReadState::Unread);
        files.forget(Path::new("/7"));
        assert_eq!(files.read_state(Path::new("/7"), &stamp("x")), ReadState::Unread);
        let asks = |word: &str| {
            [
                ReadFirst::from_setting(word).is_required(false),
                ReadFirst::from_setting(word).is_required(true),
            ]
        };
        assert_eq!((asks("off"), asks("on"), asks("family")), ([false; 2], [true; 2], [false, true]));
    }
}
