//! Cursor movement: by character, word, line, screen row, paragraph and bracket. `text::modal` has Vim's and
//! Helix's.

pub mod brackets;
pub mod motion;
pub mod paragraph;
pub mod row_motion;
pub mod subword;
