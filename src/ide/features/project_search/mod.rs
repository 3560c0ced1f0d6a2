//! Search and replace in all files of the workspace: results are an editable text.

use crate::ide::core::feature::Feature;

pub mod apply;
pub mod commands;
pub mod grep;
pub mod job;
pub mod navigate;
pub mod places;
pub mod plan;
pub mod search;
pub mod steps;
pub mod tasks;
pub mod whole;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&grep::PICKER],
    slots: &[|_| Box::new(steps::Replacements::default())],
    is_changing: |state| state.slots[steps::REPLACEMENTS].is_busy(),
    stop: navigate::stop,
    save_own_buffer: |cx, id| {
        let is_list = cx.state.buffers.get_mut(id).is_some_and(|buffer| buffer.results.is_some());
        if is_list {
            apply::begin(cx, id);
        }
        is_list
    },
    ..Feature::new("project_search")
};
