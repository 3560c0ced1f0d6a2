//! Search and replace in all files of the workspace: results as a text, changed by editing it.

pub mod apply;
pub mod commands;
pub mod grep;
pub mod job;
pub mod navigate;
pub mod plan;
pub mod search;
pub mod steps;
pub mod tasks;
