//! The agent's prompt: its commands, its pane, and slash commands in it.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod pane;
pub mod slash_commands;

/// The feature's row.
pub const FEATURE: Feature =
    Feature { commands: &[commands::COMMANDS], panes: &[&pane::PANE], ..Feature::new("prompt") };
