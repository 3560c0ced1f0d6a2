//! Reloads the usable models while a session runs: after a login or logout, after model lists were fetched,
//! and when another process has changed the files that they depend on.
//!
//! Must not know who displays it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;

use super::access::{self, ModelAccess};
use super::available::AvailableModels;
use crate::base::error::Report;
use crate::exec::Environment;
use crate::llm::auth;
use crate::llm::catalog::Catalog;
use crate::llm::client::Client;
use crate::llm::model::Model;
use crate::runtime::lifecycle::options::Options;

/// Client, catalog, and usable models.
pub type LoadedModels = (Client, Catalog, Vec<Arc<Model>>);

/// State of the reload. Cheap to clone; all clones share it.
#[derive(Clone)]
pub struct ModelReloader {
    options: Arc<Options>,
    /// The environment that the session works in.
    environment: Arc<RwLock<Arc<dyn Environment>>>,
    /// Fingerprint of the files when they were last read.
    last_fingerprint: Arc<AtomicU64>,
    /// Number of sessions that have replaced the first one.
    successors: Arc<AtomicU64>,
}

impl ModelReloader {
    /// Creates it for a session with these options; `seen` is the fingerprint of the files.
    pub fn new(options: Options, seen: u64) -> Self {
        let env = Arc::new(RwLock::new(options.env.clone()));
        Self {
            options: Arc::new(options),
            environment: env,
            last_fingerprint: Arc::new(AtomicU64::new(seen)),
            successors: Arc::default(),
        }
    }
}

/// Returns the fingerprint of the files that decide which models are usable. Reads files.
pub fn fingerprint(options: &Options) -> u64 {
    let mut hasher = DefaultHasher::new();
    let models = options.home.config.join("models.json");
    for path in [access::store(options).path(), &models, &access::cached_lists_path(options)] {
        // An unreadable file is reported when it is needed.
        auth::read_text(path).unwrap_or_default().hash(&mut hasher);
    }
    hasher.finish()
}

impl ModelReloader {
    /// Returns the session's options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Returns the options with the current environment.
    pub fn current_options(&self) -> Options {
        let env = self.environment.read().clone();
        Options { env, ..(*self.options).clone() }
    }

    /// Sets the environment after a move.
    pub fn set_environment(&self, env: Arc<dyn Environment>) {
        *self.environment.write() = env;
    }

    /// Returns the session's number, counted from 0: a task started for one session must not affect the next.
    pub fn session_number(&self) -> u64 {
        self.successors.load(Ordering::SeqCst)
    }

    /// Counts a new session.
    pub fn count_session(&self) {
        self.successors.fetch_add(1, Ordering::SeqCst);
    }

    /// Returns the usable models, including those `told` by servers of this machine. `None` when no file has
    /// changed since the last call, unless `always`.
    pub async fn reload(
        &self,
        always: bool,
        mut discovered: Vec<Arc<Model>>,
    ) -> Result<Option<LoadedModels>, Report> {
        let (options, seen) = (self.options.clone(), self.last_fingerprint.clone());
        let read_models = move || {
            let now = fingerprint(&options);
            let changed = seen.swap(now, Ordering::SeqCst) != now;
            (changed || always).then(|| access::load(&options))
        };
        let reached = tokio::task::spawn_blocking(read_models).await;
        let reached = reached.map_err(|error| Report::caused("the work was ended", &error))?;
        let Some(ModelAccess { client, catalog, .. }) = reached else { return Ok(None) };
        let models = AvailableModels::new(client.models().to_vec());
        // Models of servers on this machine are in no file.
        discovered.retain(|model| catalog.provider(&model.provider).is_some_and(|info| info.probe.is_some()));
        models.add(discovered);
        Ok(Some((client, catalog, models.all())))
    }
}
