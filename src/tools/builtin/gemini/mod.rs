//! The tools of gemini-cli, for the models of Google.

pub mod ask_user;
pub mod glob;
pub mod grep_search;
pub mod list_directory;
pub mod read_file;
pub mod read_many_files;
pub mod replace;
pub mod run_shell_command;
pub mod write_file;
pub mod write_todos;

use std::sync::Arc;

use super::common::{close_agent, send_input, spawn_agent, wait};
use super::set::Set;

/// The set.
pub static SET: Set = Set {
    id: "gemini",
    tools: &[
        || Arc::new(read_file::ReadFile),
        || Arc::new(read_many_files::ReadManyFiles),
        || Arc::new(write_file::WriteFile),
        || Arc::new(replace::Replace),
        || Arc::new(grep_search::GrepSearch),
        || Arc::new(glob::Glob),
        || Arc::new(list_directory::ListDirectory),
        || Arc::new(run_shell_command::RunShellCommand),
        || Arc::new(write_todos::WriteTodos),
        || Arc::new(ask_user::AskUser),
        || Arc::new(spawn_agent::SpawnAgent { by_default: true }),
        || Arc::new(send_input::SendInput { by_default: true }),
        || Arc::new(wait::Wait { by_default: true }),
        || Arc::new(close_agent::CloseAgent { by_default: true }),
    ],
};
