//! State of a search in a file: its text and options, where it began, and a replacement that awaits
//! confirmation. Must not know the prompt or the dialog.

use std::collections::VecDeque;
use std::ops::Range;

use crate::ide::model::buffers::BufferId;
use crate::text::position::Byte;
use crate::text::search::{Needle, SearchOptions};
use crate::text::selection::Selection;

/// The searches in the focused text.
#[derive(Default)]
pub struct SearchState {
    /// The last search text.
    pub last: Option<String>,
    /// Set while a search for the next or previous match runs: the requests made meanwhile, `true` for
    /// forward.
    pub queued: Option<VecDeque<bool>>,
    /// A find prompt that was answered before its search was done: start position and version of the answer.
    pub accepted: Option<(Byte, u64)>,
    /// The text being replaced match by match, and its replacement.
    pub replacing: Option<ReplaceState>,
    /// Where the last search began.
    pub origin: Option<FindOrigin>,
    /// Search options.
    pub options: SearchOptions,
    /// Search text that is highlighted wherever it occurs until Escape.
    pub highlight: Option<Needle>,
}

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
