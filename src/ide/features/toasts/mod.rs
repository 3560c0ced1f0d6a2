//! Messages to the user, shown for some seconds above the status line, and their log.

use crate::ide::core::damage::Part;
use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod log;
pub mod pane;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[log::COMMANDS],
    panes: &[&pane::PANE],
    pickers: &[&log::PICKER],
    on_event: |cx, fact| match fact {
        FeatureEvent::BeforeSleep => cx.state.status.stamp(cx.now, cx.now_ms),
        FeatureEvent::DeadlineReached
            if pane::deadline(cx.state).is_some() && cx.state.status.expire(cx.now) =>
        {
            cx.state.damage.add(Part::Toast);
        }
        _ => {}
    },
    deadline: pane::deadline,
    ..Feature::new("toasts")
};
