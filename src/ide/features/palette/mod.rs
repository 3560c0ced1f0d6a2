//! The palette, the list of keys, key maps, and commands of the program itself.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod keymaps;
pub mod keys;
pub mod picker;
pub mod run;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&picker::PICKER, &keys::PICKER, &keymaps::PICKER],
    ..Feature::new("palette")
};
