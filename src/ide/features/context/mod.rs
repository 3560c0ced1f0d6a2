//! The context report: the content of the next request, shown and edited by hand.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod draw;
pub mod events;
pub mod layer;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    on_event: |cx, fact| {
        if fact == FeatureEvent::FrameSent {
            events::after_frame(cx);
        }
    },
    ..Feature::new("context")
};
