//! The session tree, and continuing other sessions.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod draw;
pub mod events;
pub mod layer;
pub mod picker;
pub mod picker_anywhere;
pub mod picker_delete;
pub mod summaries;
pub mod trash;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[summaries::COMMANDS, commands::COMMANDS],
    pickers: &[&picker::PICKER, &picker_anywhere::PICKER, &picker_delete::PICKER],
    on_event: |cx, fact| {
        if fact == FeatureEvent::FrameSent {
            events::after_frame(cx);
        }
    },
    ..Feature::new("sessions")
};
