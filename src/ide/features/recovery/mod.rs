//! Unsaved text outlives the program: a journal of it, and bringing it back.

use crate::ide::core::feature::{Fact, Feature};

pub mod journal;
pub mod recover;
pub mod unsaved;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|options| Box::new(unsaved::Unsaved::new(&options.state))],
    on_fact: |cx, fact| match fact {
        Fact::BeforeSleep => recover::watch(cx),
        Fact::Due => recover::tick(cx),
        _ => {}
    },
    deadline: |state| state.slots[unsaved::UNSAVED].deadline(),
    ..Feature::new("recovery")
};
