//! Background work of a modal key map while keys wait for it. Must not know what the work is: its result is
//! passed on as an opaque value.

use std::any::Any;

use crate::ide::model::buffers::BufferId;
use crate::tui::input::Key;

/// Result of the work.
pub type Outcome = Box<dyn Any + Send>;

/// Work that is done.
#[derive(Debug)]
pub struct FinishedWork {
    /// In which file.
    pub buffer: BufferId,
    /// Version of its text.
    pub version: u64,
    /// Which work of this run.
    pub number: u64,
    /// The result, or an error message.
    pub outcome: Result<Outcome, String>,
}

/// The work in progress.
#[derive(Debug, Default)]
pub struct Background {
    /// Number of works started so far.
    pub count: u64,
    /// Keys that wait for the latest work.
    pub waiting: Option<Vec<Key>>,
    /// Finished work whose result was not applied yet. Applying it runs what follows a key, which is in a
    /// layer above the code that starts such work.
    pub done: Option<FinishedWork>,
}
