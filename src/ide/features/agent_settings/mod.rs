//! The panel of the agent's settings: model, thinking, tools, approval mode, profile.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod draw;
pub mod layer;
pub mod rows;

/// The feature's row.
pub const FEATURE: Feature = Feature { commands: &[commands::COMMANDS], ..Feature::new("agent_settings") };
