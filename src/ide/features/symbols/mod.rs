//! Symbols of a file, and of all files of the project.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod job;
pub mod picker;
pub mod project;
pub mod server_search;
pub mod server_symbols;
pub mod state;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    pickers: &[&picker::PICKER, &project::PICKER],
    slots: &[|_| Box::new(state::Symbols::default())],
    on_event: |cx, fact| {
        if fact == FeatureEvent::DeadlineReached {
            server_search::search_when_rested(cx);
        }
    },
    deadline: |state| state.slots[state::SYMBOLS].search_at.map(|(at, _)| at),
    ..Feature::new("symbols")
};
