//! Execution of one call, from the model's request to its result.
//!
//! `pipeline` finds, checks, approves and runs it, `before_change` runs the `before_change_hook`, `translate`
//! converts it to the tools of another family. Must not know any built-in tool.

pub(super) mod before_change;
#[doc(hidden)]
pub mod before_change_hook;
pub mod new_errors;
#[doc(hidden)]
pub mod pipeline;
#[doc(hidden)]
pub mod translate;
