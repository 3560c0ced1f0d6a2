//! Colors that language servers find in texts: a swatch before each, and other ways to write one.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod presentations;
pub mod state;
pub mod swatches;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[presentations::COMMANDS],
    pickers: &[&presentations::PICKER],
    slots: &[|options| {
        Box::new(state::DocumentColors::new(options.settings.settings.server_display.color_swatches))
    }],
    settings: &[swatches::SETTINGS],
    on_event: |cx, fact| match fact {
        FeatureEvent::FrameSent | FeatureEvent::BeforeSleep => swatches::note_shown(cx),
        FeatureEvent::DeadlineReached => swatches::ask_when_still(cx),
        FeatureEvent::Closing(id) => cx.state.slots[state::DOCUMENT_COLORS].texts.forget(id),
        _ => {}
    },
    deadline: |state| state.slots[state::DOCUMENT_COLORS].texts.deadline(),
    ..Feature::new("document_colors")
};
