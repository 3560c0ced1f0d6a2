//! Login and logout at providers, and refreshing model lists.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod draw;
pub mod events;
pub mod layer;
pub mod login_picker;
pub mod logout_picker;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&login_picker::PICKER, &logout_picker::PICKER],
    ..Feature::new("login")
};
