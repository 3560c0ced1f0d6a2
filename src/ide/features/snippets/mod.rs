//! Snippets with tab stops and variables.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod picker;
pub mod variables;

/// The feature's row.
pub const FEATURE: Feature =
    Feature { commands: &[commands::COMMANDS], pickers: &[&picker::PICKER], ..Feature::new("snippets") };
