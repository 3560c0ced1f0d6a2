//! Positions that move along with every change of a text: unreviewed edits, marks and jumps, tab stops of snippets.

pub mod marks;
pub mod named_positions;
pub mod snippet_stops;
