//! Find and replace in the shown file: one bar with a row for the query and one for the replacement.
//!
//! `bar` is the layer, `job` reads the text, `search` starts jobs and takes their results, `replace` edits, `preview`
//! shows the replacements between the characters. Must not know projects: `project_search` searches files.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod bar;
pub mod commands;
pub mod draw;
pub mod history;
pub mod job;
pub mod lines;
pub mod preview;
pub mod replace;
pub mod search;
pub mod state;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&lines::PICKER],
    slots: &[|_| Box::new(state::FindState::default())],
    on_event: |cx, event| {
        if event == FeatureEvent::BeforeSleep {
            search::follow_text(cx);
        }
    },
    ..Feature::new("find")
};
