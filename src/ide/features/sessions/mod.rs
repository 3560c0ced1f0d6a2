//! The session tree, and continuing other sessions.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod draw;
pub mod events;
pub mod last;
pub mod layer;
pub mod picker;
pub mod picker_anywhere;
pub mod picker_delete;
pub mod search_line;
pub mod summaries;
pub mod trash;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[summaries::COMMANDS, commands::COMMANDS],
    pickers: &[&picker::PICKER, &picker_anywhere::PICKER, &picker_delete::PICKER],
    slots: &[|_| Box::<Option<Vec<last::RecentSession>>>::default()],
    on_event: |cx, event| match event {
        FeatureEvent::FrameSent => events::after_frame(cx),
        FeatureEvent::BeforeSleep => last::update_ages(cx),
        _ => {}
    },
    ..Feature::new("sessions")
};
