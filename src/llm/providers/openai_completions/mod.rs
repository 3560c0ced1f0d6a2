//! The Chat Completions wire format, streaming, which many servers support.
//!
//! `request` builds the body, with `transcript` for the messages in it, `thinking` and `cache`; `stream`
//! reads the chunks, with `calls`, `counts` and the `reasoning` to send back; `compat` has the differences
//! between servers, `endpoint` connects them. Must not know other dialects.

pub mod cache;
pub mod calls;
pub mod compat;
pub mod counts;
pub mod endpoint;
pub mod reasoning;
pub mod request;
pub mod stream;
pub mod thinking;
pub mod transcript;

use super::setup::Dialect;

/// The dialect's row.
pub const DIALECT: Dialect = Dialect { id: "openai-completions", build: endpoint::build };
