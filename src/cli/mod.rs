//! The command line: arguments in, one mode out. Layer 8: may import everything.
//!
//! Two stages: [`args`] collects without meaning, [`setup`] resolves into ready objects; after
//! that nobody sees a raw flag.

pub mod args;
pub mod attach;
pub mod commands;
pub mod headless;
pub mod models;
pub mod process;
pub mod run;
pub mod setup;
pub mod subprocess;
pub mod target;
