//! Command actions: `shell` starts commands, the others operate on background commands, in each family's
//! form.

pub mod bash_output;
pub mod job;
pub mod kill_shell;
pub mod shell;
pub mod write_stdin;
