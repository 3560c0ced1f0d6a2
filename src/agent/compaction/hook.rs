//! Hook into compaction, for extensions that keep what they need or write summaries themselves. pi's
//! `session_before_compact`, `session_compact`, `session_compact_failed` and `session_before_tree`.
//!
//! Must not know the implementation.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::branch::BranchSummaryPlan;
use super::plan::CompactionPlan;
use crate::agent::event::{Compacted, CompactionReason};
use crate::llm::model::Usage;

/// A compaction that is about to start.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BeforeCompaction {
    /// The reason.
    pub reason: CompactionReason,
    /// Whether the request that did not fit is retried afterwards.
    pub will_retry: bool,
    /// The user's instructions for the summary.
    pub instructions: Option<String>,
    /// What would be summarized and what would be kept.
    pub plan: Arc<CompactionPlan>,
}

/// The hook's decision.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum HookDecision {
    /// Continue.
    #[default]
    Proceed,
    /// Cancel the compaction.
    Cancel,
    /// Use this summary.
    Supply(Box<SuppliedSummary>),
}

/// A summary supplied by a hook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SuppliedSummary {
    /// The text for the model.
    pub summary: String,
    /// The first kept entry, one of [`Plan::places`]; `None` keeps the planned one. Ignored for branches.
    pub first_kept: Option<String>,
    /// Details for front ends and the next summary.
    pub details: Option<Value>,
    /// Its usage.
    pub usage: Option<Usage>,
}

/// A failed compaction.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CompactionFailure {
    /// The reason for the compaction.
    pub reason: CompactionReason,
    /// Whether it was interrupted or cancelled.
    pub aborted: bool,
    /// The error, if that is the cause.
    pub error: Option<String>,
    /// Whether the request that did not fit would have been retried.
    pub will_retry: bool,
}

/// Hook into compaction. The session waits for the hook; an interruption drops the future.
pub trait CompactionHook: Send + Sync {
    /// Called when a compaction is about to start.
    fn before_compaction(&self, _about: BeforeCompaction) -> BoxFuture<'static, HookDecision> {
        async { HookDecision::Proceed }.boxed()
    }

    /// Called when a branch summary is about to be written.
    fn before_branch_summary(&self, _about: Arc<BranchSummaryPlan>) -> BoxFuture<'static, HookDecision> {
        async { HookDecision::Proceed }.boxed()
    }

    /// Called after a compaction was added to the session.
    fn after_compaction(&self, _reason: CompactionReason, _done: Arc<Compacted>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }

    /// Called when a compaction failed.
    fn compaction_failed(&self, _failure: CompactionFailure) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}
