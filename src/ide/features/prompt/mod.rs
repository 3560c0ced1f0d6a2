//! The agent's prompt, and slash commands in it.

pub mod pane;
pub mod slash;
