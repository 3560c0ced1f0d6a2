//! The file tree: a view of the workspace's files, what git says of them, and creating, moving and deleting them.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod changed_files;
pub mod commands;
pub mod events;
pub mod filter;
pub mod git_status;
pub mod ignored;
pub mod pane;
pub mod steps;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS, changed_files::COMMANDS, ignored::COMMANDS],
    pickers: &[&changed_files::PICKER],
    panes: &[&pane::PANE],
    slots: &[
        |options| Box::new(steps::TreeSteps::new(&options.state)),
        |_| Box::new(git_status::GitStatus::default()),
    ],
    on_event: |cx, event| match event {
        FeatureEvent::Started
        | FeatureEvent::Saved { .. }
        | FeatureEvent::FilesMayHaveChanged
        | FeatureEvent::FilesRestored
        | FeatureEvent::ToolEnded => git_status::invalidate(cx),
        FeatureEvent::FrameSent => {
            git_status::after_frame(cx);
            events::follow_shown_file(cx);
        }
        _ => {}
    },
    ..Feature::new("file_tree")
};
