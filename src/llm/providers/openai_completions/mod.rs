//! The Chat Completions wire format, streaming, which a great many servers speak.
//!
//! `request` builds the body, `transcript` the messages in it, `stream` reads the chunks,
//! `endpoint` connects them. Must not know other dialects.

pub mod endpoint;
pub mod request;
pub mod stream;
pub mod transcript;

use super::setup::Dialect;

/// The row.
pub const DIALECT: Dialect = Dialect { id: "openai-completions", build: endpoint::build };
