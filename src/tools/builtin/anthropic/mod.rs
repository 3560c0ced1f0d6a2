//! The tools of Claude Code, for the models of Anthropic.

pub mod agent;
pub mod ask_user_question;
pub mod bash;
pub mod bash_output;
pub mod edit;
pub mod glob;
pub mod grep;
pub mod kill_shell;
pub mod notebook_edit;
pub mod read;
pub mod todo_write;
pub mod write;

use std::sync::Arc;

use super::common::{close_agent, send_input, wait};
use super::set::Set;

/// The set.
pub static SET: Set = Set {
    id: "anthropic",
    tools: &[
        || Arc::new(read::Read),
        || Arc::new(edit::Edit),
        || Arc::new(write::Write),
        || Arc::new(glob::Glob),
        || Arc::new(grep::Grep),
        || Arc::new(notebook_edit::NotebookEdit),
        || Arc::new(bash::Bash),
        || Arc::new(bash_output::BashOutput),
        || Arc::new(kill_shell::KillShell),
        || Arc::new(todo_write::TodoWrite),
        || Arc::new(ask_user_question::AskUserQuestion),
        || Arc::new(agent::Agent),
        || Arc::new(send_input::SendInput { by_default: true }),
        || Arc::new(wait::Wait { by_default: true }),
        || Arc::new(close_agent::CloseAgent { by_default: true }),
    ],
};
