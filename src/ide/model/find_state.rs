//! What a search in a file remembers: where it began, and a replacement that waits for the user's word. Must not know
//! the prompt or the dialog that asks.

use std::collections::VecDeque;
use std::ops::Range;

use crate::ide::model::buffers::BufferId;
use crate::text::position::Byte;
use crate::text::selection::Selection;

/// Where a search began.
#[derive(Debug, Clone)]
pub struct FindOrigin {
    /// In which file.
    pub buffer: BufferId,
    /// What was selected there.
    pub selection: Selection,
    /// From where the first match is looked for.
    pub from: Byte,
}

/// One match that may be replaced.
#[derive(Debug, Clone)]
pub struct ReplaceState {
    /// In which file.
    pub buffer: BufferId,
    /// The version of its text in which the match was found.
    pub version: u64,
    /// What is looked for.
    pub pattern: String,
    /// What is to be put in its place, as it was typed.
    pub replacement: String,
    /// The match and what it is to become; `None` while it is looked for.
    pub found: Option<(Range<Byte>, String)>,
    /// Answers that were given before there was a match to give them for.
    pub queued_replies: VecDeque<ReplaceReply>,
}

/// What the user wants done with a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceReply {
    /// Replace it and go to the next.
    One,
    /// Leave it and go to the next.
    Skip,
    /// Replace it and all that follow.
    All,
    /// Replace nothing more.
    Stop,
}
