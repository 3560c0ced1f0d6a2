//! Text through commands of the shell.

pub mod command;
pub mod commands;
pub mod job;
pub mod run;
