//! Running commands: `shell` starts them, the others are how a family deals with those that run on.

pub mod bash_output;
pub mod job;
pub mod kill_shell;
pub mod shell;
pub mod write_stdin;
