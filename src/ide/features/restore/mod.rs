//! Restoring files to their state at an entry of the session.

use crate::ide::core::feature::Feature;

pub mod apply;
pub mod commands;
pub mod draw;
pub mod events;
pub mod last_turn;
pub mod layer;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    slots: &[|_| Box::new(apply::Restores::default())],
    is_changing: apply::is_running,
    ..Feature::new("restore")
};
