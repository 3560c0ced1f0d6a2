//! LLM client: routes requests to adapters, and lists usable models.
//!
//! Must not know any dialect beyond its row. Has no state that changes between requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, stream};
use parking_lot::Mutex;

use super::access::{AccessSource, Variables};
use super::auth::chain::Chain;
use super::auth::{self, Credentials};
use super::catalog::{Catalog, ProviderInfo};
use super::model::{ErrorKind, LlmError, Model, Request};
use super::provider::{EventStream, Injected, Provider};
use super::providers::{DIALECTS, Setup};
use crate::base::clock::SharedClock;
use crate::llm::discovery::discover;
use crate::llm::discovery::refresh::Lister;
use crate::llm::layers::layer::{Layer, Next};
use crate::llm::request::raw_input;
use crate::llm::stream_builder::StreamBuilder;
use crate::net::http::{Http, is_loopback_url};

/// Routes requests by provider and dialect. Cheap to clone; an adapter is created on first use.
#[derive(Clone)]
pub struct Client {
    entries: Vec<Arc<Entry>>,
    models: Vec<Arc<Model>>,
    layers: Arc<[Arc<dyn Layer>]>,
    /// Providers excluded because the program is offline.
    offline_excluded: Vec<String>,
}

/// One provider.
enum Entry {
    Injected(Arc<dyn Provider>),
    /// A provider of the catalog.
    Catalog(Box<CatalogProvider>),
}

/// Adapters created so far, by dialect and root URL.
type Adapters = HashMap<(&'static str, String), Arc<dyn Provider>>;

/// A provider of the catalog.
struct CatalogProvider {
    info: Arc<ProviderInfo>,
    /// Root URL of the API, for unknown models.
    root: String,
    /// Root URL of its model list.
    list_root: String,
    credentials: Credentials,
    variables: Variables,
    http: Arc<Http>,
    clock: SharedClock,
    adapters: Mutex<Adapters>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client").field("models", &self.models.len()).finish_non_exhaustive()
    }
}

impl Default for Client {
    fn default() -> Self {
        Self { entries: Vec::new(), models: Vec::new(), layers: Arc::new([]), offline_excluded: Vec::new() }
    }
}

