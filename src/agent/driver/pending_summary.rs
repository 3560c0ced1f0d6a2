//! The driver's summary in progress. Plain data.

use std::sync::Arc;

use crate::agent::compaction::CompactionPlan;
use crate::agent::compaction::branch::BranchSummaryPlan;
use crate::agent::event::CompactionReason;

/// What is being summarized.
pub(super) enum PendingSummary {
    /// A compaction that is planned but not started.
    Planned(Arc<CompactionPlan>),
    /// The older part of the conversation.
    Compaction { plan: Arc<CompactionPlan>, reason: CompactionReason, will_retry: bool },
    /// A branch.
    Branch(Arc<BranchSummaryPlan>),
}
