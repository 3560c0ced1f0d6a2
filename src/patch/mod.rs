//! Changing text by exact replacement, and saying what changed. Pure.
//!
//! Layer 2. May import `base`; must not know files or tools.

pub mod diff;
pub mod replace;

pub use diff::LineDiff;
pub use replace::{Change, ReplaceError, Replacement};