impl Client {
    /// Creates a client without providers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a client with the injected providers, then every provider of the catalog with credentials;
    /// `offline` excludes those that are not on this machine.
    #[doc(hidden)]
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
        let (stored, _) = credentials.stored_entries();
        for info in &catalog.providers {
            let Some(reach) = credentials.access_to(info, &stored) else { continue };
            let var = |name: &str| reach.variables.get(name).cloned();
            let elsewhere = info.elsewhere_api.as_ref().filter(|_| reach.base_url.is_some());
            // For a provider with several dialects, the list is at the root of the oldest one.
            let oldest = info.model_list.as_deref().filter(|form| *form == "openai");
            let list_api = oldest.map_or(info.api(), |_| "openai-completions");
            let rooted = |api: &str, usual: &str| match &reach.base_url {
                Some(base) => info.base_url_below(base, api),
                None => usual.to_string(),
            };
            let list_root =
                auth::fill_placeholders(&rooted(list_api, info.base_url(list_api)), var).unwrap_or_default();
            let mut withheld = false;
            let models = catalog.models_at(info, Some(&list_root)).into_iter().filter_map(|model| {
                // This build does not support the dialect.
                DIALECTS.iter().find(|dialect| dialect.id == model.api)?;
                let api = elsewhere.unwrap_or(&model.api).clone();
                let base_url = auth::fill_placeholders(&rooted(&api, &model.base_url), var)?;
                let base_url = base_url.trim_end_matches('/').to_string();
                let allowed = !offline || info.local || is_loopback_url(&base_url);
                withheld |= !allowed;
                allowed.then(|| Arc::new(Model { api, base_url, ..(*model).clone() }))
            });
            let models: Vec<_> = models.collect();
            client.offline_excluded.extend(withheld.then(|| info.id.clone()));
            if models.is_empty() && info.probe.is_none() {
                continue;
            }
            let root = reach.base_url.as_deref().unwrap_or(info.base_url(info.api())).to_string();
            let known = CatalogProvider {
                info: Arc::new(info.clone()),
                root,
                list_root,
                credentials: credentials.clone(),
                variables: Variables { vars: reach.variables, ..credentials.variables() },
                http: http.clone(),
                clock: clock.clone(),
                adapters: Mutex::default(),
            };
            client.add(Entry::Catalog(Box::new(known)), models);
        }
        client
    }

    /// Adds an adapter; an existing one with the same id takes precedence.
    pub fn register(&mut self, provider: Arc<dyn Provider>, models: Vec<Arc<Model>>) {
        self.add(Entry::Injected(provider), models);
    }

    fn add(&mut self, entry: Entry, models: Vec<Arc<Model>>) {
        if self.entry(entry.id()).is_none() {
            self.entries.push(Arc::new(entry));
            self.models.extend(models);
        }
    }

    /// Wraps every answer in layers, the first one outermost.
    #[must_use]
    #[doc(hidden)]
    pub fn with_layers(mut self, layers: Vec<Arc<dyn Layer>>) -> Self {
        self.layers = layers.into();
        self
    }

    /// Returns the providers that only the offline setting makes unusable.
    #[doc(hidden)]
    pub fn offline_excluded(&self) -> &[String] {
        &self.offline_excluded
    }

    /// Returns the usable models; the first one is the default.
    pub fn models(&self) -> &[Arc<Model>] {
        &self.models
    }

    /// Queries the servers on this machine for their models. Fast when none is running.
    #[doc(hidden)]
    pub async fn discover_local(&self) -> Vec<Arc<Model>> {
        let known = self.entries.iter().filter_map(|entry| match &**entry {
            Entry::Catalog(known) => Some(known),
            Entry::Injected(_) => None,
        });
        let probed = known.filter(|known| known.info.probe.is_some() && is_loopback_url(&known.root));
        let found = futures::future::join_all(probed.map(|known| known.discover())).await;
        found.into_iter().flatten().map(Arc::new).collect()
    }

    /// Returns the usable providers that have a model list, or one of them.
    #[doc(hidden)]
    pub fn listers(&self, only: Option<&str>) -> Vec<Lister> {
        let known = self.entries.iter().filter_map(|entry| match &**entry {
            Entry::Catalog(known) => Some(known),
            Entry::Injected(_) => None,
        });
        let selected = known.filter(|known| only.is_none_or(|id| id == known.info.id));
        let listed = selected.filter(|known| known.info.model_list.is_some());
        listed.map(|known| Lister { keys: known.keys(&known.list_root) }).collect()
    }

    /// Whether a model runs on this machine.
    #[doc(hidden)]
    pub fn is_local(model: &Model) -> bool {
        is_loopback_url(&model.base_url)
    }

    /// Returns a replacement client with the same layers, so that their counters continue.
    #[must_use]
    #[doc(hidden)]
    pub fn replaced_with(&self, next: Self) -> Self {
        Self { layers: self.layers.clone(), ..next }
    }

    /// Starts an answer. Without a matching provider the stream is one error.
    pub fn stream(&self, request: Request) -> EventStream {
        let Model { provider, api, base_url, .. } = &request.model;
        let text = match self.entry(provider).map(|entry| entry.adapter(api, base_url)) {
            Some(Some(adapter)) => {
                let (free, next) =
                    (raw_input::free_text(&request), Next::first(self.layers.clone(), adapter));
                let (events, plain) = (next.stream(request), free.is_empty());
                let accept = move |event| raw_input::accept(event, &free);
                return if plain { events } else { events.map(accept).boxed() };
            }
            Some(None) => format!("`{provider}` speaks no dialect `{api}` that is known"),
            None => format!(
                "no provider `{provider}` is set up; `bowline login {provider}` does that, where it can be"
            ),
        };
        let error = LlmError::new(ErrorKind::Configuration, provider.clone(), text);
        Box::pin(stream::iter([StreamBuilder::new(&request.model, 0).fail(error)]))
    }

    fn entry(&self, id: &str) -> Option<&Arc<Entry>> {
        self.entries.iter().find(|entry| entry.id() == id)
    }
}

