//! Recovery of unsaved text after a crash, by a journal.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod journal;
pub mod recover;
pub mod unsaved;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|options| Box::new(unsaved::Unsaved::new(&options.state))],
    on_event: |cx, fact| match fact {
        FeatureEvent::BeforeSleep => recover::update_journal(cx),
        FeatureEvent::DeadlineReached => recover::tick(cx),
        _ => {}
    },
    deadline: |state| state.slots[unsaved::UNSAVED].deadline(),
    ..Feature::new("recovery")
};
