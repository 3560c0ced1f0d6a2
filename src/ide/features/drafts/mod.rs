//! Keeps the unsent message of the prompt: one for each session, also over the end of the program.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod events;
pub mod state;
pub mod store;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|options| Box::new(state::Drafts::from_options(options))],
    on_event: |cx, event| match event {
        FeatureEvent::BeforeSleep => events::note_changes(cx),
        FeatureEvent::DeadlineReached => events::tick(cx),
        _ => {}
    },
    deadline: |state| state.slots[state::DRAFTS].due,
    ..Feature::new("drafts")
};
