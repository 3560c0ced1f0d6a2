//! The line of tabs of open files.

use crate::ide::core::feature::Feature;

pub mod pane;

/// The feature's row.
pub const FEATURE: Feature = Feature { panes: &[&pane::PANE], ..Feature::new("tab_line") };
