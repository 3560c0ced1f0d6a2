//! The line of open files.

pub mod pane;
