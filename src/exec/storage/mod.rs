//! Private files of the program.
//!
//! `run_files` survive the run that wrote them, `cache` drops the oldest, `spill` stores output too long for
//! memory, `trust` records which folders may configure programs to run.

pub mod cache;
pub mod run_files;
pub mod spill;
pub mod trust;
