//! Compaction: replaces the older part of a conversation that does not fit the context window with a summary.
//! Also summaries of branches that are left.
//!
//! Everything but `summary` is pure. Must not know who displays the result, nor files: a plan is made of
//! entries, and the owner of the session stores the summary.

#[doc(hidden)]
pub mod branch;
#[doc(hidden)]
pub mod budget;
#[doc(hidden)]
pub mod cut;
#[doc(hidden)]
pub mod estimate;
#[doc(hidden)]
pub mod files;
pub mod hook;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
pub mod prompt;
#[doc(hidden)]
pub mod serialize;
#[doc(hidden)]
pub mod summary;

pub use branch::BranchSummaryPlan;
#[doc(hidden)]
pub use budget::Budget;
pub use budget::{Override, Settings};
pub use plan::CompactionPlan;
