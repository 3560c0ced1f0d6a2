//! What programs print becomes a grid, keys and the mouse become bytes. Must not know the loop, nor what is on screen.

pub mod grid;
pub mod keys;
pub mod mouse;
pub mod paint;
pub mod screen;
pub mod strings;
