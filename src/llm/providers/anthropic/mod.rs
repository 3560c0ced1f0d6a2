//! Anthropic's Messages API, streaming.
//!
//! `compat` knows what servers differ in, `request` builds the body, `transcript` the messages in
//! it, `schema` the forms of input and output, `stream` reads the events, `errors` sorts failures,
//! `endpoint` connects them. Must not know other dialects.

pub mod compat;
pub mod endpoint;
pub mod errors;
pub mod request;
pub mod schema;
pub mod stream;
pub mod transcript;

use super::setup::Dialect;

/// The row.
pub const DIALECT: Dialect = Dialect { id: "anthropic-messages", build: endpoint::build };
