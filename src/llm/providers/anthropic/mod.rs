//! Anthropic's Messages API, streaming.
//!
//! `compat` has the differences between servers, `request` builds the body, `transcript` the messages in it,
//! `schema` the input and output schemas, `stream` reads the events, `errors` classifies errors, `endpoint`
//! connects them. Must not know other dialects.

pub mod compat;
pub mod endpoint;
pub mod errors;
pub mod request;
pub mod schema;
pub mod stream;
pub mod transcript;

use super::setup::Dialect;

/// The dialect's row.
pub const DIALECT: Dialect = Dialect { id: "anthropic-messages", build: endpoint::build };
