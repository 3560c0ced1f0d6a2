//! Code lenses of language servers: a list of those of the shown text, and, if wanted, their titles behind lines.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod notes;
pub mod resolve;
pub mod state;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&commands::PICKER],
    slots: &[|options| Box::new(state::CodeLenses::new(options.settings.settings.server_display.code_lens))],
    settings: &[notes::SETTINGS],
    on_event: |cx, fact| match fact {
        FeatureEvent::FrameSent | FeatureEvent::BeforeSleep => notes::note_shown(cx),
        FeatureEvent::DeadlineReached => notes::ask_when_still(cx),
        FeatureEvent::Closing(id) => cx.state.slots[state::CODE_LENSES].texts.forget(id),
        _ => {}
    },
    deadline: |state| state.slots[state::CODE_LENSES].texts.deadline(),
    ..Feature::new("code_lens")
};
