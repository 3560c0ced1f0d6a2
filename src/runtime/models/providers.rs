//! All providers with the state of their credentials, for a list.
//!
//! Reads files, sends no request: do not call it on a thread that must not block. Must not see a key.

use super::credentials::{self, ProviderCredential};
use crate::base::error::Report;
use crate::runtime::lifecycle::options::Options;
use crate::runtime::login;

/// One provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderState {
    /// Its id.
    pub id: String,
    /// Its display name.
    pub name: String,
    /// Where its key comes from, if it has one.
    pub source: Option<String>,
    /// Whether a credential of it is stored, which a logout removes.
    pub is_stored: bool,
    /// Whether it has a login, or a key that can be stored.
    pub has_login: bool,
}

/// Returns all providers that can be logged in to, and others that have a key or need none; those with a key first.
/// Fails if the credentials file cannot be read.
pub fn list(options: &Options) -> Result<Vec<ProviderState>, Report> {
    let choices = login::choices(options)?;
    let known = credentials::report(options).providers;
    let source = |id: &str| known.iter().find(|one| one.id == id).map(ProviderCredential::description);
    let mut all: Vec<ProviderState> = choices
        .into_iter()
        .map(|choice| ProviderState {
            source: source(&choice.id),
            is_stored: !choice.credential_kind.is_empty(),
            has_login: true,
            id: choice.id,
            name: choice.name,
        })
        .collect();
    let others = known.iter().filter(|one| all.iter().all(|provider| provider.id != one.id));
    let others: Vec<ProviderState> = others
        .map(|one| ProviderState {
            id: one.id.clone(),
            name: one.name.clone(),
            source: Some(one.description()),
            is_stored: false,
            has_login: false,
        })
        .collect();
    all.extend(others);
    // The sort is stable: otherwise the order is that of the catalog.
    all.sort_by_key(|provider| provider.source.is_none());
    Ok(all)
}
