//! Git's versions of the open files: marks beside lines, hunks to visit and to revert; branches and commits.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod branch;
pub mod branches;
pub mod commands;
pub mod commits;
pub mod events;
pub mod run;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    slots: &[|_| Box::new(branch::CurrentBranch::default())],
    pickers: &[&branches::PICKER, &commits::PICKER],
    on_event: |cx, fact| match fact {
        FeatureEvent::FrameSent => {
            events::after_frame(cx);
            branch::after_frame(cx);
        }
        FeatureEvent::DeadlineReached => events::after_frame(cx),
        FeatureEvent::FilesMayHaveChanged => {
            events::invalidate_all(cx);
            branch::invalidate(cx);
        }
        FeatureEvent::Started | FeatureEvent::ToolEnded => branch::invalidate(cx),
        _ => {}
    },
    deadline: events::deadline,
    ..Feature::new("git")
};
