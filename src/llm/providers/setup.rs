//! What a dialect's row holds and what its constructor gets. No logic.

use std::sync::Arc;

use crate::base::clock::SharedClock;
use crate::llm::auth::Access;
use crate::llm::provider::Provider;
use crate::net::http::Http;

/// One row of the table of dialects.
pub struct Dialect {
    /// As in a model's `api`.
    pub id: &'static str,
    /// Makes an adapter for one provider that speaks it.
    pub build: fn(Setup) -> Arc<dyn Provider>,
}

/// What an adapter needs.
#[derive(Clone)]
pub struct Setup {
    /// The id of the provider that it is for.
    pub provider: String,
    /// Where, and with which key.
    pub access: Access,
    /// The shared client.
    pub http: Arc<Http>,
    /// For time stamps.
    pub clock: SharedClock,
}
