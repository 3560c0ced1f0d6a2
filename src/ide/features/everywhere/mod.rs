//! One list of what other lists have: open files, files, symbols of the shown file, commands.

use crate::ide::core::feature::Feature;

pub mod picker;

/// The feature's row.
pub const FEATURE: Feature =
    Feature { commands: &[picker::COMMANDS], pickers: &[&picker::PICKER], ..Feature::new("everywhere") };
