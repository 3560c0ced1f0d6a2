//! Hints of language servers within the lines of shown texts: types, names of parameters.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod hints;
pub mod state;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    slots: &[|options| {
        Box::new(state::InlayHints::new(options.settings.settings.server_display.inlay_hints))
    }],
    settings: &[commands::SETTINGS],
    on_event: |cx, fact| match fact {
        FeatureEvent::FrameSent | FeatureEvent::BeforeSleep => hints::note_shown(cx),
        FeatureEvent::DeadlineReached => hints::ask_when_still(cx),
        FeatureEvent::Closing(id) => cx.state.slots[state::INLAY_HINTS].texts.forget(id),
        _ => {}
    },
    deadline: |state| state.slots[state::INLAY_HINTS].texts.deadline(),
    ..Feature::new("inlay_hints")
};
