//! The models: the picker, favorites, and switching between them.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod commands;
pub mod events;
pub mod favorites;
pub mod picker;
pub mod store;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&picker::PICKER],
    slots: &[|options| Box::new(favorites::Favorites::new(&options.state))],
    on_event: |cx, event| match event {
        FeatureEvent::Started => favorites::load(cx),
        // The user comes back, perhaps from starting a server.
        FeatureEvent::FilesMayHaveChanged => events::look_for_local(cx),
        _ => {}
    },
    ..Feature::new("models")
};
