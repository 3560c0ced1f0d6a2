//! Google's Vertex AI, streaming: Gemini with a key or with the credentials of a cloud project.
//!
//! `location` resolves the URL, `endpoint` connects it with `llm::gemini`, which is the wire format, and with
//! `llm::auth::google`. Must not know other dialects.

pub mod endpoint;
pub mod location;

use super::setup::Dialect;

/// The dialect's row.
pub const DIALECT: Dialect = Dialect { id: "google-vertex", build: endpoint::build };
