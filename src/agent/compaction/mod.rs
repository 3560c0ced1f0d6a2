//! Compaction: where a conversation no longer fits, a summary stands for its older part. And summaries
//! of branches that are left.
//!
//! Everything but `summary` is pure. Must not know who displays what comes of it, nor files: a plan is
//! made of entries, and whoever has the session keeps what was written.

pub mod branch;
pub mod budget;
pub mod cut;
pub mod estimate;
pub mod files;
pub mod hook;
pub mod plan;
pub mod prompt;
pub mod summary;
pub mod telling;

pub use budget::{Budget, Settings};
pub use plan::Plan;
