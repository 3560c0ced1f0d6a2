//! The Responses wire format, which three dialects share: `body` builds the request, `input` the conversation
//! in it; `stream` reads the response, item by item (`items`) to its end (`terminal`).
//!
//! Pure; must not know URLs, keys, or which dialect uses it beyond its `Options`.

pub mod body;
pub mod input;
pub mod items;
pub mod stream;
pub mod terminal;

/// Differences between the dialects that use it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The model's name in requests, if it is not the model's id.
    pub model: Option<String>,
    /// Whether the system prompt is sent as `instructions`, whatever the model's data says.
    pub instructions: bool,
    /// Default for whether tool schemas can be enforced, if the model's data does not say.
    pub strict: bool,
    /// Whether the server accepts no token limit.
    pub no_limits: bool,
    /// Whether the server accepts no cache durations.
    pub no_lifetimes: bool,
}
