//! The undo tree of a file, shown and gone through.

pub mod commands;
pub mod draw;
pub mod view;
