//! Changing text by exact replacement or by patches, and saying what changed. Pure.
//!
//! Layer 2. May import `base`; must not know files or tools.

pub mod diff;
pub mod replace;
pub mod v4a;

pub use diff::LineDiff;
pub use replace::{Change, ReplaceError, Replacement};
