//! Command line: arguments in, one mode out. Layer 8: may import everything.
//!
//! Two stages: [`args`] parses a command or the [`options`] of the program, without interpreting them;
//! [`setup`] resolves them to ready objects, after which no module sees a raw flag. [`run`] starts the IDE,
//! [`headless`] the JSON and RPC modes, [`commands`] has the commands such as `bowline login`, [`manual`]
//! prints completions and manual pages, [`doctor`] reports what works here.

pub mod answer;
pub mod args;
pub mod attach;
pub mod commands;
pub mod doctor;
pub mod headless;
pub mod manual;
pub mod models;
pub mod options;
pub mod process;
pub mod run;
pub mod session_lookup;
pub mod setup;
pub mod subprocess;
pub mod target;
