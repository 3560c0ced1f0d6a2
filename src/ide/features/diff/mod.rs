//! What differs between two texts, as a view over everything.

use crate::ide::core::feature::{Fact, Feature};

pub mod commands;
pub mod compare;
pub mod draw;
pub mod events;
pub mod layer;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    on_fact: |cx, fact| {
        if matches!(fact, Fact::FrameSent | Fact::Due) {
            events::settle(cx);
        }
    },
    deadline: events::due,
    ..Feature::new("diff")
};
