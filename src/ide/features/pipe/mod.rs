//! Filtering text through shell commands.

use crate::ide::core::feature::Feature;

pub mod command;
pub mod command_line;
pub mod commands;
pub mod job;
pub mod run;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    line_commands: command_line::LINES,
    stop: run::stop,
    ..Feature::new("pipe")
};
