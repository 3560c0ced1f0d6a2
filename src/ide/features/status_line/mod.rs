//! The status line: the last line of the screen.

use crate::ide::core::feature::Feature;

pub mod pane;

/// The feature's row.
pub const FEATURE: Feature = Feature { panes: &[&pane::PANE], ..Feature::new("status_line") };
