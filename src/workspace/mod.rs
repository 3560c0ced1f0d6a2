//! A folder as a project: its root, its files under the ignore rules, its states, its documents for agents.
//!
//! Layer 2. May import `base` and `exec`; must not know who looks at it.

pub mod checkpoint;
pub mod documents;
pub mod editorconfig;
pub mod git;
pub mod grep;
pub mod list;
pub mod walk;
pub mod watch;

pub use documents::{Document, Documents};
pub use list::{Item, ItemKind};
pub use walk::Walked;
