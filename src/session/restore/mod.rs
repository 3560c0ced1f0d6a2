//! Which states of the workspace a session has recorded.
//!
//! `checkpoints` says which state holds at an entry, `steps` which recorded changes lead back to one. Pure;
//! must not know how states are kept.

#[doc(hidden)]
pub mod checkpoints;
#[doc(hidden)]
pub mod steps;
