//! Tools that interact with the user or another agent.
//!
//! `questions` is the port to the user, `user_questions` asks through it, `plan` is the task list that front
//! ends display; `language_servers` is the port to language servers; `delegate` is the port to subagents, `delegation` has their shared texts. Must not know
//! front ends nor how agents work.

#[doc(hidden)]
pub mod delegate;
#[doc(hidden)]
pub mod delegation;
#[doc(hidden)]
pub mod language_servers;
#[doc(hidden)]
pub mod plan;
pub mod questions;
#[doc(hidden)]
pub mod reported_errors;
pub mod user_questions;
