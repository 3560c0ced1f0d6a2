//! Keeps the unsent message of the prompt: one for each session, also over the end of the program. Others can be
//! stashed.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod events;
pub mod stash;
pub mod state;
pub mod store;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[stash::COMMANDS],
    pickers: &[&stash::PICKER],
    slots: &[|options| Box::new(state::Drafts::from_options(options))],
    on_event: |cx, event| match event {
        FeatureEvent::BeforeSleep => events::note_changes(cx),
        FeatureEvent::DeadlineReached => events::tick(cx),
        _ => {}
    },
    deadline: |state| state.slots[state::DRAFTS].due,
    ..Feature::new("drafts")
};
