//! Anthropic's Messages API, streaming.
//!
//! `request` builds the body, `transcript` the messages in it, `stream` reads the events,
//! `errors` sorts failures, `endpoint` connects them. Must not know other dialects.

pub mod endpoint;
pub mod errors;
pub mod request;
pub mod stream;
pub mod transcript;

use super::setup::Dialect;

/// The row.
pub const DIALECT: Dialect = Dialect { id: "anthropic-messages", build: endpoint::build };
