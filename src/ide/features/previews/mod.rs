//! Files beside lists: the image or the text of the selected row, read off the loop. Must not know which list.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod draw;
pub mod store;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|_| Box::new(store::Previews::default())],
    on_event: |cx, event| {
        if matches!(event, FeatureEvent::FrameSent | FeatureEvent::DeadlineReached) {
            store::after_frame(cx);
        }
    },
    deadline: store::deadline,
    ..Feature::new("previews")
};
