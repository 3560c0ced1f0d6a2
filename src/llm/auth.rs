//! Where keys and base URLs come from: the command line, then the environment.
//!
//! Must not know how a key is sent. The environment is passed in, never read here.

pub mod ask;
pub mod aws;
pub mod google;
pub mod sigv4;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::access::{Access, Secret, Surroundings};
use super::catalog::ProviderInfo;
use crate::net::http::loopback_url;

/// What was given to reach providers with.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    surroundings: Surroundings,
    /// From `--api-key`, for one provider.
    explicit: Option<(String, Secret)>,
}

impl Credentials {
    /// From a process environment.
    pub fn new(vars: HashMap<String, String>) -> Self {
        Self { surroundings: Surroundings { vars: Arc::new(vars), home: None }, explicit: None }
    }

    /// Adds the person's folder, for credentials that other programs keep there.
    #[must_use]
    pub fn with_home(mut self, home: Option<PathBuf>) -> Self {
        self.surroundings.home = home;
        self
    }

    /// What chains of credentials of a dialect's own may look at.
    pub fn surroundings(&self) -> Surroundings {
        self.surroundings.clone()
    }

    /// Adds a key that wins over the environment for one provider.
    #[must_use]
    pub fn with_key(mut self, provider: &str, key: String) -> Self {
        self.explicit = Some((provider.to_string(), Secret(key)));
        self
    }

    /// How this provider can be reached; `None` when a key is needed and missing. A base URL
    /// on this machine needs no key.
    pub fn access(&self, provider: &ProviderInfo) -> Option<Access> {
        let given = provider.base_url_var.as_deref().and_then(|name| self.surroundings.var(name));
        let base_url = given.unwrap_or(&provider.base_url).trim_end_matches('/').to_string();
        let (key_name, key) = match &self.explicit {
            Some((id, key)) if *id == provider.id => (Some("--api-key".to_string()), Some(key.clone())),
            _ => {
                let set =
                    provider.key_vars.iter().find_map(|name| Some((name, self.surroundings.var(name)?)));
                let name = set.map(|(name, _)| name).or(provider.key_vars.first());
                (name.cloned(), set.map(|(_, key)| Secret(key.to_string())))
            }
        };
        let free = provider.key_vars.is_empty() || loopback_url(&base_url);
        (free || key.is_some()).then(|| Access { base_url, key, key_name, ..Access::default() })
    }
}

/// Reads a file of credentials beside the async tasks.
async fn read(path: PathBuf) -> std::io::Result<String> {
    tokio::task::spawn_blocking(move || std::fs::read_to_string(path)).await.map_err(std::io::Error::other)?
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::catalog::Catalog;

    fn access(vars: &[(&str, &str)], explicit: Option<&str>) -> Option<(String, Option<String>)> {
        let vars = vars.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
        let mut credentials = Credentials::new(vars);
        if let Some(key) = explicit {
            credentials = credentials.with_key("anthropic", key.to_string());
        }
        let provider = Catalog::builtin().provider("anthropic").unwrap();
        credentials.access(provider).map(|a| (a.base_url, a.key.map(|k| k.0)))
    }

    #[test]
    fn keys_come_from_the_flag_then_the_environment() {
        let url = "https://api.anthropic.com".to_string();
        assert_eq!(access(&[], None), None);
        assert_eq!(access(&[("ANTHROPIC_API_KEY", " ")], None), None);
        assert_eq!(access(&[("ANTHROPIC_API_KEY", "k\n")], None), Some((url.clone(), Some("k".into()))));
        assert_eq!(access(&[("ANTHROPIC_API_KEY", "k")], Some("f")), Some((url, Some("f".into()))));
    }

    #[test]
    fn this_machine_needs_no_key() {
        let local = "http://127.0.0.1:9/";
        let got = access(&[("ANTHROPIC_BASE_URL", local)], None);
        assert_eq!(got, Some(("http://127.0.0.1:9".into(), None)));
        assert_eq!(access(&[("ANTHROPIC_BASE_URL", "https://proxy.example")], None), None);
    }
}
