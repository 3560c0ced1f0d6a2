//! Pickers of marks, jumps, registers and the kill ring.

use crate::ide::core::feature::Feature;

pub mod jumps;
pub mod kill_ring;
pub mod marks;
pub mod registers;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    pickers: &[&registers::PICKER, &kill_ring::PICKER, &marks::PICKER, &jumps::PICKER],
    ..Feature::new("locations")
};
