//! Settings while the program runs: the screen that lists them, and changing the files.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod display;
pub mod screen;
pub mod store;
pub mod values;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&screen::PICKER, &values::PICKER],
    settings: &[display::SETTINGS],
    slots: &[|options| Box::new(store::SettingsState::new(options))],
    on_event: |cx, event| {
        if let FeatureEvent::Saved { buffer, .. } = event {
            commands::on_saved(cx, buffer);
        }
    },
    is_changing: |state| state.slots[store::SETTINGS].is_writing(),
    ..Feature::new("settings")
};
