//! The palette, the list of keys, key maps, and commands of the program itself.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod keymaps;
pub mod keys;
pub mod picker;
pub mod recent;
pub mod run;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&picker::PICKER, &keys::PICKER, &keymaps::PICKER],
    settings: &[keymaps::SETTINGS],
    slots: &[
        |options| Box::new(recent::RecentCommands::new(options)),
        |options| Box::new(keymaps::Keymaps::new(options)),
    ],
    on_event: |cx, event| {
        if event == FeatureEvent::Started {
            recent::load(cx);
        }
    },
    ..Feature::new("palette")
};
