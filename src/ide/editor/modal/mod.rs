//! Modal editing: connects the commands of a modal key map to the engine in `text::modal`, with counts,
//! registers, repetition and command lines.

pub mod background;
pub mod command_line;
pub mod commands;
pub mod cursor_shape;
pub mod cursors;
pub mod edits;
pub mod helix;
pub mod insert_mode;
pub mod key_hooks;
pub mod moves;
pub mod operators;
pub mod pending_char;
pub mod repeat;
pub mod replay;
pub mod scroll;
pub mod search;
pub mod select_by_pattern;
pub mod visual;
