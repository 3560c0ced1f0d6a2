//! Google's Generative Language API, streaming: Gemini with a key.
//!
//! The wire itself is `llm::gemini`. Must not know other dialects.

pub mod endpoint;

use super::setup::Dialect;

/// The dialect's row.
pub const DIALECT: Dialect = Dialect { id: "google-generative-ai", build: endpoint::build };
