//! Image files in the editor: shown as what they are, with zoom. Their text is their bytes, as of every binary file, so
//! that saving, watching and closing are the same.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod draw;
pub mod events;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    slots: &[|_| Box::new(view::ImageFiles::default())],
    on_event: |cx, event| match event {
        FeatureEvent::Opened(id) => events::on_opened(cx, id),
        FeatureEvent::Closing(id) => events::on_closing(cx, id),
        FeatureEvent::FrameSent => events::after_frame(cx),
        _ => {}
    },
    ..Feature::new("image_files")
};
