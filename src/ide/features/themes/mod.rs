//! Themes while the program runs: their names, and changing to another one.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod switch;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|options| Box::new(switch::Themes::new(options))],
    on_event: |cx, event| {
        if event == FeatureEvent::Started {
            switch::list(cx);
        }
    },
    ..Feature::new("themes")
};
