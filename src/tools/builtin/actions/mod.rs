//! What the tools of all families do, one file for each intent.
//!
//! `files` reads and changes files, `search` finds files and text, `commands` runs commands. `plan`, `ask_user` and
//! `agent` touch no files.
//!
//! Must not know which families there are.

pub mod agent;
pub mod ask_user;
pub mod commands;
pub mod files;
pub mod plan;
pub mod search;
