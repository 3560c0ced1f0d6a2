//! Command lines: `run` parses them and finds the command, the other files are its commands.

pub mod confirm;
pub mod normal;
pub mod options;
pub mod range;
pub mod run;
pub mod shift;
pub mod text;