impl Entry {
    fn id(&self) -> &str {
        match self {
            Self::Injected(provider) => provider.id(),
            Self::Catalog(known) => &known.info.id,
        }
    }

    /// Returns the adapter for a dialect at a root URL.
    fn adapter(&self, api: &str, base_url: &str) -> Option<Arc<dyn Provider>> {
        match self {
            Self::Injected(provider) => Some(provider.clone()),
            Self::Catalog(known) => known.adapter(api, base_url),
        }
    }
}

impl CatalogProvider {
    fn adapter(&self, api: &str, base_url: &str) -> Option<Arc<dyn Provider>> {
        let dialect = DIALECTS.iter().find(|dialect| dialect.id == api)?;
        let key = (dialect.id, base_url.to_string());
        let mut made = self.adapters.lock();
        Some(made.entry(key).or_insert_with(|| (dialect.build)(self.setup(base_url))).clone())
    }

    async fn discover(&self) -> Vec<Model> {
        match self.keys(&self.root).access().await {
            Ok(access) => {
                let key = access.key.map(|key| key.0);
                discover::discover(&self.info, &self.root, key.as_deref(), &self.http).await
            }
            Err(error) => {
                tracing::debug!("{} is not asked for its models: {error}", self.info.id);
                Vec::new()
            }
        }
    }

    fn keys(&self, base_url: &str) -> Chain {
        Chain {
            info: self.info.clone(),
            credentials: self.credentials.clone(),
            base_url: base_url.to_string(),
            http: self.http.clone(),
            clock: self.clock.clone(),
        }
    }

    fn setup(&self, base_url: &str) -> Setup {
        let keys = self.keys(base_url);
        Setup {
            provider: self.info.id.clone(),
            keys: Arc::new(keys),
            variables: self.variables.clone(),
            http: self.http.clone(),
            clock: self.clock.clone(),
            idle_timeout: self.info.silence.map(Duration::from_secs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::ManualClock;
    use crate::llm::model::{StreamEvent, Thinking, ToolChoice};
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
    fn client_lists_only_reachable_models_and_demo_last() {
        let ids = |c: &Client| c.models().iter().map(|m| m.provider.clone()).collect::<Vec<_>>();
        assert_eq!(ids(&client(&[], false)), ["demo"]);
        let with_key = client(&[("ANTHROPIC_API_KEY", "k")], false);
        assert_eq!(with_key.models()[0].id, "claude-opus-5-5");
        assert_eq!(ids(&with_key).last().unwrap(), "demo");
        let offline = client(&[("ANTHROPIC_API_KEY", "k")], true);
        assert_eq!(
            (ids(&offline), offline.offline_excluded()),
            (vec!["demo".to_string()], &["anthropic".to_string()][..])
        );
        let local = [("ANTHROPIC_BASE_URL", "http://localhost:1")];
        assert_eq!(ids(&client(&local, true))[0], "anthropic");
    }

    #[test]
    fn client_compatible_server_uses_completions_api() {
        let api = |vars: &[(&str, &str)]| {
            let client = client(vars, false);
            client.models().iter().find(|model| model.provider == "openai").map(|model| model.api.clone())
        };
        assert_eq!(api(&[("OPENAI_API_KEY", "k")]).as_deref(), Some("openai-responses"));
        let own = [("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "https://models.example.com/v1")];
        assert_eq!(api(&own).as_deref(), Some("openai-completions"));
    }

    #[tokio::test]
    async fn client_unknown_provider_is_error_event() {
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
