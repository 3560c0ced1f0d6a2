//! The terminal pane. `emulator` converts the output of programs to a grid, and keys to bytes. Background commands of
//! the agent are tabs of the pane that can only be read.

use crate::ide::core::feature::Feature;

pub mod agent_job_terminal;
pub mod agent_jobs;
pub mod agent_jobs_commands;
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
    commands: &[commands::COMMANDS, agent_jobs_commands::COMMANDS],
    pickers: &[&agent_jobs_commands::PICKER],
    panes: &[&pane::PANE],
    slots: &[|_| Box::new(state::Terminals::default())],
    ..Feature::new("terminal")
};
