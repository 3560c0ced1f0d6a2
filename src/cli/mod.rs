//! The command line: arguments in, one mode out. Layer 8: may import everything.
//!
//! Two stages: [`args`] collects without meaning, [`setup`] resolves into ready objects; after
//! that nobody sees a raw flag.

pub mod apart;
pub mod args;
pub mod attach;
pub mod contents;
pub mod errand;
pub mod headless;
pub mod login;
pub mod models;
pub mod process;
pub mod prompt;
pub mod prune;
pub mod restore;
pub mod run;
pub mod sessions;
pub mod setup;
pub mod stored;
pub mod target;
pub mod tool;
