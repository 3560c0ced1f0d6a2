//! Amazon Bedrock's Converse API, streaming: many makers' models behind one wire.
//!
//! `family` knows what the makers differ in, `body` builds a request, `transcript` the messages in
//! it, `stream` reads the events, `errors` sorts failures, `place` finds region and URL, `endpoint`
//! connects them with the credentials. Must not know other dialects.

pub mod body;
pub mod endpoint;
pub mod errors;
pub mod family;
pub mod region;
pub mod stream;
pub mod transcript;

use super::setup::Dialect;

/// The row.
pub const DIALECT: Dialect = Dialect { id: "bedrock-converse-stream", build: endpoint::build };
