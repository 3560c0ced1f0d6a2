//! File watcher: watches the folders of certain files and reports changes of these files only. Sleeps until
//! an event arrives.
//!
//! Must not know what the files are, nor read them: an event is only a reason to check.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::Mutex;

/// Why files are not watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    /// The system has no watch left, or does not support watching.
    #[error("the system lets nothing be watched: {0}")]
    NoWatcher(notify::Error),
    /// One folder cannot be watched; the others are.
    #[error("{folder} cannot be watched: {source}")]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error.
        source: notify::Error,
    },
}

/// Files that changed and were not checked yet. Filled on the watcher's thread.
#[derive(Debug, Default)]
pub struct ChangedPaths(Mutex<Changes>);

/// The changes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Changes {
    /// The changed files.
    pub files: BTreeSet<PathBuf>,
    /// Total number of events.
    pub event_count: u64,
}

impl ChangedPaths {
    /// Returns the number of events since the last [`Self::take`].
    pub fn event_count(&self) -> u64 {
        self.0.lock().event_count
    }

    /// Returns and clears the changes.
    pub fn take(&self) -> Changes {
        std::mem::take(&mut *self.0.lock())
    }

    /// Adds files; returns whether there were none before.
    fn add(&self, files: impl IntoIterator<Item = PathBuf>) -> bool {
        let mut touched = self.0.lock();
        let was_empty = touched.files.is_empty();
        touched.files.extend(files);
        touched.event_count += 1;
        was_empty && !touched.files.is_empty()
    }
}

/// Watches the folders of files.
pub struct Watcher {
    inner: RecommendedWatcher,
    shared: Arc<Shared>,
    folders: BTreeSet<PathBuf>,
}

struct Shared {
    changed_paths: Arc<ChangedPaths>,
    on_change: Box<dyn Fn() + Send + Sync>,
    watched_files: Mutex<Vec<PathBuf>>,
    /// Folders whose watch ended because they were deleted.
    lost_folders: Mutex<BTreeSet<PathBuf>>,
}

impl Watcher {
    /// Creates a watcher without files. It adds changed files to `touches`, and calls `wake` on its own
    /// thread for the first one after they were taken.
    pub fn new(
        touches: Arc<ChangedPaths>,
        wake: impl Fn() + Send + Sync + 'static,
    ) -> Result<Self, WatchError> {
        let shared = Arc::new(Shared {
            changed_paths: touches,
            on_change: Box::new(wake),
            watched_files: Mutex::default(),
            lost_folders: Mutex::default(),
        });
        let handler = shared.clone();
        let inner = notify::recommended_watcher(move |event| handler.on_event(event));
        Ok(Self { inner: inner.map_err(WatchError::NoWatcher)?, shared, folders: BTreeSet::new() })
    }

    /// Replaces the watched files (absolute paths). A file whose folder is missing is watched through its
    /// nearest existing ancestor; calling this again after an event follows it further down. Returns whether
    /// new folders are watched: earlier changes in them were not reported. Blocking.
    pub fn set_files(&mut self, files: Vec<PathBuf>) -> Result<bool, WatchError> {
        let folder = |file: &PathBuf| file.ancestors().skip(1).find(|up| up.is_dir()).map(Path::to_path_buf);
        let folders: BTreeSet<PathBuf> = files.iter().filter_map(folder).collect();
        *self.shared.watched_files.lock() = files;
        let lost = std::mem::take(&mut *self.shared.lost_folders.lock());
        self.folders.retain(|folder| !lost.contains(folder));
        for old in self.folders.difference(&folders) {
            if let Err(error) = self.inner.unwatch(old) {
                tracing::debug!(%error, "a folder was not watched any more");
            }
        }
        self.folders.retain(|folder| folders.contains(folder));
        let (mut is_new, mut failed) = (false, None);
        for folder in folders {
            if self.folders.contains(&folder) {
                continue;
            }
            match self.inner.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    is_new |= self.folders.insert(folder);
                }
                Err(source) => failed = failed.or(Some(WatchError::Folder { folder, source })),
            }
        }
        failed.map_or(Ok(is_new), Err)
    }
}

impl Shared {
    fn on_event(&self, event: notify::Result<notify::Event>) {
        let watched = self.watched_files.lock();
        let touched: Vec<PathBuf> = match event {
            // Events were lost: any file may have changed.
            Ok(event) if event.need_rescan() => watched.clone(),
            // Reads are not changes.
            Ok(event) if is_read_event(event.kind) => Vec::new(),
            Ok(event) => {
                let leaves = matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(_));
                if leaves {
                    let gone = event.paths.iter().filter(|path| !path.exists()).cloned();
                    self.lost_folders.lock().extend(gone);
                }
                // An event on a parent folder concerns the file, too.
                let is_meant = |file: &&PathBuf| event.paths.iter().any(|path| file.starts_with(path));
                watched.iter().filter(is_meant).cloned().collect()
            }
            Err(error) => {
                tracing::warn!(%error, "watching files failed");
                watched.clone()
            }
        };
        drop(watched);
        if !touched.is_empty() && self.changed_paths.add(touched) {
            (self.on_change)();
        }
    }
}

