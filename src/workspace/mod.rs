//! A project folder: its root, files under ignore rules, checkpoints, and instruction documents for agents.
//!
//! Layer 2. May import `base` and `exec`; must not know the caller.

#[doc(hidden)]
pub mod checkpoint;
#[doc(hidden)]
pub mod documents;
#[doc(hidden)]
pub mod editorconfig;
#[doc(hidden)]
pub mod git;
#[doc(hidden)]
pub mod grep;
#[doc(hidden)]
pub mod list;
#[doc(hidden)]
pub mod walk;
#[doc(hidden)]
pub mod watch;
#[doc(hidden)]
pub mod watch_tree;

pub use documents::{Document, Documents};
pub use list::{Item, ItemKind};
pub use walk::WalkSummary;
