//! What was open in the folder the last time, and whether and where what is open now is kept.

use std::sync::Arc;
use std::time::Duration;

use crate::ide::core::options::Options;
use crate::ide::core::slots::Slot;
use crate::ide::features::reopen::store::OpenStore;
use crate::ide::model::arrangement::Restored;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::window_id::WindowId;

/// What there was when it was written last; carets come along.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mark {
    /// The open files.
    pub files: Vec<BufferId>,
    /// The windows.
    pub windows: Vec<WindowId>,
}

/// Where it is in the state.
pub const RESTORING: Slot<Restoring> = Slot::new();

/// Keeping what is open.
#[derive(Debug)]
pub struct Restoring {
    /// Whether this run keeps it.
    pub on: bool,
    /// What is to come back once all files are open.
    pub restored: Option<Restored>,
    /// What was there when it was noted last.
    pub mark: Mark,
    /// When it is to be written, on the monotonic clock.
    pub due: Option<Duration>,
    /// Where it is written.
    pub store: Arc<OpenStore>,
}

impl Restoring {
    /// Whether it is kept and where, and what is to come back.
    pub fn of(options: &Options) -> Self {
        let store = Arc::new(OpenStore::new(&options.state, &options.workspace));
        let (on, restored) = (options.keep_open, options.restored.clone());
        Self { on, restored, mark: Mark::default(), due: None, store }
    }

    /// An open file has another path.
    pub fn renamed(&mut self) {
        self.mark = Mark::default();
    }
}
