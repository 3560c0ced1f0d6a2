//! What a caller may wish of an answer beyond the conversation. Must not know any wire format.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An answer in a given form.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseFormat {
    /// `[a-zA-Z0-9_-]{1,64}`; some wires show it to the model.
    pub name: String,
    /// JSON Schema with an object root.
    pub schema: Value,
}

/// How long a provider should keep the prompt's prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheRetention {
    /// Not at all: no marks, no key.
    None,
    /// As long as it does by default, minutes mostly.
    #[default]
    Short,
    /// As long as it offers: an hour or a day.
    Long,
}

/// The form of a tool's input that is no JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grammar {
    /// The notation of `definition`.
    pub syntax: GrammarSyntax,
    /// The grammar itself.
    pub definition: String,
}

/// A notation for grammars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrammarSyntax {
    /// As Lark reads them.
    Lark,
    /// One regular expression.
    Regex,
}

impl GrammarSyntax {
    /// The word on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lark => "lark",
            Self::Regex => "regex",
        }
    }
}

/// Whether a tool's arguments are held to their schema while they are produced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// As the provider does by default.
    #[default]
    Free,
    /// Where provider and schema allow it.
    Prefer,
    /// Always; a provider that cannot is told so all the same.
    Require,
}
