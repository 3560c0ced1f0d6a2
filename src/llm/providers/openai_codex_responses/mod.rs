//! The Responses API behind a login with `ChatGPT`.
//!
//! The wire is `llm::responses`; `endpoint` knows what this server wants besides, `line` how it is
//! asked over a WebSocket, `continuation` what need not be said twice there. bowline says that it is
//! bowline here, too. Must not know other dialects.

pub mod continuation;
pub mod endpoint;
pub mod line;

use super::setup::Dialect;

/// The row.
pub const DIALECT: Dialect = Dialect { id: "openai-codex-responses", build: endpoint::build };
