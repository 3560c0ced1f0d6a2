//! Symbols of a file.

use crate::ide::core::feature::Feature;

pub mod job;
pub mod picker;

/// The feature's row.
pub const FEATURE: Feature = Feature { pickers: &[&picker::PICKER], ..Feature::new("symbols") };
