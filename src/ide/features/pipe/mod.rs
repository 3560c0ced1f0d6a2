//! Text through commands of the shell.

pub mod commands;
pub mod job;
pub mod run;
