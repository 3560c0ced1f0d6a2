//! What modal editors do with a text: motions, text objects, operators, putting back. Cursors
//! stand on characters here, not between them.
//!
//! Must not know keys or modes; a count or a character that was typed comes in as an argument.

pub mod helix;
pub mod motion;
pub mod objects;
pub mod operator;
pub mod pattern;
pub mod quotes;
