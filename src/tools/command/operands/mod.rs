//! File operands of a command.
//!
//! `files` finds them, `derived` those that other commands print, `expansions` handles unexpanded names, and
//! `process_memory` the files that expose other processes' memory. Must not know which files are guarded.

pub(super) mod derived;
pub(super) mod expansions;
pub(super) mod files;
pub(super) mod process_memory;
