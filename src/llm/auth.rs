//! Keys and base URLs of providers: from the command line, the credentials file, the environment, and the
//! user's provider file.
//!
//! Must not know how a key is sent. The environment is passed in, never read here.

pub mod aws;
pub mod chain;
pub mod entry;
pub mod google;
pub mod oauth;
pub mod sigv4;
pub mod store;
pub mod token_request;
pub mod value;

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::access::{ApiKey, Variables};
use super::catalog::ProviderInfo;
use crate::net::http::is_loopback_url;
use entry::Entry;
use store::{Entries, Store};
use value::Shell;

/// Sources of keys and base URLs.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    variables: Variables,
    /// The `--api-key` of one provider.
    explicit: Option<(String, ApiKey)>,
    store: Option<Store>,
    shell: Option<Shell>,
}

/// Where the key of a provider comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// The flag `--api-key`.
    Flag,
    /// The credentials file.
    Stored,
    /// This environment variable.
    Variable(String),
    /// These environment variables, from which the dialect makes its own credentials.
    Variables(Vec<String>),
    /// The user's file of providers.
    UserFile,
    /// None is needed.
    NotNeeded,
}

/// What concerns one provider.
struct ProviderView {
    entry: Option<Entry>,
    base_url: Option<String>,
    variables: Arc<HashMap<String, String>>,
}

impl ProviderView {
    fn var(&self, name: &str) -> Option<String> {
        non_blank(&self.variables, name)
    }

    /// The root URL in force.
    fn root<'a>(&'a self, provider: &'a ProviderInfo) -> &'a str {
        self.base_url.as_deref().unwrap_or(provider.base_url(provider.api()))
    }
}

/// Access to a provider, as far as it is known before a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderAccess {
    /// Replaces every root URL of its API.
    pub base_url: Option<String>,
    /// The environment as this provider sees it.
    pub variables: Arc<HashMap<String, String>>,
}

impl Credentials {
    /// Creates credentials from a process environment.
    pub fn new(vars: HashMap<String, String>) -> Self {
        Self { variables: Variables { vars: Arc::new(vars), home: None }, ..Self::default() }
    }

    /// Adds the home folder, for credentials that other programs keep there.
    #[must_use]
    pub fn with_home(mut self, home: Option<PathBuf>) -> Self {
        self.variables.home = home;
        self
    }

    /// Adds the credentials file.
    #[must_use]
    pub fn with_store(mut self, store: Store) -> Self {
        self.store = Some(store);
        self
    }

    /// Adds a runner for commands that yield values.
    #[must_use]
    pub fn with_shell(mut self, shell: Shell) -> Self {
        self.shell = Some(shell);
        self
    }

    /// Returns the input for a dialect's own credential chain.
    pub fn variables(&self) -> Variables {
        self.variables.clone()
    }

    /// Adds a key for one provider that overrides the environment.
    #[must_use]
    pub fn with_key(mut self, provider: &str, key: String) -> Self {
        self.explicit = Some((provider.to_string(), ApiKey(key)));
        self
    }

    /// Returns all stored entries, and the error if they cannot be read. Blocks.
    pub fn stored_entries(&self) -> (Entries, Option<String>) {
        match self.store.as_ref().map(Store::read) {
            Some(Ok(entries)) => (entries, None),
            Some(Err(error)) => (Entries::new(), Some(error.to_string())),
            None => (Entries::new(), None),
        }
    }

    /// Returns the access to this provider; `None` when a required key is missing. A base URL on this machine
    /// needs no key.
    pub fn access_to(&self, provider: &ProviderInfo, stored: &Entries) -> Option<ProviderAccess> {
        let seen = self.view_of(provider, stored);
        fill_placeholders(seen.root(provider), |name| seen.var(name))?;
        self.key_source_in(provider, &seen)?;
        Some(ProviderAccess { base_url: seen.base_url, variables: seen.variables })
    }

    /// Returns where the key of this provider comes from, by the same rules as [`Self::access_to`]; `None` if a
    /// required one is missing. Never returns a key.
    pub fn key_source(&self, provider: &ProviderInfo, stored: &Entries) -> Option<KeySource> {
        self.key_source_in(provider, &self.view_of(provider, stored))
    }

