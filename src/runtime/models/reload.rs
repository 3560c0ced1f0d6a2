//! Looks again who can be asked while a session runs: after a login or a logout, after lists of models
//! were asked for, and when somebody else has changed the files that it depends on.
//!
//! Must not know who displays it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::RwLock;

use super::access::{self, Reached};
use super::available::AvailableModels;
use crate::base::error::Report;
use crate::exec::Environment;
use crate::llm::auth;
use crate::llm::catalog::Catalog;
use crate::llm::client::Client;
use crate::llm::model::Model;
use crate::runtime::lifecycle::options::Options;

/// Who can be asked, who there is, and the models.
pub type Found = (Client, Catalog, Vec<Arc<Model>>);

/// What is needed for it. Cheap to clone; all clones know the same.
#[derive(Clone)]
pub struct Again {
    options: Arc<Options>,
    /// Where the session works now.
    place: Arc<RwLock<Arc<dyn Environment>>>,
    /// Names what the files held when they were looked at last.
    seen: Arc<AtomicU64>,
    /// How many sessions have taken the place of the first.
    successors: Arc<AtomicU64>,
}

impl Again {
    /// For a session that was started with these; the files are as `seen`.
    pub fn new(options: Options, seen: u64) -> Self {
        let place = Arc::new(RwLock::new(options.env.clone()));
        Self {
            options: Arc::new(options),
            place,
            seen: Arc::new(AtomicU64::new(seen)),
            successors: Arc::default(),
        }
    }
}

/// Names what the files hold on which it depends who can be asked. Reads files.
pub fn fingerprint(options: &Options) -> u64 {
    let mut hasher = DefaultHasher::new();
    let models = options.home.config.join("models.json");
    for path in [access::store(options).path(), &models, &access::listed_path(options)] {
        // What cannot be read is told when it is needed.
        auth::read_text(path).unwrap_or_default().hash(&mut hasher);
    }
    hasher.finish()
}

impl Again {
    /// What the session was started with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The same, for where the session works now.
    pub fn here(&self) -> Options {
        let env = self.place.read().clone();
        Options { env, ..(*self.options).clone() }
    }

    /// The session works elsewhere from now on.
    pub fn set_place(&self, env: Arc<dyn Environment>) {
        *self.place.write() = env;
    }

    /// Which session it is, counted from 0: what was begun in one is nothing to the next.
    pub fn number(&self) -> u64 {
        self.successors.load(Ordering::SeqCst)
    }

    /// Another session is there from now on.
    pub fn begin_next(&self) {
        self.successors.fetch_add(1, Ordering::SeqCst);
    }

    /// Who can be asked now, `told` by servers of this machine included. `always`: also where no file
    /// has changed since it was looked last, else nothing is new then.
    pub async fn look(&self, always: bool, mut told: Vec<Arc<Model>>) -> Result<Option<Found>, Report> {
        let (options, seen) = (self.options.clone(), self.seen.clone());
        let look = move || {
            let now = fingerprint(&options);
            let changed = seen.swap(now, Ordering::SeqCst) != now;
            (changed || always).then(|| access::reach(&options))
        };
        let reached = tokio::task::spawn_blocking(look).await;
        let reached = reached.map_err(|error| Report::caused("the work was ended", &error))?;
        let Some(Reached { client, catalog, .. }) = reached else { return Ok(None) };
        let models = AvailableModels::new(client.models().to_vec());
        // What servers of this machine have told is in no file.
        told.retain(|model| catalog.provider(&model.provider).is_some_and(|info| info.probe.is_some()));
        models.add(told);
        Ok(Some((client, catalog, models.all())))
    }
}
