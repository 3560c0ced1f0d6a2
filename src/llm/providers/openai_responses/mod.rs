//! The Responses API of `OpenAI` and of other providers that support it.
//!
//! The wire format is `llm::responses`; `endpoint` has URL and headers. Must not know other dialects.

pub mod endpoint;

use super::setup::Dialect;

/// The dialect's row.
pub const DIALECT: Dialect = Dialect { id: "openai-responses", build: endpoint::build };
