//! Permission requests: whether a tool call may run. A waiting call is shown above the prompt, so that the
//! conversation stays readable, and is answered by a command, an arrow and Enter, or a letter.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod answers;
pub mod body;
pub mod choices;
pub mod commands;
pub mod held_key;
pub mod mouse;
pub mod pane;
pub mod port;
pub mod requests;
pub mod rules;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    panes: &[&pane::PANE],
    slots: &[
        |_| Box::new(requests::PermissionRequests::default()),
        |_| Box::new(view::ApprovalView::default()),
    ],
    stop: answers::escape,
    on_event: |cx, fact| {
        if fact == FeatureEvent::DeadlineReached {
            held_key::on_deadline(cx);
        }
    },
    deadline: held_key::deadline,
    ..Feature::new("permissions")
};
