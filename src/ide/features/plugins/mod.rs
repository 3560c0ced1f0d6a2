//! Editor plugins, and whether those of a project may run.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod program;
pub mod protocol;
pub mod read;
pub mod results;
pub mod run;
pub mod state;
pub mod trust;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS, trust::COMMANDS],
    pickers: &[&results::PICKER],
    slots: &[|options| {
        Box::new(state::Plugins { state: options.state.clone(), ..state::Plugins::default() })
    }],
    on_event: |cx, fact| {
        if fact == FeatureEvent::Started {
            run::read(cx, false, None);
        }
    },
    stop: run::stop,
    ..Feature::new("plugins")
};
