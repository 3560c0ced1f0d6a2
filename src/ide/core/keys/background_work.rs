//! Work of a modal map that a task does while keys wait for it. Must not know what the work is:
//! what it comes to is handed on unseen.

use std::any::Any;

use crate::ide::model::buffers::BufferId;
use crate::tui::input::Key;

/// What work comes to.
pub type Outcome = Box<dyn Any + Send>;

/// Work that is done.
#[derive(Debug)]
pub struct FinishedWork {
    /// In which file.
    pub buffer: BufferId,
    /// The version of its text.
    pub version: u64,
    /// Which work of this run.
    pub number: u64,
    /// What it comes to, or why to nothing.
    pub outcome: Result<Outcome, String>,
}

/// What is under way.
#[derive(Debug, Default)]
pub struct Background {
    /// How many works there were.
    pub count: u64,
    /// The keys that wait for the last one.
    pub waiting: Option<Vec<Key>>,
    /// Work that is done and whose outcome was not taken over yet. What follows a key follows it, too, and that lies
    /// above what starts such work.
    pub done: Option<FinishedWork>,
}
