//! Permissions of calls.
//!
//! `approve` makes the decision: `policy` has the approval modes, `rules` the user's rules, `approval` asks
//! the front end, `proposal` is the rule that the user may add, `preview` the edit as displayed before.
//! `targets` finds guarded and denied paths in command lines, `hard_links` their other names, `aliases` the
//! names of a call in rules, `modified_paths` the files that a call reads or changes, `git_programs` whether
//! git would run programs of the repository, `warnings` what a command does that is easily overlooked. Must not
//! know how calls run.

pub(super) mod aliases;
#[doc(hidden)]
pub mod approval;
pub(super) mod approve;
#[doc(hidden)]
pub mod git_programs;
pub(super) mod hard_links;
#[doc(hidden)]
pub mod modified_paths;
#[doc(hidden)]
pub mod policy;
pub(super) mod preview;
#[doc(hidden)]
pub mod proposal;
#[doc(hidden)]
pub mod rules;
pub(super) mod targets;
#[doc(hidden)]
pub mod warnings;
