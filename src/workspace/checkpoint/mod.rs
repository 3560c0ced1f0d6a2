//! Checkpoints of a workspace's files, stored outside of it in git's format, and restoring any of them.
//!
//! May know files and git's format; must not know sessions, agents or who displays it. The project's own
//! repository is never opened. All functions block: call them on a blocking thread.

pub mod apply;
pub mod checkpointer;
pub mod error;
pub mod files;
pub mod ignore_rules;
pub mod index;
pub mod merge;
pub mod name;
pub mod object;
pub mod pack;
pub mod plan;
pub mod snapshot;
pub mod store;

pub use apply::Applied;
pub use checkpointer::{Checkpointer, RecordedCheckpoint};
pub use error::CheckpointError;
pub use files::{Files, Node};
pub use name::Name;
pub use object::Oid;
pub use plan::{Conflict, Decision, Decisions, Plan, Step};
pub use snapshot::{Limits, SkipReason};
pub use store::Store;
