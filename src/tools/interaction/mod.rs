//! Tools that need another party: the user, or another agent.
//!
//! `questions` is the port to the user, `user_questions` asks through it, `plan` is the task list that front
//! ends show; `delegate` is the port to subagents, `delegation` the words about them. Must not know front ends
//! nor how agents work.

#[doc(hidden)]
pub mod delegate;
#[doc(hidden)]
pub mod delegation;
#[doc(hidden)]
pub mod plan;
pub mod questions;
#[doc(hidden)]
pub mod user_questions;
