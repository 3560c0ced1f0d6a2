//! The Chat Completions wire format, streaming, which a great many servers speak.
//!
//! `request` builds the body, with `transcript` for the messages in it, `thinking` and `cache`;
//! `stream` reads the chunks, with `calls`, `counts` and what of the `reasoning` goes back; `compat` knows how servers
//! differ, `endpoint` connects them. Must not know other dialects.

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

/// The row.
pub const DIALECT: Dialect = Dialect { id: "openai-completions", build: endpoint::build };
