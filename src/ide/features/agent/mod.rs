//! The agent feature: state and usage figures, commands, models, tools, queued messages, summaries.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod models;
pub mod tools;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&models::PICKER, &tools::PICKER],
    ..Feature::new("agent")
};
