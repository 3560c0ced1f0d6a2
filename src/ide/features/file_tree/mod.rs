//! The file tree: a view of the workspace's files, and creating, moving and deleting them.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod events;
pub mod pane;
pub mod steps;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    panes: &[&pane::PANE],
    slots: &[|options| Box::new(steps::TreeSteps::new(&options.state))],
    is_changing: |state| state.slots[steps::TREE_STEPS].is_busy,
    ..Feature::new("file_tree")
};
