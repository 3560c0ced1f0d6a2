//! The port through which somebody else has a say in compactions: an extension that keeps what it needs,
//! or writes summaries of its own. pi's `session_before_compact`, `session_compact`,
//! `session_compact_failed` and `session_before_tree`.
//!
//! Must not know who that is.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::branch::BranchSummaryPlan;
use super::plan::Plan;
use crate::agent::event::{Compacted, CompactionReason};
use crate::llm::model::Usage;

/// A compaction that is about to begin.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Before {
    /// Why.
    pub reason: CompactionReason,
    /// Whether the request that did not fit is sent again afterwards.
    pub will_retry: bool,
    /// What the user wants the summary to be about.
    pub instructions: Option<String>,
    /// What would be summed up, and what stays.
    pub plan: Arc<Plan>,
}

/// What is to become of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Verdict {
    /// It goes on.
    #[default]
    Proceed,
    /// It does not happen.
    Cancel,
    /// This is the summary.
    Supply(Box<Supplied>),
}

/// A summary that somebody else has written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Supplied {
    /// For the model.
    pub summary: String,
    /// Where the kept part begins, one of [`Plan::places`]; where it was meant to when `None`. Of no
    /// meaning for branches.
    pub first_kept: Option<String>,
    /// For front ends and for the next time.
    pub details: Option<Value>,
    /// What it cost.
    pub usage: Option<Usage>,
}

/// How a compaction failed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    /// Why it was begun.
    pub reason: CompactionReason,
    /// Whether somebody interrupted or cancelled it.
    pub aborted: bool,
    /// What went wrong, if that is why.
    pub error: Option<String>,
    /// Whether the request that did not fit would have been sent again.
    pub will_retry: bool,
}

/// Has a say in compactions. Whoever takes long holds the session up; interrupting drops it.
pub trait Hook: Send + Sync {
    /// A compaction is about to begin.
    fn before(&self, _about: Before) -> BoxFuture<'static, Verdict> {
        async { Verdict::Proceed }.boxed()
    }

    /// The summary of a branch is about to be written.
    fn before_leaving(&self, _about: Arc<BranchSummaryPlan>) -> BoxFuture<'static, Verdict> {
        async { Verdict::Proceed }.boxed()
    }

    /// A compaction is in the session.
    fn compacted(&self, _reason: CompactionReason, _done: Arc<Compacted>) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }

    /// A compaction came to nothing.
    fn failed(&self, _failure: Failure) -> BoxFuture<'static, ()> {
        async {}.boxed()
    }
}
