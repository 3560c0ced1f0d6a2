//! Undo reaches beyond the program: the trees of files are kept and found again.

use crate::ide::core::feature::Feature;

pub mod keep;
pub mod store;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|options| Box::new(options.keep_undo.then(|| store::UndoStore::new(&options.state)))],
    ..Feature::new("undo_store")
};
