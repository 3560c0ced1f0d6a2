//! Hook into compaction, for extensions that keep what they need or write summaries themselves. pi's
//! `session_before_compact`, `session_compact`, `session_compact_failed` and `session_before_tree`.
//!
//! Must not know the implementation.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::branch::BranchSummaryPlan;
use super::plan::Plan;
use crate::agent::event::{Compacted, CompactionReason};
use crate::llm::model::Usage;

/// A compaction that is about to start.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Before {
    /// The reason.
    pub reason: CompactionReason,
    /// Whether the request that did not fit is retried afterwards.
    pub will_retry: bool,
    /// The user's instructions for the summary.
    pub instructions: Option<String>,
    /// What would be summarized and what would be kept.
    pub plan: Arc<Plan>,
}

/// The hook's decision.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Verdict {
    /// Continue.
    #[default]
    Proceed,
    /// Cancel the compaction.
    Cancel,
    /// Use this summary.
    Supply(Box<Supplied>),
}

/// A summary supplied by a hook.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Supplied {
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
pub struct Failure {
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
pub trait Hook: Send + Sync {
    /// Called when a compaction is about to start.
    fn before(&self, _about: Before) -> BoxFuture<'static, Verdict> {
        async { Verdict::Proceed }.boxed()
    }

    /// Called when a branch summary is about to be written.
    fn before_leaving(&self, _about: Arc<BranchSummaryPlan>) -> BoxFuture<'static, Verdict> {
        async { Verdict::Proceed }.boxed()
    }

    /// Called after a compaction was added to the session.
    fn compacted(&self, _reason: CompactionReason, _done: Arc<Compacted>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }

    /// Called when a compaction failed.
    fn failed(&self, _failure: Failure) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}
