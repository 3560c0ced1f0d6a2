//! The terminal pane's inside: what programs print becomes a grid, keys become bytes. Must not know the
//! panes, nor how a shell is started.

pub mod ask;
pub mod emulator;
pub mod grid;
pub mod job;
pub mod keys;
pub mod mouse;
pub mod paint;
pub mod strings;
