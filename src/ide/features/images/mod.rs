//! Images: what is known of them, and the form in which the terminal shows them, made by tasks.

use std::cell::RefCell;

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod cache;
pub mod data;
pub mod events;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|options| Box::new(RefCell::new(cache::ImageCache::new(options)))],
    on_event: |cx, fact| {
        if fact == FeatureEvent::FrameSent {
            events::after_frame(cx);
        }
    },
    ..Feature::new("images")
};
