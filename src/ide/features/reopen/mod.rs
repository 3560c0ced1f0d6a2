//! Restores open files and windows at the next start in a folder.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod restore;
pub mod state;
pub mod store;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|options| Box::new(state::Reopen::from_options(options))],
    on_event: |cx, fact| match fact {
        FeatureEvent::BeforeSleep => restore::note_changes(cx),
        FeatureEvent::DeadlineReached => restore::tick(cx),
        FeatureEvent::Saved { is_renamed: true, .. } | FeatureEvent::TextsMoved => {
            cx.state.slots[state::REOPEN].mark_renamed();
        }
        _ => {}
    },
    deadline: |state| state.slots[state::REOPEN].due,
    ..Feature::new("reopen")
};
