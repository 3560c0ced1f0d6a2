//! The motions of Vim and Helix that need nothing but the text.

pub mod find;
pub mod modal_text;
pub mod motion_target;
pub mod motions;
pub mod paragraphs;
pub mod sentences;
pub mod undo_cursor;
pub mod walk;
pub mod words;
