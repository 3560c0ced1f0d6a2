//! A replacement that waits for the person's word. Must not know the dialog that asks.

use std::collections::VecDeque;
use std::ops::Range;

use crate::ide::core::overlay::Answer;
use crate::ide::model::buffers::BufferId;
use crate::text::position::Byte;

/// One match that may be replaced.
#[derive(Debug, Clone)]
pub struct Replacing {
    /// In which file.
    pub buffer: BufferId,
    /// The version of its text in which the match was found.
    pub version: u64,
    /// What is looked for.
    pub wanted: String,
    /// What is to be put in its place, as it was typed.
    pub new: String,
    /// The match and what it is to become; `None` while it is looked for.
    pub found: Option<(Range<Byte>, String)>,
    /// Answers that were given before there was a match to give them for.
    pub waiting: VecDeque<Answer>,
}
