//! Settings while the program runs: changing the user's file.

use crate::ide::core::feature::Feature;

pub mod store;

/// The feature's row.
pub const FEATURE: Feature =
    Feature { slots: &[|options| Box::new(store::SettingsFile::new(options))], ..Feature::new("settings") };
