//! Git's versions of the open files: marks beside lines, hunks to visit and to revert.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod events;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    on_event: |cx, fact| match fact {
        FeatureEvent::FrameSent | FeatureEvent::DeadlineReached => events::after_frame(cx),
        FeatureEvent::FilesMayHaveChanged => events::invalidate_all(cx),
        _ => {}
    },
    deadline: events::deadline,
    ..Feature::new("git")
};
