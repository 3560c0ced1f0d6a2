//! State of the searches of the bar: what runs, what waits for it, and the match at the caret. Must not know how they
//! run.

use std::collections::VecDeque;
use std::ops::Range;

use crate::ide::core::slots::Slot;
use crate::ide::features::find::history::History;
use crate::ide::features::find::job::Target;
use crate::ide::model::buffers::BufferId;
use crate::text::position::Byte;
use crate::text::search::SearchOptions;
use crate::text::selection::Selection;

/// The feature's state.
pub const FIND: Slot<FindState> = Slot::new();

/// Maximum number of steps that wait for a search.
const QUEUE_MAX: usize = 64;

/// A step from the match at the caret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// To the next match.
    Next,
    /// To the previous match.
    Previous,
    /// Replaces the match and goes to the next one.
    Replace,
}

/// The match at the caret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// In which file.
    pub buffer: BufferId,
    /// In which version of its text.
    pub version: u64,
    /// Where.
    pub range: Range<Byte>,
    /// What replaces it.
    pub replacement: String,
}

/// Where the bar was opened, and where its search goes on from.
#[derive(Debug, Clone)]
pub struct Origin {
    /// In which file.
    pub buffer: BufferId,
    /// The selection there.
    pub selection: Selection,
    /// Start of the search for the first match.
    pub from: Byte,
}

/// What a count and the previews belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searched {
    /// Which file.
    pub buffer: BufferId,
    /// Which version of its text.
    pub version: u64,
    /// For which query.
    pub pattern: String,
    /// With which options.
    pub options: SearchOptions,
    /// With which previewed replacement.
    pub replacement: Option<String>,
}

/// Searches in the shown file.
#[derive(Default)]
pub struct FindState {
    /// What a task searches for.
    pub running: Option<Target>,
    /// What is searched for when it has ended, in place of its result.
    pub wanted: Option<Target>,
    /// Steps that wait for the position to go on from.
    pub queued: VecDeque<Step>,
    /// The match at the caret.
    pub current: Option<Match>,
    /// Where the search began.
    pub origin: Option<Origin>,
    /// What was searched last.
    pub searched: Option<Searched>,
    /// Whether the bar was closed while a task searched: its match gets the caret only.
    pub is_closed_early: bool,
    /// The last replacement.
    pub replacement: String,
    /// Queries typed before.
    pub queries: History,
    /// Replacements typed before.
    pub replacements: History,
}

impl FindState {
    /// Returns whether a task searches.
    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Makes a step wait for the search.
    pub fn queue(&mut self, step: Step) {
        if self.queued.len() < QUEUE_MAX {
            self.queued.push_back(step);
        }
    }
}
