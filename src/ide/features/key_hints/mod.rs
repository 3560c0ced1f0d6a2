//! The keys that continue a prefix, in a pop-up once the user hesitates.

use crate::ide::core::feature::Feature;

pub mod paging;
pub mod pane;

/// The feature's row.
pub const FEATURE: Feature = Feature { panes: &[&pane::PANE], ..Feature::new("key_hints") };
