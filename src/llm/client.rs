//! Requests to the provider that answers them: the registered adapters and the usable models.
//!
//! Must not know any dialect beyond its row. Holds nothing that changes between requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream;

use super::access::Fixed;
use super::auth::Credentials;
use super::catalog::Catalog;
use super::draft::Draft;
use super::layer::{Layer, Next};
use super::model::{ErrorKind, LlmError, Model, Request};
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

/// Routes requests by provider and dialect. Cheap to clone; an adapter is made when it is asked for
/// the first time.
#[derive(Clone)]
pub struct Client {
    entries: Vec<Arc<Entry>>,
    models: Vec<Arc<Model>>,
    layers: Arc<[Arc<dyn Layer>]>,
}

/// One provider.
enum Entry {
    Injected(Arc<dyn Provider>),
    /// The adapters that were asked so far: a provider may speak several dialects.
    Known {
        setup: Setup,
        made: Mutex<HashMap<&'static str, Arc<dyn Provider>>>,
    },
}

impl Default for Client {
    fn default() -> Self {
        Self { entries: Vec::new(), models: Vec::new(), layers: Arc::new([]) }
    }
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
            let setup = Setup {
                provider: info.id.clone(),
                keys: Arc::new(Fixed(access)),
                surroundings: credentials.surroundings(),
                http: http.clone(),
                clock: clock.clone(),
            };
            client.add(Entry::Known { setup, made: Mutex::default() }, models);
        }
        client
    }

    /// Adds an adapter; one of the same id that was there before stays in charge.
    pub fn register(&mut self, provider: Arc<dyn Provider>, models: Vec<Arc<Model>>) {
        self.add(Entry::Injected(provider), models);
    }

    fn add(&mut self, entry: Entry, models: Vec<Arc<Model>>) {
        if self.entry(entry.id()).is_none() {
            self.entries.push(Arc::new(entry));
            self.models.extend(models);
        }
    }

    /// Puts layers around every answer, the first one outermost.
    #[must_use]
    pub fn with_layers(mut self, layers: Vec<Arc<dyn Layer>>) -> Self {
        self.layers = layers.into();
        self
    }

    /// The models that can be asked now, the first one the default.
    pub fn models(&self) -> &[Arc<Model>] {
        &self.models
    }

    /// Starts an answer. Without a fitting provider the stream is one error.
    pub fn stream(&self, request: Request) -> EventStream {
        let Model { provider, api, .. } = &request.model;
        let text = match self.entry(provider).map(|entry| entry.adapter(api)) {
            Some(Some(adapter)) => return Next::first(self.layers.clone(), adapter).stream(request),
            Some(None) => format!("`{provider}` speaks no dialect `{api}` that is known"),
            None => format!("no provider `{provider}` is set up"),
        };
        let error = LlmError::new(ErrorKind::Configuration, provider.clone(), text);
        Box::pin(stream::iter([Draft::new(&request.model, 0).fail(error)]))
    }

    fn entry(&self, id: &str) -> Option<&Arc<Entry>> {
        self.entries.iter().find(|entry| entry.id() == id)
    }
}

impl Entry {
    fn id(&self) -> &str {
        match self {
            Self::Injected(provider) => provider.id(),
            Self::Known { setup, .. } => &setup.provider,
        }
    }

    /// The adapter for a dialect.
    fn adapter(&self, api: &str) -> Option<Arc<dyn Provider>> {
        match self {
            Self::Injected(provider) => Some(provider.clone()),
            Self::Known { setup, made } => {
                let dialect = DIALECTS.iter().find(|dialect| dialect.id == api)?;
                let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
                Some(made.entry(dialect.id).or_insert_with(|| (dialect.build)(setup.clone())).clone())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::ManualClock;
    use crate::llm::model::{StreamEvent, Thinking, ToolChoice};
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
            ..Request::default()
        };
        let events: Vec<_> = client(&[], false).stream(request).collect().await;
        assert!(
            matches!(&events[..], [StreamEvent::Error { error, .. }] if error.kind == ErrorKind::Configuration)
        );
    }
}
