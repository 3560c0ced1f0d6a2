//! Mistral's chat format: like Chat Completions, except for call ids of nine letters and digits, content in
//! chunks that include thinking, and different names.
//!
//! `request` builds the body, `transcript` the messages in it, `stream` reads the chunks, `errors` classifies
//! errors, `endpoint` connects them. Must not know other dialects.

pub mod endpoint;
pub mod errors;
pub mod request;
pub mod stream;
pub mod transcript;

use super::setup::Dialect;

/// The dialect's row.
pub const DIALECT: Dialect = Dialect { id: "mistral-conversations", build: endpoint::build };
