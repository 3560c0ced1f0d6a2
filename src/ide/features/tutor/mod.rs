//! The tutor: ten short steps on a project of their own, with the keys of the key map in use.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod project;
pub mod steps;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    slots: &[|options| Box::new(commands::TutorFolder::new(&options.state))],
    ..Feature::new("tutor")
};
