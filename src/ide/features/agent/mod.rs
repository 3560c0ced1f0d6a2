//! The agent as the user steers it: state and figures, commands, models, tools, queued messages, summaries.

pub mod commands;
pub mod models;
pub mod queue;
pub mod tools;
