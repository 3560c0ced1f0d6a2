//! Earlier messages: prompts that can be used again, and a search through all conversations.

use crate::ide::core::feature::Feature;

pub mod commands;
pub mod conversations;
pub mod events;
pub mod prompts;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    commands: &[commands::COMMANDS],
    pickers: &[&conversations::PICKER, &prompts::PICKER],
    ..Feature::new("history_search")
};
