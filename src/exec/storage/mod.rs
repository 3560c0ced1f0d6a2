//! Private files of the program.
//!
//! `run_files` survive the run that wrote them, `cache` drops the oldest, `spill` stores output too long for
//! memory, `scratch` is made anew each time, `trust` records which folders may configure programs to run.

pub mod cache;
pub mod run_files;
pub mod scratch;
pub mod spill;
pub mod trust;
