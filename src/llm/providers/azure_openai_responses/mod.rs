//! The Responses API as Azure serves it: under an address of one's own, by deployments.
//!
//! The wire is `llm::responses`; `endpoint` sends, `place` knows addresses and names of
//! deployments. Must not know other dialects.

pub mod deployment;
pub mod endpoint;

use super::setup::Dialect;

/// The row.
pub const DIALECT: Dialect = Dialect { id: "azure-openai-responses", build: endpoint::build };
