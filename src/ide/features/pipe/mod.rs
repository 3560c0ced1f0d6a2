//! Filtering text through shell commands.

use crate::ide::core::feature::Feature;

pub mod command;
pub mod command_line;
pub mod commands;
pub mod job;
pub mod run;
pub mod state;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    line_commands: command_line::LINES,
    stop: run::stop,
    slots: &[|_| Box::new(state::Pipe::default())],
    ..Feature::new("pipe")
};
