//! Undo reaches beyond the program: the trees of files are kept and found again.

use crate::ide::core::feature::{Fact, Feature};

pub mod persist;
pub mod store;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|options| Box::new(options.keep_undo.then(|| store::UndoStore::new(&options.state)))],
    on_fact: |cx, fact| match fact {
        Fact::Opened(id) => persist::opened(cx, id),
        Fact::Saved { buffer: id, .. } | Fact::Closing(id) => persist::keep(cx, id),
        _ => {}
    },
    ..Feature::new("undo_store")
};
