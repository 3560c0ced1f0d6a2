//! Detection of read-only commands.
//!
//! `judge` decides, `known` is the table of programs with their harmless options, read by `options`; `find`,
//! `git` and `sed` have their own languages. Must not know files nor hosts.

pub(super) mod find;
pub(super) mod git;
pub(super) mod judge;
pub(super) mod known;
pub(super) mod options;
pub(super) mod sed;
