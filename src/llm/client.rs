//! Requests to the provider that answers them: the registered adapters and the usable models.
//!
//! Must not know any dialect beyond its row. Holds nothing that changes between requests.

use std::sync::Arc;

use futures::stream;

use super::accumulate::Accumulator;
use super::auth::Credentials;
use super::catalog::Catalog;
use super::model::{ErrorKind, LlmError, Model, Request, StopReason, StreamEvent};
use super::provider::{EventStream, Provider};
use super::providers::{DIALECTS, Setup};
use crate::base::clock::SharedClock;
use crate::net::http::{Http, loopback_url};

/// A provider that does not come from the catalog, with the models it serves.
#[derive(Clone)]
pub struct Injected {
    /// The adapter.
    pub provider: Arc<dyn Provider>,
    /// Its models, the one to begin with first.
    pub models: Vec<Arc<Model>>,
}

/// Routes requests by provider id.
#[derive(Clone, Default)]
pub struct Client {
    providers: Vec<Arc<dyn Provider>>,
    models: Vec<Arc<Model>>,
}

impl Client {
    /// A client that can reach nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Every provider of the catalog whose credentials exist, after those that are injected;
    /// `offline` leaves out what is not on this machine.
    pub fn assemble(
        catalog: &Catalog,
        credentials: &Credentials,
        injected: Vec<Injected>,
        http: &Arc<Http>,
        clock: &SharedClock,
        offline: bool,
    ) -> Self {
        let mut client = Self::new();
        for extra in injected {
            client.register(extra.provider, extra.models);
        }
        for info in &catalog.providers {
            let Some(dialect) = DIALECTS.iter().find(|d| d.id == info.api) else { continue };
            let Some(access) = credentials.access(info) else { continue };
            let remote = !access.base_url.is_empty() && !loopback_url(&access.base_url);
            if offline && remote {
                continue;
            }
            let models = catalog.models_of(info).into_iter().map(|model| {
                let base_url = access.base_url.clone();
                Arc::new(Model { base_url, ..(*model).clone() })
            });
            let models = models.collect();
            let setup = Setup { provider: info.id.clone(), access, http: http.clone(), clock: clock.clone() };
            client.register((dialect.build)(setup), models);
        }
        client
    }

    /// Adds a provider; one of the same id that was there before stays in charge.
    pub fn register(&mut self, provider: Arc<dyn Provider>, models: Vec<Arc<Model>>) {
        if self.provider(provider.id()).is_none() {
            self.providers.push(provider);
            self.models.extend(models);
        }
    }

    /// The models that can be asked now, the first one the default.
    pub fn models(&self) -> &[Arc<Model>] {
        &self.models
    }

    /// Starts an answer. Without a fitting provider the stream is one error.
    pub fn stream(&self, request: Request) -> EventStream {
        if let Some(provider) = self.provider(&request.model.provider) {
            return provider.stream(request);
        }
        let text = format!("no provider `{}` is set up", request.model.provider);
        let error = LlmError::new(ErrorKind::Configuration, request.model.provider.clone(), text);
        let mut message = Accumulator::new(&request.model, 0).finish();
        message.stop_reason = StopReason::Error;
        message.error_message = Some(error.message.clone());
        Box::pin(stream::iter([StreamEvent::Error { error, message: Box::new(message) }]))
    }

    fn provider(&self, id: &str) -> Option<&Arc<dyn Provider>> {
        self.providers.iter().find(|p| p.id() == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::ManualClock;
    use crate::llm::model::{Thinking, ToolChoice};
    use futures::StreamExt;
    use std::collections::HashMap;

    fn client(vars: &[(&str, &str)], offline: bool) -> Client {
        let vars: HashMap<_, _> = vars.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
        let clock: SharedClock = ManualClock::new(0);
        Client::assemble(
            Catalog::builtin(),
            &Credentials::new(vars),
            vec![],
            &Arc::default(),
            &clock,
            offline,
        )
    }

    #[test]
    fn only_what_can_be_asked_is_offered_and_the_demo_comes_last() {
        let ids = |c: &Client| c.models().iter().map(|m| m.provider.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&client(&[], false)), ["demo"]);
        let with_key = client(&[("ANTHROPIC_API_KEY", "k")], false);
        assert_eq!(with_key.models()[0].id, "claude-opus-5-5");
        assert_eq!(ids(&with_key).last().unwrap(), "demo");
        assert_eq!(ids(&client(&[("ANTHROPIC_API_KEY", "k")], true)), ["demo"]);
        let local = [("ANTHROPIC_BASE_URL", "http://localhost:1")];
        assert_eq!(ids(&client(&local, true))[0], "anthropic");
    }

    #[tokio::test]
    async fn an_unknown_provider_is_an_error_event() {
        let request = Request {
            model: Model::unknown("nobody", "m", "a", ""),
            system: vec![],
            messages: vec![],
            tools: vec![],
            tool_choice: ToolChoice::Auto,
            thinking: Thinking::Off,
            max_tokens: None,
            session_id: None,
        };
        let events: Vec<_> = client(&[], false).stream(request).collect().await;
        assert!(
            matches!(&events[..], [StreamEvent::Error { error, .. }] if error.kind == ErrorKind::Configuration)
        );
    }
}
