//! The Responses API with a `ChatGPT` login.
//!
//! The wire format is `llm::responses`; `endpoint` has this server's additional requirements, `line` sends
//! requests over a `WebSocket`, `continuation` determines what need not be sent again there. bowline
//! identifies itself as bowline here, too. Must not know other dialects.

pub mod continuation;
pub mod endpoint;
pub mod websocket;

use super::setup::Dialect;

/// The dialect's row.
pub const DIALECT: Dialect = Dialect { id: "openai-codex-responses", build: endpoint::build };
