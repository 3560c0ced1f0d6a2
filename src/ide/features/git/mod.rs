//! What git has of the open files: marks beside lines, hunks to go to and to revert.

use crate::ide::core::feature::{Fact, Feature};

pub mod commands;
pub mod events;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    on_fact: |cx, fact| match fact {
        Fact::FrameSent | Fact::Due => events::settle(cx),
        Fact::FilesMayDiffer => events::ask_again(cx),
        _ => {}
    },
    deadline: events::due,
    ..Feature::new("git")
};
