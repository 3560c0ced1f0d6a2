//! What a driver has summed up at the moment. Plain data.

use std::sync::Arc;

use crate::agent::compaction::Plan;
use crate::agent::compaction::branch::BranchSummaryPlan;
use crate::agent::event::CompactionReason;

/// What is being summed up.
pub(super) enum Summarizing {
    /// A compaction that would be the next one.
    Planned(Arc<Plan>),
    /// The older part of the conversation.
    Compaction { plan: Arc<Plan>, reason: CompactionReason, will_retry: bool },
    /// A branch.
    Branch(Arc<BranchSummaryPlan>),
}
