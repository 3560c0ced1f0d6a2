//! Compaction: where a conversation no longer fits, a summary stands for its older part. And summaries
//! of branches that are left.
//!
//! Everything but `summary` is pure. Must not know who displays what comes of it, nor files: a plan is
//! made of entries, and whoever has the session keeps what was written.

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
pub use plan::Plan;
