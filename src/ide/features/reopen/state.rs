//! State of the feature: the last layout of the folder, and whether and where the current one is stored.

use std::sync::Arc;
use std::time::Duration;

use crate::ide::core::options::Options;
use crate::ide::core::slots::Slot;
use crate::ide::features::reopen::store::ReopenStore;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::pane_sizes::PaneSizes;
use crate::ide::model::saved_windows::SavedWindows;
use crate::ide::model::window_id::WindowId;

/// Files and windows at the last write; carets are included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LastWritten {
    /// The open files.
    pub files: Vec<BufferId>,
    /// The windows.
    pub windows: Vec<WindowId>,
    /// The chosen sizes of the panes.
    pub sizes: PaneSizes,
}

/// Slot of the feature's state.
pub const REOPEN: Slot<Reopen> = Slot::new();

/// State of the feature.
#[derive(Debug)]
pub struct Reopen {
    /// Whether this run stores the layout.
    pub is_enabled: bool,
    /// The layout to restore once all files are open.
    pub restored: Option<SavedWindows>,
    /// Files and windows when last checked.
    pub last_written: LastWritten,
    /// When to write, on the monotonic clock.
    pub due: Option<Duration>,
    /// Where it is written.
    pub store: Arc<ReopenStore>,
}

impl Reopen {
    /// Returns the state from the options.
    pub fn from_options(options: &Options) -> Self {
        let store = Arc::new(ReopenStore::new(&options.state, &options.workspace));
        let (on, restored) = (options.keep_open, options.restored.clone());
        Self { is_enabled: on, restored, last_written: LastWritten::default(), due: None, store }
    }

    /// Records that an open file has another path.
    pub fn mark_renamed(&mut self) {
        self.last_written = LastWritten::default();
    }
}
