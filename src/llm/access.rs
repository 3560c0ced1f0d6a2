//! How a provider is reached for one request: address, key, headers. Asked anew for each request,
//! since a key may come from a login that has to be renewed or from a command that has to be run.
//!
//! Must not know where keys are kept, nor how a dialect sends them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::model::LlmError;
use crate::base::secret::Secret;

/// A secret that no log and no message shows.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(pub String);

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// What kind of key it is: some wires send them differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyKind {
    /// A key that was handed out once.
    #[default]
    Key,
    /// A token that goes into `Authorization: Bearer`, whatever the dialect does by default.
    Bearer,
    /// A token of a login (OAuth).
    Login,
}

/// How a provider can be reached.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Root of the API, without a slash at its end.
    pub base_url: String,
    /// `None` where none is needed, or where the dialect finds its own (`Variables`).
    pub key: Option<ApiKey>,
    /// What kind of key.
    pub kind: KeyKind,
    /// Where the key came from, or could come from: a variable's name or `--api-key`.
    pub key_name: Option<String>,
    /// Headers from the data of the provider, and then of the model that is asked, in order.
    pub headers: Secret<Vec<(String, String)>>,
    /// What a login knows about its account, by pi's field names (`accountId`, …).
    pub account: HashMap<String, String>,
}

/// Gives access to one provider.
pub trait Keys: Send + Sync {
    /// Access for a request that is about to be made. Failing costs the request.
    fn access(&self) -> BoxFuture<'_, Result<Access, LlmError>>;

    /// The value that a text of the user's data stands for: itself, unless it names a variable or
    /// a command. The first argument says what it is for.
    fn meant<'a>(&'a self, _what: &'a str, text: &'a str) -> BoxFuture<'a, Result<String, LlmError>> {
        Box::pin(std::future::ready(Ok(text.to_string())))
    }
}

/// Access that never changes.
#[derive(Debug, Clone)]
pub struct Fixed(pub Access);

impl Keys for Fixed {
    fn access(&self) -> BoxFuture<'_, Result<Access, LlmError>> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }
}

/// What a credential chain may look at: the environment and the user's folder, both passed in.
#[derive(Clone, Default)]
pub struct Variables {
    /// The process environment.
    pub vars: Arc<HashMap<String, String>>,
    /// `$HOME`; `None` where there is none.
    pub home: Option<PathBuf>,
}

impl Variables {
    /// A variable that is set to more than blanks.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }
}

impl std::fmt::Debug for Variables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The environment holds keys.
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
