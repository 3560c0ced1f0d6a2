//! The session tree, and continuing other sessions.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod draw;
pub mod events;
pub mod forest;
pub mod forest_draw;
pub mod forest_events;
pub mod hint;
pub mod last;
pub mod layer;
pub mod pane;
pub mod picker;
pub mod picker_anywhere;
pub mod picker_delete;
pub mod preview;
pub mod search_line;
pub mod summaries;
pub mod trash;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[summaries::COMMANDS, commands::COMMANDS, pane::COMMANDS, forest_events::COMMANDS],
    pickers: &[&picker::PICKER, &picker_anywhere::PICKER, &picker_delete::PICKER],
    panes: &[&pane::PANE],
    slots: &[|_| Box::<Option<Vec<last::RecentSession>>>::default(), |_| Box::<pane::TreePane>::default()],
    on_event: |cx, event| match event {
        FeatureEvent::FrameSent => events::after_frame(cx),
        FeatureEvent::BeforeSleep => {
            last::update_ages(cx);
            events::before_sleep(cx);
        }
        FeatureEvent::ConversationReplaced { is_other_session } => {
            events::follow_replaced(cx.state, is_other_session);
        }
        _ => {}
    },
    ..Feature::new("sessions")
};
