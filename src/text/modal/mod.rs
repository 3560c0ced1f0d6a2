//! What modal editors do with a text: motions, text objects, operators, putting back. Cursors
//! stand on characters here, not between them.
//!
//! Must not know keys or modes; a count or a character that was typed comes in as an argument.

pub mod find;
pub mod helix;
pub mod landing;
pub mod motions;
pub mod objects;
pub mod operate;
mod outcome;
pub mod page;
pub mod paragraphs;
pub mod pattern;
pub mod put;
pub mod quotes;
pub mod replace;
pub mod sentences;
mod shift_block;
pub mod spans;
pub mod undone;
pub mod walk;
pub mod words;
