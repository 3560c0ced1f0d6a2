//! Links that language servers find in texts, opened by a command.

use crate::ide::core::feature::Feature;

pub mod commands;

/// The feature's row.
pub const FEATURE: Feature = Feature { commands: &[commands::COMMANDS], ..Feature::new("document_links") };
