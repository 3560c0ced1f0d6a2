//! The title row of the agent's pane.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod pane;
pub mod title;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    panes: &[&pane::PANE],
    on_event: |cx, fact| match fact {
        FeatureEvent::FrameSent => title::update(cx),
        FeatureEvent::ConversationReplaced { .. } => title::clear(cx),
        _ => {}
    },
    ..Feature::new("agent_title")
};
