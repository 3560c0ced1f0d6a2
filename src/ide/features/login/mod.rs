//! The list of providers, login and logout there, and refreshing model lists.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod draw;
pub mod events;
pub mod layer;
pub mod logout_picker;
pub mod providers_picker;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&providers_picker::PICKER, &logout_picker::PICKER],
    slots: &[|_| Box::<providers_picker::Providers>::default()],
    ..Feature::new("login")
};
