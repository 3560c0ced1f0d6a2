//! pi's tools: few, short, for every model that no other set is made for.

pub mod ask_user;
pub mod bash;
pub mod edit;
pub mod find;
pub mod grep;
pub mod job;
pub mod ls;
pub mod plan;
pub mod read;
pub mod write;

use std::sync::Arc;

use super::common::{close_agent, send_input, spawn_agent, wait};
use super::set::Set;

/// The set.
pub static SET: Set = Set {
    id: "pi",
    tools: &[
        || Arc::new(read::Read),
        || Arc::new(bash::Bash),
        || Arc::new(edit::Edit),
        || Arc::new(write::Write),
        || Arc::new(ls::Ls),
        || Arc::new(grep::Grep),
        || Arc::new(find::Find),
        || Arc::new(job::JobTool),
        || Arc::new(ask_user::AskUser),
        || Arc::new(plan::Plan),
        || Arc::new(spawn_agent::SpawnAgent { by_default: false }),
        || Arc::new(send_input::SendInput { by_default: false }),
        || Arc::new(wait::Wait { by_default: false }),
        || Arc::new(close_agent::CloseAgent { by_default: false }),
    ],
};
