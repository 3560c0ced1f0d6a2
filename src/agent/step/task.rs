//! What the machine has summed up, and what follows. Plain data.

use crate::agent::event::CompactionReason;

/// A compaction that a user wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CompactionRequest {
    /// What the summary is to be about, above all.
    pub(super) instructions: Option<String>,
}

/// What is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// The older part of the conversation.
    Compaction(CompactionReason),
    /// A branch that is left.
    Branch,
}

/// What follows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Then {
    /// The request that was held up.
    Ask,
    /// The request that did not fit, once more; else the run ends with this.
    Again(String),
    /// Whatever was said meanwhile: no run is going on.
    Rest,
}
