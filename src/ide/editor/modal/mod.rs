//! Editing with modes: from commands of a modal key map to the engine in `text::modal`, with what
//! lives around it: counts, registers, repeating, command lines.

pub mod answers;
pub mod background;
pub mod commands;
pub mod cursor_shape;
pub mod cursors;
pub mod edits;
pub mod flow;
pub mod helix;
pub mod line;
pub mod moves;
pub mod operators;
pub mod picking;
pub mod repeat;
pub mod scroll;
pub mod seek;
pub mod typing;
pub mod visual;
