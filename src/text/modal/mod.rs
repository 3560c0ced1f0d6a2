//! Text operations of modal editing: motions, text objects, operators, paste. Cursors are on
//! characters here, not between them.
//!
//! Must not know keys or modes; a typed count or character is an argument.

pub mod helix;
pub mod motion;
pub mod objects;
pub mod operator;
pub mod pattern;
pub mod quotes;
