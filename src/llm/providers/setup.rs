//! What a dialect's row holds and what its constructor gets.

use std::sync::Arc;
use std::time::Duration;

use crate::base::clock::SharedClock;
use crate::llm::access::{Access, Keys, Variables};
use crate::llm::model::{LlmError, Request};
use crate::llm::provider::{EventStream, Provider};
use crate::llm::stream::answer;
use crate::llm::stream::answer::Exchange;
use crate::llm::stream::answer::Means;
use crate::llm::stream::answer::Reader;
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
    pub surroundings: Variables,
    /// The shared client.
    pub http: Arc<Http>,
    /// For time stamps.
    pub clock: SharedClock,
    /// Longest silence of this provider's answers, where it is not the usual one.
    pub silence: Option<Duration>,
}

/// An adapter that answers each request by one exchange, which `exchange` prepares.
pub fn adapter<R, F>(setup: Setup, exchange: fn(Setup, Request) -> F) -> Arc<dyn Provider>
where
    R: Reader + 'static,
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
    R: Reader + 'static,
    F: Future<Output = Result<Exchange<R>, LlmError>> + Send + 'static,
{
    fn id(&self) -> &str {
        &self.setup.provider
    }

    fn stream(&self, request: Request) -> EventStream {
        let (means, model) = (self.setup.means(request.raw_events), request.model.clone());
        answer::stream(means, model, (self.exchange)(self.setup.clone(), request))
    }
}

impl Setup {
    /// Access for a request, with the headers of its model behind those of the provider.
    pub async fn access(&self, request: &Request) -> Result<Access, LlmError> {
        let mut access = self.keys.access().await?;
        for (name, text) in request.model.headers.iter() {
            let value = self.keys.meant(&format!("the header `{name}`"), text).await?;
            access.headers.push((name.clone(), value));
        }
        Ok(access)
    }

    /// What an answer needs beside its request.
    pub fn means(&self, raw: bool) -> Means {
        Means { http: self.http.clone(), clock: self.clock.clone(), raw, silence: self.silence }
    }
}
