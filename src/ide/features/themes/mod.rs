//! Themes while the program runs: choosing one with a live preview, and following the terminal's background.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod background;
pub mod commands;
pub mod picker;
pub mod switch;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&picker::PICKER],
    settings: &[switch::SETTINGS],
    slots: &[|options| Box::new(switch::Themes::new(options))],
    is_changing: |state| state.slots[switch::THEMES].is_choosing(),
    on_event: |cx, event| {
        if event == FeatureEvent::Started {
            switch::list(cx);
        }
    },
    ..Feature::new("themes")
};
