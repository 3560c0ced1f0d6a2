//! Pickers of marks, jumps and registers.

use crate::ide::core::feature::Feature;

pub mod jumps;
pub mod marks;
pub mod registers;

/// The feature's row.
pub const FEATURE: Feature =
    Feature { pickers: &[&registers::PICKER, &marks::PICKER, &jumps::PICKER], ..Feature::new("locations") };
