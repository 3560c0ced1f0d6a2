//! Editing with modes: from commands of a modal key map to the engine in `text::modal`, with what
//! lies between them: counts, registers, operators that wait, selections, repetition.
//!
//! Must not know keys by name or the screen.

pub mod answers;
pub mod cursor_shape;
pub mod cursors;
pub mod edits;
pub mod elsewhere;
pub mod flow;
pub mod helix;
pub mod line;
pub mod line_confirm;
pub mod line_file;
pub mod line_given;
pub mod line_normal;
pub mod line_range;
pub mod line_shell;
pub mod line_shift;
pub mod line_text;
pub mod moves;
pub mod operators;
pub mod picking;
pub mod repeat;
pub mod seek;
pub mod steps;
pub mod typing;
pub mod typing_block;
pub mod typing_keys;
pub mod visual;
