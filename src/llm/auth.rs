//! Where keys and base URLs come from: the command line, the file of credentials, the environment,
//! the user's file of providers.
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
use crate::net::http::loopback_url;
use entry::Entry;
use store::{Entries, Store};
use value::Shell;

/// What was given to reach providers with.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    surroundings: Variables,
    /// From `--api-key`, for one provider.
    explicit: Option<(String, ApiKey)>,
    store: Option<Store>,
    shell: Option<Shell>,
}

/// How a provider can be reached, as far as that is known before anybody asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// What stands in place of every root of its API.
    pub base_url: Option<String>,
    /// The environment as this provider sees it.
    pub surroundings: Arc<HashMap<String, String>>,
}

impl Credentials {
    /// From a process environment.
    pub fn new(vars: HashMap<String, String>) -> Self {
        Self { surroundings: Variables { vars: Arc::new(vars), home: None }, ..Self::default() }
    }

    /// Adds the user's folder, for credentials that other programs keep there.
    #[must_use]
    pub fn with_home(mut self, home: Option<PathBuf>) -> Self {
        self.surroundings.home = home;
        self
    }

    /// Adds what is kept in a file.
    #[must_use]
    pub fn with_store(mut self, store: Store) -> Self {
        self.store = Some(store);
        self
    }

    /// Adds somebody who runs the commands that stand for values.
    #[must_use]
    pub fn with_shell(mut self, shell: Shell) -> Self {
        self.shell = Some(shell);
        self
    }

    /// What chains of credentials of a dialect's own may look at.
    pub fn surroundings(&self) -> Variables {
        self.surroundings.clone()
    }

    /// Adds a key that wins over the environment for one provider.
    #[must_use]
    pub fn with_key(mut self, provider: &str, key: String) -> Self {
        self.explicit = Some((provider.to_string(), ApiKey(key)));
        self
    }

    /// Everything that is kept now, and why it cannot be read. Blocks.
    pub fn stored(&self) -> (Entries, Option<String>) {
        match self.store.as_ref().map(Store::read) {
            Some(Ok(entries)) => (entries, None),
            Some(Err(error)) => (Entries::new(), Some(error.to_string())),
            None => (Entries::new(), None),
        }
    }

    /// How this provider can be reached; `None` when a key is needed and missing. A base URL
    /// on this machine needs no key.
    pub fn reach(&self, provider: &ProviderInfo, stored: &Entries) -> Option<Reach> {
        let entry = stored.get(&provider.id).and_then(Entry::read);
        let surroundings = self.seen_by(entry.as_ref());
        let var = |name: &str| seen(&surroundings, name);
        let base_url = provider.base_url_vars.iter().find_map(|name| var(name)).map(|url| root(&url));
        let root = base_url.as_deref().unwrap_or(provider.base_url(provider.api()));
        fill(root, var)?;
        let explicit = self.explicit.as_ref().is_some_and(|(id, _)| *id == provider.id);
        let kept = match &entry {
            Some(Entry::Key { key, .. }) => key.is_some(),
            Some(Entry::Login(_)) => true,
            None => false,
        };
        let set = provider.key_vars.iter().any(|name| var(name).is_some());
        let ambient = provider.ambient.iter().any(|all| all.iter().all(|name| var(name).is_some()));
        let given = provider.api_key.as_deref().is_some_and(|text| value::may_be_set(text, var));
        let free = provider.is_free() || loopback_url(root);
        (explicit || kept || set || ambient || given || free).then_some(Reach { base_url, surroundings })
    }

    /// The environment with what an entry says in its place.
    fn seen_by(&self, entry: Option<&Entry>) -> Arc<HashMap<String, String>> {
        match entry {
            Some(Entry::Key { env, .. }) if !env.is_empty() => {
                let mut vars = (*self.surroundings.vars).clone();
                vars.extend(env.clone());
                Arc::new(vars)
            }
            _ => self.surroundings.vars.clone(),
        }
    }
}

/// A variable that is set to more than blanks.
fn seen(vars: &HashMap<String, String>, name: &str) -> Option<String> {
    vars.get(name).map(|value| value.trim().to_string()).filter(|value| !value.is_empty())
}

/// A root as variables hold it: some programs leave out the scheme, or name every address.
fn root(url: &str) -> String {
    let url = if url.contains("://") { url.to_string() } else { format!("http://{url}") };
    url.replacen("://0.0.0.0", "://127.0.0.1", 1).trim_end_matches('/').to_string()
}

/// Puts variables in the place of their names in braces; `None` where one is not set.
pub fn fill(url: &str, var: impl Fn(&str) -> Option<String>) -> Option<String> {
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

/// The text of a file of the user's; `None` when there is none. Blocks.
pub fn read_text(path: &Path) -> io::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Puts a text in the place of a file at once, whole; makes its folder. Blocks.
pub fn write_text(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// Reads a file of credentials beside the async tasks.
async fn read(path: PathBuf) -> std::io::Result<String> {
    tokio::task::spawn_blocking(move || std::fs::read_to_string(path)).await.map_err(std::io::Error::other)?
}

#[cfg(test)]
mod tests;
