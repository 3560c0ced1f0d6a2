//! State of a search in a file: where it began, and a replacement that awaits confirmation. Must not know the
//! prompt or the dialog.

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
    /// The selection there.
    pub selection: Selection,
    /// Start of the search for the first match.
    pub from: Byte,
}

/// A match that may be replaced.
#[derive(Debug, Clone)]
pub struct ReplaceState {
    /// In which file.
    pub buffer: BufferId,
    /// Version of the text in which the match was found.
    pub version: u64,
    /// The search text.
    pub pattern: String,
    /// The replacement as typed.
    pub replacement: String,
    /// The match and its replacement; `None` while the search runs.
    pub found: Option<(Range<Byte>, String)>,
    /// Answers given before there was a match for them.
    pub queued_replies: VecDeque<ReplaceReply>,
}

/// The user's decision about a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplaceReply {
    /// Replace it and go to the next.
    One,
    /// Skip it and go to the next.
    Skip,
    /// Replace it and all that follow.
    All,
    /// Stop replacing.
    Stop,
}
