//! What the tools of all families do, one file for each intent.
//!
//! Files are read by `read`, `read_many` and `view_image`, changed by `write`, `edit`, `apply_patch` and
//! `notebook_edit`, found by `find`, `grep` and `list`. `shell` runs commands; `job`, `write_stdin`,
//! `bash_output` and `kill_shell` are how a family deals with those that run on. `plan`, `ask_user` and `agent`
//! touch no files.
//!
//! Must not know which families there are.

pub mod agent;
pub mod apply_patch;
pub mod ask_user;
pub mod bash_output;
pub mod edit;
pub mod find;
pub mod grep;
pub mod job;
pub mod kill_shell;
pub mod list;
pub mod notebook_edit;
pub mod plan;
pub mod read;
pub mod read_many;
pub mod shell;
pub mod view_image;
pub mod write;
pub mod write_stdin;
