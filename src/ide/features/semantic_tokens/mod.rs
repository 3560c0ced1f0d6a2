//! Colors of names by what language servers know of them, over those of the syntax.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod scopes;
pub mod settings;
pub mod state;
pub mod tokens;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|options| {
        Box::new(state::SemanticTokens::new(options.settings.settings.server_display.semantic_tokens))
    }],
    settings: &[settings::SETTINGS],
    on_event: |cx, fact| match fact {
        FeatureEvent::FrameSent | FeatureEvent::BeforeSleep => tokens::note_shown(cx),
        FeatureEvent::DeadlineReached => tokens::ask_when_still(cx),
        FeatureEvent::Closing(id) => cx.state.slots[state::SEMANTIC_TOKENS].texts.forget(id),
        _ => {}
    },
    deadline: |state| state.slots[state::SEMANTIC_TOKENS].texts.deadline(),
    ..Feature::new("semantic_tokens")
};
