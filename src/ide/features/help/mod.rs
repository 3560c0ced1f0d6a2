//! Help: the pages of the documentation, found by their headings and words, and read in the editor.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod pages;
pub mod picker;

/// The feature's row.
pub const FEATURE: Feature =
    Feature { commands: &[commands::COMMANDS], pickers: &[&picker::PICKER], ..Feature::new("help") };
