//! What was open in the folder the last time, and whether and where what is open now is kept.

use std::sync::Arc;
use std::time::Duration;

use crate::ide::core::options::Options;
use crate::ide::core::slots::Slot;
use crate::ide::features::reopen::store::ReopenStore;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::saved_windows::SavedWindows;
use crate::ide::model::window_id::WindowId;

/// What there was when it was written last; carets come along.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LastWritten {
    /// The open files.
    pub files: Vec<BufferId>,
    /// The windows.
    pub windows: Vec<WindowId>,
}

/// Where it is in the state.
pub const REOPEN: Slot<Reopen> = Slot::new();

/// Keeping what is open.
#[derive(Debug)]
pub struct Reopen {
    /// Whether this run keeps it.
    pub is_enabled: bool,
    /// What is to come back once all files are open.
    pub restored: Option<SavedWindows>,
    /// What was there when it was noted last.
    pub last_written: LastWritten,
    /// When it is to be written, on the monotonic clock.
    pub due: Option<Duration>,
    /// Where it is written.
    pub store: Arc<ReopenStore>,
}

impl Reopen {
    /// Whether it is kept and where, and what is to come back.
    pub fn from_options(options: &Options) -> Self {
        let store = Arc::new(ReopenStore::new(&options.state, &options.workspace));
        let (on, restored) = (options.keep_open, options.restored.clone());
        Self { is_enabled: on, restored, last_written: LastWritten::default(), due: None, store }
    }

    /// An open file has another path.
    pub fn mark_renamed(&mut self) {
        self.last_written = LastWritten::default();
    }
}
