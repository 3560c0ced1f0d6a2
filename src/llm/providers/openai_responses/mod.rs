//! The Responses API of `OpenAI`, and of others who have taken it over.
//!
//! The wire is `llm::responses`; `endpoint` knows address and headers. Must not know other dialects.

pub mod endpoint;

use super::setup::Dialect;

/// The row.
pub const DIALECT: Dialect = Dialect { id: "openai-responses", build: endpoint::build };
