//! Command lines: `run` reads them and finds the command, the other files are its commands.

pub mod confirm;
pub mod file;
pub mod given;
pub mod normal;
pub mod range;
pub mod run;
pub mod shell;
pub mod shift;
pub mod text;
