//! The tools of codex, for the models of `OpenAI`.

pub mod apply_patch;
pub mod exec_command;
pub mod glob;
pub mod grep_files;
pub mod list_dir;
pub mod read_file;
pub mod request_user_input;
pub mod update_plan;
pub mod view_image;
pub mod write_file;
pub mod write_stdin;

use std::sync::Arc;

use super::common::{close_agent, send_input, spawn_agent, wait};
use super::set::Set;

/// The set.
pub static SET: Set = Set {
    id: "openai",
    tools: &[
        || Arc::new(apply_patch::ApplyPatch),
        || Arc::new(read_file::ReadFile),
        || Arc::new(write_file::WriteFile),
        || Arc::new(grep_files::GrepFiles),
        || Arc::new(list_dir::ListDir),
        || Arc::new(glob::Glob),
        || Arc::new(view_image::ViewImage),
        || Arc::new(exec_command::ExecCommand),
        || Arc::new(write_stdin::WriteStdin),
        || Arc::new(update_plan::UpdatePlan),
        || Arc::new(request_user_input::RequestUserInput),
        || Arc::new(spawn_agent::SpawnAgent { by_default: true }),
        || Arc::new(send_input::SendInput { by_default: true }),
        || Arc::new(wait::Wait { by_default: true }),
        || Arc::new(close_agent::CloseAgent { by_default: true }),
    ],
};