    /// Returns the variable that replaces the root URL of this provider's API, if one is set.
    pub fn base_url_variable(&self, provider: &ProviderInfo, stored: &Entries) -> Option<String> {
        let seen = self.view_of(provider, stored);
        provider.base_url_vars.iter().find(|name| seen.var(name).is_some()).cloned()
    }

    /// Returns the variables in the root URL of this provider that are not set: without them it has no address.
    pub fn missing_variables(&self, provider: &ProviderInfo, stored: &Entries) -> Vec<String> {
        let seen = self.view_of(provider, stored);
        let names = placeholders(seen.root(provider)).map(str::to_string);
        names.filter(|name| seen.var(name).is_none()).collect()
    }

    fn key_source_in(&self, provider: &ProviderInfo, seen: &ProviderView) -> Option<KeySource> {
        let var = |name: &str| seen.var(name);
        let is_set = |name: &&String| var(name).is_some();
        if self.explicit.as_ref().is_some_and(|(id, _)| *id == provider.id) {
            return Some(KeySource::Flag);
        }
        if matches!(seen.entry, Some(Entry::Key { key: Some(_), .. } | Entry::Login(_))) {
            return Some(KeySource::Stored);
        }
        if let Some(name) = provider.key_vars.iter().find(is_set) {
            return Some(KeySource::Variable(name.clone()));
        }
        if provider.api_key.as_deref().is_some_and(|text| value::may_be_set(text, var)) {
            return Some(KeySource::UserFile);
        }
        if let Some(names) = provider.ambient.iter().find(|all| all.iter().all(|name| is_set(&name))) {
            return Some(KeySource::Variables(names.clone()));
        }
        let is_free = provider.is_free() || is_loopback_url(seen.root(provider));
        is_free.then_some(KeySource::NotNeeded)
    }

    fn view_of(&self, provider: &ProviderInfo, stored: &Entries) -> ProviderView {
        let entry = stored.get(&provider.id).and_then(Entry::parse);
        let variables = self.variables_for(entry.as_ref());
        let set = provider.base_url_vars.iter().find_map(|name| non_blank(&variables, name));
        ProviderView { base_url: set.map(|url| normalize_root(&url)), entry, variables }
    }

    /// Returns the environment, overridden by an entry's variables.
    fn variables_for(&self, entry: Option<&Entry>) -> Arc<HashMap<String, String>> {
        match entry {
            Some(Entry::Key { env, .. }) if !env.is_empty() => {
                let mut vars = (*self.variables.vars).clone();
                vars.extend(env.clone());
                Arc::new(vars)
            }
            _ => self.variables.vars.clone(),
        }
    }
}

/// Returns a variable that is not blank.
fn non_blank(vars: &HashMap<String, String>, name: &str) -> Option<String> {
    vars.get(name).map(|value| value.trim().to_string()).filter(|value| !value.is_empty())
}

/// Normalizes a root URL in a variable: some programs omit the scheme, or append the request path.
fn normalize_root(url: &str) -> String {
    let url = if url.contains("://") { url.to_string() } else { format!("http://{url}") };
    url.replacen("://0.0.0.0", "://127.0.0.1", 1).trim_end_matches('/').to_string()
}

/// Returns the names of the variables in a URL.
pub fn placeholders(url: &str) -> impl Iterator<Item = &str> {
    url.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}

/// Replaces variables in braces by their values; `None` if one is not set.
pub fn fill_placeholders(url: &str, var: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut out = String::new();
    let mut rest = url;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, tail) = after.split_once('}')?;
        out.push_str(before);
        out.push_str(&var(name)?);
        rest = tail;
    }
    out.push_str(rest);
    Some(out)
}

/// Returns the text of a user file; `None` when it does not exist. Blocks.
pub fn read_text(path: &Path) -> io::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a file atomically; creates its folder. Blocks.
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// Reads a credentials file on a blocking thread.
async fn read(path: PathBuf) -> std::io::Result<String> {
    tokio::task::spawn_blocking(move || std::fs::read_to_string(path)).await.map_err(std::io::Error::other)?
}

#[cfg(test)]
mod tests;
