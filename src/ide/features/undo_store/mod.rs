//! Persistent undo: the undo trees of files are saved and restored.

use crate::ide::core::feature::{Feature, FeatureEvent};

pub mod persist;
pub mod store;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|options| Box::new(options.keep_undo.then(|| store::UndoStore::new(&options.state)))],
    on_event: |cx, fact| match fact {
        FeatureEvent::Opened(id) => persist::on_opened(cx, id),
        FeatureEvent::Saved { buffer: id, .. } | FeatureEvent::Closing(id) => persist::store_tree(cx, id),
        _ => {}
    },
    ..Feature::new("undo_store")
};
