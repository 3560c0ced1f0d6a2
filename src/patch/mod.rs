//! Text edits by exact replacement or by patches, and diffs. Pure.
//!
//! Layer 2. May import `base`; must not know files or tools.

pub mod diff;
mod fuzzy;
mod line_windows;
pub mod passes;
pub mod replace;
pub mod v4a;

pub use diff::LineDiff;
pub use passes::{Pass, Tolerance};
pub use replace::{Change, ReplaceError, ReplaceOptions, Replacement};
