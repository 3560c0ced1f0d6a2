//! The driver's summary in progress. Plain data.

use std::sync::Arc;

use crate::agent::compaction::Plan;
use crate::agent::compaction::branch::BranchSummaryPlan;
use crate::agent::event::CompactionReason;

/// What is being summarized.
pub(super) enum Summarizing {
    /// A compaction that is planned but not started.
    Planned(Arc<Plan>),
    /// The older part of the conversation.
    Compaction { plan: Arc<Plan>, reason: CompactionReason, will_retry: bool },
    /// A branch.
    Branch(Arc<BranchSummaryPlan>),
}
