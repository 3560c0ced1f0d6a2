//! The Responses API behind a login with `ChatGPT`.
//!
//! The wire is `llm::responses`; `endpoint` knows what this server wants besides. bowline says that it
//! is bowline here, too. Must not know other dialects.

pub mod endpoint;

use super::setup::Dialect;

/// The row.
pub const DIALECT: Dialect = Dialect { id: "openai-codex-responses", build: endpoint::build };
