//! What a model is sent: the system prompt, facts about its environment, and the session's history.

#[doc(hidden)]
pub mod environment;
#[doc(hidden)]
pub mod history;
pub mod prompt;
#[doc(hidden)]
pub mod translate;
