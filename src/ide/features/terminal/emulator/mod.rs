//! Terminal emulation: output of programs becomes a grid, keys and the mouse become bytes. Must not know the
//! event loop, nor what is on screen.

pub mod grid;
pub mod keys;
pub mod mouse;
pub mod paint;
pub mod prompt_marks;
pub mod screen;
pub mod strings;
