//! Which files are watched, and when what was touched is looked at: a little later, because
//! whoever writes a file touches it several times. Must not look at the disk.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::ide::model::buffers::Buffer;
use crate::workspace::watch::{Touched, Touches};

/// How long files must have been left alone before they are looked at.
const PAUSE: Duration = Duration::from_millis(50);
/// How long that may take when somebody never leaves them alone.
const PATIENCE: Duration = Duration::from_millis(500);

/// What is watched, and what was touched.
#[derive(Debug, Default)]
pub struct Watching {
    /// Filled on the watcher's thread.
    pub touches: Arc<Touches>,
    files: Vec<PathBuf>,
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    due: Duration,
    latest: Duration,
    /// How many touches were seen.
    times: u64,
}

impl Watching {
    /// The files to watch, when they are others than before. Costs the number of open files.
    pub fn changed(&mut self, buffers: &[Buffer]) -> Option<Vec<PathBuf>> {
        let files = || buffers.iter().flat_map(|buffer| [&buffer.path, &buffer.real]).flatten();
        if files().eq(&self.files) {
            return None;
        }
        self.files = files().cloned().collect();
        Some(self.files.clone())
    }

    /// The files that are watched.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Something was touched.
    pub fn touched(&mut self, now: Duration) {
        let times = self.touches.times();
        self.pending.get_or_insert(Pending { due: now + PAUSE, latest: now + PATIENCE, times });
    }

    /// When touched files are to be looked at.
    pub fn deadline(&self) -> Option<Duration> {
        self.pending.as_ref().map(|pending| pending.due)
    }

    /// The files to look at by now.
    pub fn due(&mut self, now: Duration) -> Option<Touched> {
        let pending = self.pending.as_mut().filter(|pending| pending.due <= now)?;
        let times = self.touches.times();
        if times != pending.times && now < pending.latest {
            // Still being written.
            (pending.times, pending.due) = (times, now + PAUSE);
            return None;
        }
        self.pending = None;
        Some(self.touches.take())
    }
}
