//! The undo tree of a file: its view, and commands that move in it.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod draw;
pub mod layer;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature =
    Feature { commands: &[commands::COMMANDS], line_commands: commands::LINES, ..Feature::new("undo_tree") };
