//! Permission requests: whether a tool call may run. A waiting call is shown above the prompt, so that the
//! conversation stays readable, and is answered by a command, an arrow and Enter, or a letter. And the screen that lists
//! what the session may do.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod answers;
pub mod body;
pub mod choices;
pub mod commands;
pub mod held_key;
pub mod mouse;
pub mod pane;
pub mod port;
pub mod report;
pub mod requests;
pub mod rules;
pub mod screen;
pub mod screen_rows;
pub mod trial;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&screen::PICKER],
    panes: &[&pane::PANE],
    slots: &[
        |_| Box::new(requests::PermissionRequests::default()),
        |_| Box::new(view::ApprovalView::default()),
        |_| Box::new(report::ReportState::default()),
    ],
    stop: answers::escape,
    on_event: |cx, fact| match fact {
        FeatureEvent::DeadlineReached => held_key::on_deadline(cx),
        FeatureEvent::Saved { buffer, .. } => report::on_saved(cx, buffer),
        FeatureEvent::ToolEnded => report::on_call_ended(cx),
        FeatureEvent::BeforeSleep => screen::update(cx),
        _ => {}
    },
    deadline: held_key::deadline,
    ..Feature::new("permissions")
};
