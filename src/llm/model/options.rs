//! Options for an answer beyond the conversation. Must not know any wire format.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The required format of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseFormat {
    /// Name, `[a-zA-Z0-9_-]{1,64}`; some providers show it to the model.
    pub name: String,
    /// JSON Schema with an object at its root.
    pub schema: Value,
}

/// How long a provider should cache the prompt's prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheRetention {
    /// Not at all: no cache markers, no cache key.
    None,
    /// The provider's default, usually minutes.
    #[default]
    Short,
    /// The provider's maximum: an hour or a day.
    Long,
}

/// The format of a tool's input that is not JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grammar {
    /// The notation of `definition`.
    pub syntax: GrammarSyntax,
    /// The grammar itself.
    pub definition: String,
}

/// A grammar notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrammarSyntax {
    /// The Lark notation.
    Lark,
    /// A regular expression.
    Regex,
}

impl GrammarSyntax {
    /// Returns the name used in requests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lark => "lark",
            Self::Regex => "regex",
        }
    }
}

/// Whether a tool's arguments are constrained to their schema during generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// The provider's default.
    #[default]
    Free,
    /// If provider and schema allow it.
    Prefer,
    /// Always; the request may be rejected.
    Require,
}
