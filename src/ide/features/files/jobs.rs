//! Which jobs create, move and delete files and folders now: one at a time, or another would find other paths than it was meant
//! for. Must not know what they do.

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
    /// How many moves of the agent are under way.
    pub agent_moves: usize,
}

impl FileJobs {
    /// Whether files and folders are being created, moved or deleted.
    pub fn is_busy(&self) -> bool {
        self.is_tree_running || self.is_together_running || self.agent_moves > 0
    }
}
