//! Which words of a command name files.
//!
//! `files` finds them, `derived` those that other commands print, `expansions` names that the shell has yet to
//! make, and `process_memory` the files that hold what other processes keep in memory. Must not know what is
//! guarded.

pub(super) mod derived;
pub(super) mod expansions;
pub(super) mod files;
pub(super) mod process_memory;
