//! Actions of the tools of all families, one file for each intent.
//!
//! `files` reads and changes files, `search` finds files and text, `commands` runs commands. `plan`,
//! `ask_user` and `agent` access no files, `language_servers` asks language servers.
//!
//! Must not know which families exist.

pub mod agent;
pub mod ask_user;
pub mod commands;
pub mod files;
pub mod language_servers;
pub mod plan;
pub mod search;
