//! What was open in the folder the last time, and whether and where what is open now is kept.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ide::features::reopen::store::OpenStore;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::window_id::WindowId;
use crate::ide::model::windows::Shape;

/// How a window looked at its file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// The file, absolute.
    pub path: PathBuf,
    /// The cursor's line, from 1.
    pub line: usize,
    /// Its column in cells, from 1.
    pub column: usize,
    /// The first line on screen, from 0.
    pub top: usize,
}

/// How what was open was arranged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The windows.
    pub windows: Shape,
    /// What each shows, from the top left.
    pub views: Vec<View>,
    /// Which of them had the keys.
    pub active: usize,
    /// The files in the order in which they were opened.
    pub order: Vec<PathBuf>,
    /// Files that are there no longer.
    pub missing: Vec<PathBuf>,
}

/// What there was when it was written last; carets come along.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mark {
    /// The open files.
    pub files: Vec<BufferId>,
    /// The windows.
    pub windows: Vec<WindowId>,
}

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
    pub fn new(on: bool, restored: Option<Restored>, store: OpenStore) -> Self {
        Self { on, restored, mark: Mark::default(), due: None, store: Arc::new(store) }
    }

    /// An open file has another path.
    pub fn renamed(&mut self) {
        self.mark = Mark::default();
    }
}
