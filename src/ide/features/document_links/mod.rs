//! Links in texts, opened by a command: those that language servers find, else addresses and paths of files.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod find;

/// The feature's row.
pub const FEATURE: Feature = Feature { commands: &[commands::COMMANDS], ..Feature::new("document_links") };
