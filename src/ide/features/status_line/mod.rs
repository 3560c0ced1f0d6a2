//! The last line of the screen.

pub mod pane;
