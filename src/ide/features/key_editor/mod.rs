//! Changing the keys of commands, and looking up what keys do.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod draw;
pub mod picker;
pub mod recorder;
pub mod rows;
pub mod store;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&picker::PICKER],
    on_event: |cx, event| {
        if let FeatureEvent::Saved { buffer, .. } = event {
            commands::on_saved(cx, buffer);
        }
    },
    ..Feature::new("key_editor")
};
