//! Git's versions of the open files: marks beside lines, hunks to visit and to revert; branches and commits.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod branches;
pub mod commands;
pub mod commits;
pub mod events;
pub mod run;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&branches::PICKER, &commits::PICKER],
    on_event: |cx, fact| match fact {
        FeatureEvent::FrameSent | FeatureEvent::DeadlineReached => events::after_frame(cx),
        FeatureEvent::FilesMayHaveChanged => events::invalidate_all(cx),
        _ => {}
    },
    deadline: events::deadline,
    ..Feature::new("git")
};
