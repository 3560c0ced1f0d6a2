//! The status line: the last line of the screen, in segments.

use crate::ide::core::feature::Feature;

pub mod left;
pub mod mouse;
pub mod pane;
pub mod right;
pub mod segments;

/// The feature's row.
pub const FEATURE: Feature = Feature { panes: &[&pane::PANE], ..Feature::new("status_line") };
