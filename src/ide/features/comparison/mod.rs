//! Comparing two points of a session: what was said after their common past, and the files.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod draw;
pub mod events;
pub mod layer;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature { commands: &[commands::COMMANDS], ..Feature::new("comparison") };
