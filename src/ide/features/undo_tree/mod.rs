//! The undo tree of a file: its view, and commands that move in it.

pub mod commands;
pub mod draw;
pub mod view;
