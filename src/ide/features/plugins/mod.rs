//! Plugins of the editor, and whether those of a project may run.

pub mod commands;
pub mod program;
pub mod protocol;
pub mod read;
pub mod results;
pub mod run;
pub mod state;
pub mod trust;
