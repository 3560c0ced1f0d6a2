//! What a dialect's row holds and what its constructor gets.

use std::sync::Arc;
use std::time::Duration;

use crate::base::clock::SharedClock;
use crate::llm::access::{Keys, Surroundings};
use crate::llm::answer::Means;
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
    /// Where, and with which key: asked for each request.
    pub keys: Arc<dyn Keys>,
    /// For chains of credentials of the dialect's own.
    pub surroundings: Surroundings,
    /// The shared client.
    pub http: Arc<Http>,
    /// For time stamps.
    pub clock: SharedClock,
    /// Longest silence of this provider's answers, where it is not the usual one.
    pub silence: Option<Duration>,
}

impl Setup {
    /// What an answer needs beside its request.
    pub fn means(&self, raw: bool) -> Means {
        Means { http: self.http.clone(), clock: self.clock.clone(), raw, silence: self.silence }
    }
}
