//! What other parts of the program see of searches in a file: the last query, its options, what is highlighted. Must
//! not know the bar, nor how texts are searched.

use std::ops::Range;

use crate::ide::model::buffers::BufferId;
use crate::text::position::Byte;
use crate::text::search::{Needle, SearchOptions};

/// The searches in the focused text.
#[derive(Default)]
pub struct SearchState {
    /// The last search text.
    pub last: Option<String>,
    /// Search options.
    pub options: SearchOptions,
    /// Search text that is highlighted wherever it occurs until Escape.
    pub highlight: Option<Needle>,
    /// Where replacements are shown beside their matches.
    pub preview: Option<ReplacePreview>,
}

/// Replacements that are shown, but not made.
#[derive(Debug)]
pub struct ReplacePreview {
    /// In which file.
    pub buffer: BufferId,
    /// Positions around which they were computed.
    pub around: Vec<Byte>,
    /// The parts of the text that have them.
    pub regions: Vec<Range<Byte>>,
}
