//! The messages that wait for the working agent: taken back, edited, reordered, deleted, delivered at another point.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod draw;
pub mod layer;
pub mod take_back;

/// The feature's row.
pub const FEATURE: Feature = Feature { commands: &[commands::COMMANDS], ..Feature::new("message_queue") };
