//! The context report: what the next request will hold, shown and changed by hand.

use crate::ide::core::feature::{Fact, Feature};

pub mod commands;
pub mod draw;
pub mod events;
pub mod layer;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    on_fact: |cx, fact| {
        if fact == Fact::FrameSent {
            events::settle(cx);
        }
    },
    ..Feature::new("context")
};
