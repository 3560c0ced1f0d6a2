//! Symbols of a file, and of all files of the project.

use crate::ide::core::feature::Feature;

pub mod job;
pub mod picker;
pub mod project;

/// The feature's row.
pub const FEATURE: Feature =
    Feature { pickers: &[&picker::PICKER, &project::PICKER], ..Feature::new("symbols") };
