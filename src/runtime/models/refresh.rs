//! Fetches model lists from providers and caches them for this run and later ones.
//!
//! Must not know who requests it. Contacts only providers that are usable anyway.

use std::collections::HashSet;

use super::access::{self, ModelAccess};
use crate::base::error::Report;
use crate::llm::auth;
use crate::llm::catalog::Catalog;
use crate::llm::catalog::model_list::ModelList;
use crate::runtime::lifecycle::options::Options;

/// The result for one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefreshResult {
    /// Its id.
    pub provider: String,
    /// Number of models in its list, and how many of them are new; or why there is no list.
    pub outcome: Result<(usize, usize), String>,
}

impl RefreshResult {
    /// Returns the result as a sentence for the user.
    pub fn sentence(&self) -> String {
        let Self { provider, outcome } = self;
        match outcome {
            Ok((all, 0)) => format!("{provider}: {all} models, none of them new"),
            Ok((all, new)) => format!("{provider}: {all} models, {new} new"),
            Err(error) if error.starts_with(provider.as_str()) => error.clone(),
            Err(error) => format!("{provider}: {error}"),
        }
    }
}

/// How long a list counts as fresh, in milliseconds.
const FRESH_MS: u64 = 4 * 60 * 60 * 1000;

/// Fetches expired lists that were fetched before; other lists are fetched only when the user requests it.
#[doc(hidden)]
pub async fn refresh_expired(options: &Options) {
    let files = options.clone();
    let Ok(lists) = tokio::task::spawn_blocking(move || access::cached_lists(&files)).await else { return };
    let now = options.clock.now_ms();
    for (provider, list) in lists.providers {
        if now.saturating_sub(list.checked) < FRESH_MS || options.offline {
            continue;
        }
        match refresh(options, Some(&provider)).await {
            Ok(results) => {
                for result in &results {
                    tracing::info!("models of {}", result.sentence());
                }
            }
            Err(report) => tracing::debug!("no list of models: {report}"),
        }
    }
}

/// Fetches the lists of all providers that have one, or of one, concurrently; one failure does not delay the
/// others.
#[doc(hidden)]
pub async fn refresh(options: &Options, only: Option<&str>) -> Result<Vec<RefreshResult>, Report> {
    let files = options.clone();
    let read = move || (access::load(&files), access::cached_lists(&files));
    let read = tokio::task::spawn_blocking(read).await;
    let (ModelAccess { client, catalog, .. }, before) = read.map_err(|error| task_error(&error))?;
    let listers = client.listers(only);
    if listers.is_empty() {
        return Err(no_provider_error(&catalog, only));
    }
    let requests = listers.iter().map(|lister| async {
        let provider = lister.provider().to_string();
        let list = lister.fetch(before.providers.get(&provider)).await;
        (provider, list.map_err(|error| error.to_string()))
    });
    let came = futures::future::join_all(requests).await;
    let mut results = Vec::new();
    let mut lists = Vec::new();
    for (provider, list) in came {
        let outcome = list.map(|list| {
            let counts = (list.models.len(), count_new(&catalog, &provider, &list));
            lists.push((provider.clone(), list));
            counts
        });
        results.push(RefreshResult { provider, outcome });
    }
    store_lists(options, lists).await?;
    Ok(results)
}

/// Returns the number of models in a list that no other source has.
fn count_new(catalog: &Catalog, provider: &str, list: &ModelList) -> usize {
    let known = catalog.provider(provider).map(|info| catalog.models_at(info, Some(&list.root)));
    let known: HashSet<String> = known.into_iter().flatten().map(|model| model.id.clone()).collect();
    let id = |fields: &&serde_json::Value| fields["id"].as_str().is_some_and(|id| !known.contains(id));
    list.models.iter().filter(id).count()
}

/// Stores the lists; changes by other processes are kept.
async fn store_lists(options: &Options, lists: Vec<(String, ModelList)>) -> Result<(), Report> {
    if lists.is_empty() {
        return Ok(());
    }
    let options = options.clone();
    let path = access::cached_lists_path(&options);
    let kept = tokio::task::spawn_blocking(move || {
        let mut all = access::cached_lists(&options);
        all.providers.extend(lists);
        auth::write_text(&access::cached_lists_path(&options), &all.text())
    });
    let kept = kept.await.map_err(|error| task_error(&error))?;
    kept.map_err(|error| Report::caused(format!("cannot write {}", path.display()), &error))
}

/// Returns the error when there is no provider to query.
fn no_provider_error(catalog: &Catalog, only: Option<&str>) -> Report {
    let Some(id) = only else {
        return Report::new("no provider can be asked for its models")
            .hint("`bowline login` keeps a key; docs/providers.md lists the variables");
    };
    match catalog.provider(id) {
        None => Report::new(format!("no such provider: {id}")).hint("`bowline login` lists the providers"),
        Some(info) if info.model_list.is_none() => {
            Report::new(format!("{} has no list of models that bowline can read", info.name))
                .hint("what is known of it comes with bowline; models.json adds more")
        }
        Some(info) => Report::new(format!("{}: {}", info.name, auth::chain::missing_key_hint(info))),
    }
}

fn task_error(error: &tokio::task::JoinError) -> Report {
    Report::caused("the work was ended", error)
}
