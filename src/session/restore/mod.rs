//! Recorded checkpoints of the workspace in a session.
//!
//! `checkpoints` finds the checkpoint at an entry, `steps` the recorded changes that lead back to one, `changes`
//! those of a part of the conversation. Pure; must not know how checkpoints are stored.

#[doc(hidden)]
pub mod changes;
#[doc(hidden)]
pub mod checkpoints;
#[doc(hidden)]
pub mod steps;
