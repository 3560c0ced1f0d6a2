//! The terminal pane. `emulator` converts the output of programs to a grid, and keys to bytes.

use crate::ide::core::feature::Feature;

pub mod agent_text;
pub mod commands;
pub mod emulator;
pub mod events;
pub mod input;
pub mod job;
pub mod messages;
pub mod pane;
pub mod state;
pub mod tasks;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    panes: &[&pane::PANE],
    slots: &[|_| Box::new(state::Terminals::default())],
    ..Feature::new("terminal")
};
