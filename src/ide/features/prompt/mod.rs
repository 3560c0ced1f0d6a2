//! The agent's prompt: its commands, its pane, and slash commands in it.

pub mod commands;
pub mod pane;
pub mod slash;
