//! Dialect rows, and the input of their constructors.

use std::sync::Arc;
use std::time::Duration;

use crate::base::clock::SharedClock;
use crate::llm::access::{Access, AccessSource, Variables};
use crate::llm::model::{LlmError, Request};
use crate::llm::provider::{EventStream, Provider};
use crate::llm::stream::answer;
use crate::llm::stream::answer::Exchange;
use crate::llm::stream::answer::StreamContext;
use crate::llm::stream::answer::StreamReader;
use crate::net::http::Http;

/// A row of the dialect table.
pub struct Dialect {
    /// The id, as in a model's `api`.
    pub id: &'static str,
    /// Creates an adapter for a provider with this dialect.
    pub build: fn(Setup) -> Arc<dyn Provider>,
}

/// Input of an adapter.
#[derive(Clone)]
pub struct Setup {
    /// The id of its provider.
    pub provider: String,
    /// Source of URL and key: queried for each request.
    pub keys: Arc<dyn AccessSource>,
    /// Input for the dialect's own credential chain.
    pub variables: Variables,
    /// The shared client.
    pub http: Arc<Http>,
    /// For time stamps.
    pub clock: SharedClock,
    /// Maximum gap between chunks of this provider, if it is not the default.
    pub idle_timeout: Option<Duration>,
}

/// Returns an adapter that answers each request with one exchange, built by `exchange`.
pub fn adapter<R, F>(setup: Setup, exchange: fn(Setup, Request) -> F) -> Arc<dyn Provider>
where
    R: StreamReader + 'static,
    F: Future<Output = Result<Exchange<R>, LlmError>> + Send + 'static,
{
    Arc::new(Adapter { setup, exchange })
}

struct Adapter<F> {
    setup: Setup,
    exchange: fn(Setup, Request) -> F,
}

impl<R, F> Provider for Adapter<F>
where
    R: StreamReader + 'static,
    F: Future<Output = Result<Exchange<R>, LlmError>> + Send + 'static,
{
    fn id(&self) -> &str {
        &self.setup.provider
    }

    fn stream(&self, request: Request) -> EventStream {
        let (means, model) = (self.setup.stream_context(request.raw_events), request.model.clone());
        answer::stream(means, model, (self.exchange)(self.setup.clone(), request))
    }
}

impl Setup {
    /// Returns the access for a request, with the provider's headers followed by its model's.
    pub async fn access(&self, request: &Request) -> Result<Access, LlmError> {
        let mut access = self.keys.access().await?;
        for (name, text) in request.model.headers.iter() {
            let value = self.keys.resolve_value(&format!("the header `{name}`"), text).await?;
            access.headers.push((name.clone(), value));
        }
        Ok(access)
    }

    /// Returns the resources of an answer.
    pub fn stream_context(&self, raw: bool) -> StreamContext {
        StreamContext {
            http: self.http.clone(),
            clock: self.clock.clone(),
            raw,
            idle_timeout: self.idle_timeout,
        }
    }
}
