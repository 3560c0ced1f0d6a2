//! The tree of the workspace's files: shown, and files made, moved and deleted in it.

pub mod commands;
pub mod events;
pub mod pane;
pub mod steps;
