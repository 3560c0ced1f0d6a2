//! Private files that the program keeps for itself.
//!
//! `run_files` outlive the run that wrote them, `cache` drops the oldest, `spill` takes output too long for memory,
//! `trust` remembers which folders may configure what runs.

pub mod cache;
pub mod run_files;
pub mod spill;
pub mod trust;
