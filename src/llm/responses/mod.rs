//! The Responses wire format, which three dialects speak: `body` is what is asked, `input` the
//! conversation in it; `stream` reads what comes back, item by item (`items`) up to its end
//! (`terminal`).
//!
//! Pure; must not know addresses, keys, or which dialect uses it beyond its `Options`.

pub mod body;
pub mod input;
pub mod items;
pub mod stream;
pub mod terminal;

/// How one of those who speak it differs from the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The model's name on the wire, where it is not the model's id.
    pub model: Option<String>,
    /// The system prompt goes into `instructions`, whatever the model's data says.
    pub instructions: bool,
    /// Whether tools can be held to their schemas where the model's data does not say.
    pub strict: bool,
    /// The server takes no limit of tokens.
    pub no_limits: bool,
    /// The server takes no wishes about how long a cache lives.
    pub no_lifetimes: bool,
}
