//! Checkpoints of the workspace, and restoring files and conversation to one.
//!
//! `checkpoints` records the files before and after calls, `target` is the plain data of a restore, `perform`
//! previews it and carries it out, `changes` finds what agents changed, `comparison` what differs between two points. Must not know who asks.

#[doc(hidden)]
pub mod changes;
#[doc(hidden)]
pub mod checkpoints;
pub mod comparison;
#[doc(hidden)]
pub mod perform;
pub mod target;
