//! Review of what the agent changed: hunk by hunk, in files that are open or not, however they were changed. The
//! model learns of rejections and comments.
//!
//! `compute` finds the changed files by the session's checkpoints, `file` holds one of them with its hunks, `state`
//! the decisions, `apply` rejects hunks, `message` is what the model gets. `undo_edits` undoes edits of
//! open texts.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod apply;
pub mod commands;
pub mod compute;
pub mod draw;
pub mod events;
pub mod file;
pub mod layer;
pub mod marks;
pub mod message;
pub mod state;
pub mod undo_edits;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS, undo_edits::COMMANDS],
    on_event: |cx, event| match event {
        // Between calls only who looks needs it: comparing reads every changed file.
        FeatureEvent::ToolEnded if cx.state.layers.all::<view::ReviewView>().next().is_some() => {
            compute::start(cx);
        }
        FeatureEvent::AgentEnded { .. } | FeatureEvent::FilesRestored => compute::start(cx),
        FeatureEvent::ConversationReplaced { is_other_session } => {
            events::on_conversation_replaced(cx, is_other_session);
        }
        FeatureEvent::FrameSent => events::after_frame(cx),
        FeatureEvent::Opened(_) => events::on_opened(cx),
        FeatureEvent::Closing(id) => events::on_closing(cx, id),
        _ => {}
    },
    slots: &[|_| Box::new(state::Review::default())],
    is_changing: |state| state.slots[state::REVIEW].is_writing,
    ..Feature::new("review")
};
