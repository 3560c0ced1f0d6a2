//! What is known about one provider: a row of `assets/providers.json`, or of the person's own file.
//!
//! Must not know keys, only where they may be found.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::base::hidden::Hidden;

/// One provider.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ProviderInfo {
    /// Such as `anthropic`.
    pub id: String,
    /// For people.
    pub name: String,
    /// Dialect id and root of the API for each dialect that it speaks; the first one is for models
    /// that nothing is known about. A root is empty where the dialect finds it, and may hold
    /// `{VARIABLE}`.
    pub wires: Vec<(String, String)>,
    /// Environment variables that may hold a key, the first one that is set wins.
    pub key_vars: Vec<String>,
    /// Those of them that hold a token for `Authorization: Bearer`, whatever the dialect does.
    pub bearer_vars: Vec<String>,
    /// Whether every key goes into `Authorization: Bearer`.
    pub bearer: bool,
    /// The header that takes `Bearer` and the key in place of the dialect's own.
    pub key_header: Option<String>,
    /// Environment variable that replaces the root of the API.
    pub base_url_var: Option<String>,
    /// The dialect of the servers that people name by it, where that is not the first: most of them
    /// only follow the provider.
    pub elsewhere_api: Option<String>,
    /// Sets of variables, each of which is enough where a dialect finds credentials by itself.
    pub ambient: Vec<Vec<String>>,
    /// Headers of every request; values may be `$VAR` or `!command`.
    pub headers: Hidden<BTreeMap<String, String>>,
    /// Differences from the dialect's rule that all of its models share.
    pub compat: Map<String, Value>,
    /// The model to begin with; empty where servers tell what they have.
    pub default_model: String,
    /// The login that it has, by its row in `llm::auth::oauth`.
    pub login: Option<String>,
    /// Whether there are no keys, only that login.
    pub login_only: bool,
    /// Whether it is within this process.
    pub local: bool,
    /// How servers on this machine are asked what they have.
    pub probe: Option<String>,
    /// How it is asked which models it has.
    pub model_list: Option<String>,
    /// Longest silence of an answer in seconds, where it is not the usual one.
    pub silence: Option<u64>,
    /// A key from the person's file, perhaps `$VAR` or `!command`.
    pub api_key: Hidden<Option<String>>,
}

static ROWS: LazyLock<Vec<ProviderInfo>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../assets/providers.json"))
        .expect("the providers among the assets are read by a test")
});

/// The rows that come with the program.
pub fn builtin() -> &'static [ProviderInfo] {
    &ROWS
}

impl ProviderInfo {
    /// The dialect of models that nothing is known about.
    pub fn api(&self) -> &str {
        self.wires.first().map_or("", |(api, _)| api)
    }

    /// The root of the API for a dialect; that of the first where there is none of its own.
    pub fn base_url(&self, api: &str) -> &str {
        let own = self.wires.iter().find(|(known, _)| known == api).or(self.wires.first());
        own.map_or("", |(_, url)| url)
    }

    /// Whether it can be asked without a key, as far as its row tells.
    pub fn is_free(&self) -> bool {
        self.key_vars.is_empty() && self.api_key.is_none() && !self.login_only
    }
}
