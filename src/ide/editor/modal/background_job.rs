//! Work of a modal map that a task does while keys wait for it. Must not know what the work is:
//! what it comes to is handed on unseen.

use std::any::Any;

use crate::base::panics::Panicked;
use crate::ide::model::buffers::BufferId;
use crate::tui::input::Key;

/// What work comes to.
pub type Outcome = Box<dyn Any + Send>;

/// Work for a task.
pub struct Work {
    /// In which file.
    pub buffer: BufferId,
    /// The version of its text.
    pub version: u64,
    /// Which work of this run.
    pub number: u64,
    /// Does it.
    pub run: Box<dyn FnOnce() -> Outcome + Send>,
}

/// Work that is done.
pub struct Done {
    /// In which file.
    pub buffer: BufferId,
    /// The version of its text.
    pub version: u64,
    /// Which work of this run.
    pub number: u64,
    /// What it comes to, unless it panicked.
    pub outcome: Result<Outcome, Panicked>,
}

/// What is under way.
#[derive(Debug, Default)]
pub struct Elsewhere {
    /// How many works there were.
    pub count: u64,
    /// The keys that wait for the last one.
    pub waiting: Option<Vec<Key>>,
}
