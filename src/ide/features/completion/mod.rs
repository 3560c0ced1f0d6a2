//! Completions at the editor's caret, from language servers, the words of open files, paths and snippets, and the
//! signature of the call that is typed.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod accept;
pub mod commands;
pub mod documentation;
pub mod pane;
pub mod rank;
pub mod request;
pub mod settings;
pub mod signature;
pub mod signature_pane;
pub mod sources;
pub mod state;
pub mod update;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    panes: &[&pane::PANE, &signature_pane::PANE],
    slots: &[|options| {
        let is_allowed = options.auto_completion;
        let is_on = is_allowed && options.settings.settings.auto_completion;
        Box::new(state::EditorCompletions { is_allowed, is_on, ..state::EditorCompletions::default() })
    }],
    settings: &[settings::SETTINGS],
    stop: update::stop,
    on_event: |cx, fact| {
        if fact == FeatureEvent::DeadlineReached {
            documentation::ask_when_rested(cx);
        }
    },
    deadline: |state| state.slots[state::COMPLETIONS].open.as_ref()?.documentation_at,
    ..Feature::new("completion")
};
