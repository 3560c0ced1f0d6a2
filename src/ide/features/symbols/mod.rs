//! The named things of a file.

pub mod job;
pub mod picker;
