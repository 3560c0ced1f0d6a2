//! The Responses API of Azure: the user's own URL, with deployments.
//!
//! The wire format is `llm::responses`; `endpoint` sends requests, `deployment` resolves URLs and deployment
//! names. Must not know other dialects.

pub mod deployment;
pub mod endpoint;

use super::setup::Dialect;

/// The dialect's row.
pub const DIALECT: Dialect = Dialect { id: "azure-openai-responses", build: endpoint::build };
