//! Set of watched files, and the delay before touched files are checked: a process that writes a file touches
//! it several times. Must not read files.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::exec::Stamp;
use crate::ide::core::slots::Slot;
use crate::ide::model::buffers::Buffer;
use crate::workspace::watch::{ChangedPaths, Changes, Watcher};

/// How long files must be quiet before they are checked.
const PAUSE: Duration = Duration::from_millis(50);
/// Maximum delay for files that are never quiet.
const PAUSE_MAX: Duration = Duration::from_millis(500);

/// Slot of the feature's state.
pub const FILE_WATCH: Slot<FileWatch> = Slot::new();

/// Watched files, and those that were touched.
#[derive(Default)]
pub struct FileWatch {
    /// Filled on the watcher's thread.
    changed_paths: Arc<ChangedPaths>,
    /// Created by the first task that needs it; one task at a time uses it.
    watcher: Arc<Mutex<Option<Watcher>>>,
    /// States of files by the system's version of them: a file with the same version need not be read again.
    seen: HashMap<PathBuf, (u64, Stamp)>,
    files: Vec<PathBuf>,
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    due: Duration,
    latest: Duration,
    /// Number of touches so far.
    times: u64,
}

impl FileWatch {
    /// Returns the files to watch, if they differ from before. The cost is proportional to the number of open
    /// files.
    pub fn take_new_files(&mut self, buffers: &[Buffer]) -> Option<Vec<PathBuf>> {
        let files = || buffers.iter().flat_map(|buffer| [&buffer.path, &buffer.real]).flatten();
        if files().eq(&self.files) {
            return None;
        }
        self.files = files().cloned().collect();
        Some(self.files.clone())
    }

    /// Returns the last seen version of a file, and its state then.
    pub fn seen_version(&self, path: &Path) -> Option<(u64, Stamp)> {
        self.seen.get(path).cloned()
    }

    /// A file of that version is in that state.
    pub fn note_seen(&mut self, path: PathBuf, version: u64, stamp: Stamp) {
        self.seen.insert(path, (version, stamp));
    }

    /// The files that are watched.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Records a touch.
    pub fn note_change(&mut self, now: Duration) {
        let times = self.changed_paths.event_count();
        self.pending.get_or_insert(Pending { due: now + PAUSE, latest: now + PAUSE_MAX, times });
    }

    /// Returns when touched files are to be checked.
    pub fn deadline(&self) -> Option<Duration> {
        self.pending.as_ref().map(|pending| pending.due)
    }

    /// Returns the files to check now.
    pub fn take_due(&mut self, now: Duration) -> Option<Changes> {
        let pending = self.pending.as_mut().filter(|pending| pending.due <= now)?;
        let times = self.changed_paths.event_count();
        if times != pending.times && now < pending.latest {
            // Still being written.
            (pending.times, pending.due) = (times, now + PAUSE);
            return None;
        }
        self.pending = None;
        Some(self.changed_paths.take())
    }
}

/// Makes the watcher follow exactly these files. Blocking. Returns whether some of them were not followed
/// before. `wake` is called when one of them is touched.
pub fn watch_job<W: Fn() + Send + Sync + 'static>(
    watching: &FileWatch,
    wake: W,
    files: Vec<PathBuf>,
) -> impl FnOnce() -> bool + Send + use<W> {
    let (slot, touches) = (watching.watcher.clone(), watching.changed_paths.clone());
    move || {
        let mut watcher = slot.lock();
        let followed = match &mut *watcher {
            Some(watcher) => watcher.set_files(files),
            None => Watcher::new(touches, wake).and_then(|made| watcher.insert(made).set_files(files)),
        };
        followed.unwrap_or_else(|error| {
            // They are checked when the window gets the focus, and before they are saved.
            tracing::warn!("not every open file is watched: {error}");
            true
        })
    }
}
