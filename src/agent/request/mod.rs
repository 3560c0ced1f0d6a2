//! Parts of a request besides the system prompt: facts about its environment, and the session's history.

#[doc(hidden)]
pub mod environment;
#[doc(hidden)]
pub mod history;
#[doc(hidden)]
pub mod translate;
