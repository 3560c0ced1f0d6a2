//! The diff view: differences between two texts, as an overlay.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod colors;
pub mod commands;
pub mod compare;
pub mod draw;
pub mod events;
pub mod layer;
pub mod rows;
mod side_by_side;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    on_event: |cx, fact| {
        if matches!(fact, FeatureEvent::FrameSent | FeatureEvent::DeadlineReached) {
            events::after_frame(cx);
        }
    },
    deadline: events::deadline,
    slots: &[|_| Box::new(events::ViewCount::default())],
    ..Feature::new("diff")
};
