//! One call, from the model's words to its result.
//!
//! `pipeline` finds, checks, approves and runs it, `before_change` announces what it may change to the
//! `before_change_hook`, `translate` says it with the tools of another family. Must not know any built-in tool.

pub(super) mod before_change;
#[doc(hidden)]
pub mod before_change_hook;
#[doc(hidden)]
pub mod pipeline;
#[doc(hidden)]
pub mod translate;
