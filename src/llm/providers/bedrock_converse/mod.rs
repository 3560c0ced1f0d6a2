//! Amazon Bedrock's Converse API, streaming: models of many makers in one wire format.
//!
//! `family` has the differences between makers, `body` builds a request, `transcript` the messages in it,
//! `stream` reads the events, `errors` classifies errors, `region` resolves region and URL, `endpoint`
//! connects them with the credentials. Must not know other dialects.

pub mod body;
pub mod endpoint;
pub mod errors;
pub mod family;
pub mod region;
pub mod stream;
pub mod transcript;

use super::setup::Dialect;

/// The dialect's row.
pub const DIALECT: Dialect = Dialect { id: "bedrock-converse-stream", build: endpoint::build };
