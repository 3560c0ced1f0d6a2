//! The agent feature: its commands, and the pickers of its settings other than the model.

use crate::ide::core::feature::Feature;

pub mod approval_modes;
pub mod commands;
pub mod profiles;
pub mod settings;
pub mod thinking;
pub mod tools;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&approval_modes::PICKER, &profiles::PICKER, &thinking::PICKER, &tools::PICKER],
    settings: &[settings::SETTINGS],
    ..Feature::new("agent")
};
