//! Changing text by exact replacement or by patches, and saying what changed. Pure.
//!
//! Layer 2. May import `base`; must not know files or tools.

pub mod diff;
mod fuzzy;
pub mod passes;
pub mod replace;
pub mod v4a;
mod windows;

pub use diff::LineDiff;
pub use passes::{Ladder, Pass};
pub use replace::{Change, How, ReplaceError, Replacement};
