//! Parts of a text to fold that language servers know, for files whose language has no grammar here that says them.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod ranges;
pub mod state;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|_| Box::new(state::FoldingRanges::default())],
    on_event: |cx, fact| match fact {
        FeatureEvent::FrameSent | FeatureEvent::BeforeSleep => ranges::note_shown(cx),
        FeatureEvent::DeadlineReached => ranges::ask_when_still(cx),
        FeatureEvent::Closing(id) => cx.state.slots[state::FOLDING_RANGES].texts.forget(id),
        _ => {}
    },
    deadline: |state| state.slots[state::FOLDING_RANGES].texts.deadline(),
    ..Feature::new("folding_ranges")
};
