//! Access to a provider for one request: URL, key, headers. Resolved for each request, since a key may come
//! from a login that must be renewed or from a command.
//!
//! Must not know where keys are stored, nor how a dialect sends them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::model::LlmError;
use crate::base::secret::Secret;

/// A secret that is never logged or displayed.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(pub String);

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// Type of key: some dialects send them differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyKind {
    /// A static API key.
    #[default]
    Key,
    /// A token for `Authorization: Bearer`, whatever the dialect's default is.
    Bearer,
    /// An OAuth token.
    Login,
}

/// Access to a provider.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Root URL of the API, without a trailing slash.
    pub base_url: String,
    /// The key; `None` when none is needed, or when the dialect finds its own credentials (`Variables`).
    pub key: Option<ApiKey>,
    /// The type of the key.
    pub kind: KeyKind,
    /// The source of the key, or its possible source: a variable's name or `--api-key`.
    pub key_name: Option<String>,
    /// Headers from the data of the provider, then of the model, in order.
    pub headers: Secret<Vec<(String, String)>>,
    /// Account data of a login, by pi's field names (`accountId`, …).
    pub account: HashMap<String, String>,
}

/// Source of access to one provider.
pub trait AccessSource: Send + Sync {
    /// Returns the access for a request. An error fails the request.
    fn access(&self) -> BoxFuture<'_, Result<Access, LlmError>>;

    /// Resolves a value in the user's data: returns it unchanged unless it names a variable or a command. The
    /// first argument describes its purpose.
    fn resolve_value<'a>(&'a self, _what: &'a str, text: &'a str) -> BoxFuture<'a, Result<String, LlmError>> {
        Box::pin(std::future::ready(Ok(text.to_string())))
    }
}

/// Constant access.
#[derive(Debug, Clone)]
pub struct FixedAccess(pub Access);

impl AccessSource for FixedAccess {
    fn access(&self) -> BoxFuture<'_, Result<Access, LlmError>> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }
}

/// Input of a credential chain: the environment and the home folder, both passed in.
#[derive(Clone, Default)]
pub struct Variables {
    /// The process environment.
    pub vars: Arc<HashMap<String, String>>,
    /// `$HOME`, if set.
    pub home: Option<PathBuf>,
}

impl Variables {
    /// Returns a variable that is not blank.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }
}

impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The environment contains keys.
        f.debug_struct("Variables").field("home", &self.home).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_hidden_in_debug_output() {
        assert_eq!(format!("{:?}", ApiKey("hunter2".into())), "ApiKey(…)");
        let headers = vec![("x".to_string(), "Bearer hunter2".to_string())].into();
        let shown = format!("{:?}", Access { headers, ..Access::default() });
        assert!(!shown.contains("hunter2"), "{shown}");
        let vars = Arc::new(HashMap::from([("KEY".to_string(), "hunter2".to_string())]));
        let shown = format!("{:?}", Variables { vars, home: None });
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}