fn is_read_event(kind: EventKind) -> bool {
    matches!(kind, EventKind::Access(access) if access != AccessKind::Close(AccessMode::Write))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::sync::mpsc;
    use std::time::Duration;

    const PATIENCE: Duration = Duration::from_secs(20);

    struct Place {
        folder: tempfile::TempDir,
        watcher: Watcher,
        touches: Arc<ChangedPaths>,
        woken: mpsc::Receiver<()>,
    }

    fn place(files: &[&str]) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let touches = Arc::new(ChangedPaths::default());
        let (send, woken) = mpsc::channel();
        let mut watcher = Watcher::new(touches.clone(), move || send.send(()).unwrap()).unwrap();
        watcher.set_files(files.iter().map(|file| folder.path().join(file)).collect()).unwrap();
        Place { folder, watcher, touches, woken }
    }

    impl Place {
        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join(name)
        }

        /// Waits for the next touch.
        fn touched(&self) -> Vec<String> {
            self.woken.recv_timeout(PATIENCE).expect("a touch of a file is told");
            let names = self.touches.take().files.into_iter();
            names.map(|path| path.strip_prefix(self.folder.path()).unwrap().display().to_string()).collect()
        }
    }

    #[test]
    fn watch_reports_writes_renames_and_removals() {
        let place = place(&["a.txt", "b.txt"]);
        fs::write(place.path("other.txt"), "x").unwrap();
        fs::write(place.path("a.txt"), "x").unwrap();
        assert_eq!(place.touched(), ["a.txt"]);
        fs::rename(place.path("other.txt"), place.path("b.txt")).unwrap();
        // With the rest of what the first write did, or after it.
        while !place.touched().contains(&"b.txt".to_string()) {}
        fs::remove_file(place.path("a.txt")).unwrap();
        while !place.touched().contains(&"a.txt".to_string()) {}
    }

    #[test]
    fn watch_burst_wakes_once_until_taken() {
        let place = place(&["a.txt", "end"]);
        for n in 0..50 {
            fs::write(place.path("a.txt"), n.to_string()).unwrap();
        }
        fs::write(place.path("end"), "").unwrap();
        place.woken.recv_timeout(PATIENCE).expect("the first write is told");
        while !place.touches.0.lock().files.contains(&place.path("end")) {
            std::thread::yield_now();
        }
        assert!(place.touches.event_count() > 50);
        assert!(place.woken.try_recv().is_err(), "one wake for all of them");
    }

    #[test]
    fn watch_recreated_folder_is_followed_again() {
        let mut place = place(&["deep/er/a.txt"]);
        let file = place.path("deep/er/a.txt");
        let files = || vec![file.clone()];
        fs::create_dir(place.path("deep")).unwrap();
        assert_eq!(place.touched(), ["deep/er/a.txt"]);
        place.watcher.set_files(files()).unwrap();
        fs::create_dir(place.path("deep/er")).unwrap();
        assert_eq!(place.touched(), ["deep/er/a.txt"]);
        place.watcher.set_files(files()).unwrap();
        fs::remove_dir_all(place.path("deep")).unwrap();
        assert_eq!(place.touched(), ["deep/er/a.txt"]);
        while place.path("deep").exists() || place.watcher.shared.lost_folders.lock().is_empty() {
            std::thread::yield_now();
        }
        place.watcher.set_files(files()).unwrap();
        place.touches.take();
        fs::create_dir_all(place.path("deep/er")).unwrap();
        place.touched();
        place.watcher.set_files(files()).unwrap();
        place.touches.take();
        fs::write(place.path("deep/er/a.txt"), "x").unwrap();
        assert_eq!(place.touched(), ["deep/er/a.txt"]);
    }

    #[test]
    fn watch_reading_is_not_reported() {
        let place = place(&["a.txt", "end"]);
        fs::write(place.path("a.txt"), "x").unwrap();
        // Watched anew: what the write did is told already.
        while place.touched() != ["a.txt"] {}
        fs::write(place.path("end"), "").unwrap();
        while !place.touched().contains(&"end".to_string()) {}
        while place.woken.try_recv().is_ok() {}
        place.touches.take();
        fs::read(place.path("a.txt")).unwrap();
        fs::remove_file(place.path("end")).unwrap();
        while !place.touches.0.lock().files.contains(&place.path("end")) {
            std::thread::yield_now();
        }
        assert!(!place.touches.0.lock().files.contains(&place.path("a.txt")));
    }
}
