//! Summaries in progress in the state machine, and what follows them. Plain data.

use crate::agent::event::CompactionReason;

/// A compaction requested by the user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct CompactionRequest {
    /// Instructions for the summary.
    pub(super) instructions: Option<String>,
}

/// What is summarized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SummaryTask {
    /// The older part of the conversation.
    Compaction(CompactionReason),
    /// A branch that is left.
    Branch,
}

/// What follows the summary.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AfterSummary {
    /// The postponed request.
    CallModel,
    /// The request that did not fit, once more; on failure the run ends with this error.
    RetryRequest(String),
    /// Messages that were submitted meanwhile: no run is active.
    Idle,
}
