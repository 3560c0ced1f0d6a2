//! Mistral's own chat wire: like Chat Completions, but for call ids of nine letters and digits,
//! content in chunks with thinking among them, and names of its own.
//!
//! `request` builds the body, `transcript` the messages in it, `stream` reads the chunks, `errors`
//! sorts failures, `endpoint` connects them. Must not know other dialects.

pub mod endpoint;
pub mod errors;
pub mod request;
pub mod stream;
pub mod transcript;

use super::setup::Dialect;

/// The row.
pub const DIALECT: Dialect = Dialect { id: "mistral-conversations", build: endpoint::build };
