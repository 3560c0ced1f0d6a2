//! Google's Vertex AI, streaming: Gemini with a key or with the credentials of a cloud project.
//!
//! `place` finds the URL, `endpoint` connects it with `llm::gemini`, which is the wire itself, and
//! with `llm::auth::google`. Must not know other dialects.

pub mod endpoint;
pub mod location;

use super::setup::Dialect;

/// The row.
pub const DIALECT: Dialect = Dialect { id: "google-vertex", build: endpoint::build };
