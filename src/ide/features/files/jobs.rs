//! Which jobs create, move and delete files and folders now: one at a time, or another would find other paths than it was meant
//! for. Must not know what they do.

use std::sync::Arc;

use crate::ide::core::slots::Slot;

/// Slot of the feature's state.
pub const FILE_JOBS: Slot<FileJobs> = Slot::new();

/// The jobs that run.
#[derive(Debug, Default)]
pub struct FileJobs {
    /// Whether a job of the tree is running.
    pub is_tree_running: bool,
    /// Whether jobs together with changes of texts are applied or undone.
    pub is_together_running: bool,
    /// Shared with each [`AgentMoves`].
    agent_moves: Arc<()>,
}

/// Moves of the agent are under way until this is dropped, wherever that happens: a task that is aborted ends them, too.
#[derive(Debug)]
pub struct AgentMoves {
    _counted: Arc<()>,
}

impl FileJobs {
    /// Whether files and folders are being created, moved or deleted.
    pub fn is_busy(&self) -> bool {
        self.is_user_busy() || Arc::strong_count(&self.agent_moves) > 1
    }

    /// Whether the user is creating, moving or deleting files and folders.
    pub fn is_user_busy(&self) -> bool {
        self.is_tree_running || self.is_together_running
    }

    /// Begins moves of the agent.
    pub fn begin_agent_moves(&self) -> AgentMoves {
        AgentMoves { _counted: self.agent_moves.clone() }
    }
}
