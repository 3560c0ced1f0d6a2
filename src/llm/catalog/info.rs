//! Data of one provider: a row of `assets/providers.json`, or of the user's own file.
//!
//! Must not know keys, only where to find them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::base::secret::Secret;

/// One provider.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ProviderInfo {
    /// The id, such as `anthropic`.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Dialect id and root URL of the API for each supported dialect; the first one is for unknown models. A
    /// root is empty if the dialect determines it, and may contain `{VARIABLE}`.
    pub wires: Vec<(String, String)>,
    /// Environment variables that may hold a key; the first one that is set is used.
    pub key_vars: Vec<String>,
    /// Those of them that hold a token for `Authorization: Bearer`, whatever the dialect's default is.
    pub bearer_vars: Vec<String>,
    /// Whether every key is sent as `Authorization: Bearer`.
    pub bearer: bool,
    /// The header for `Bearer` and the key, replacing the dialect's own.
    pub key_header: Option<String>,
    /// Environment variable that overrides the root URL, if its name cannot be derived from the row.
    pub base_url_var: Option<String>,
    /// All variables that override the root URL; the first one that is set is used. Only bundled rows have
    /// derived names. A variable takes precedence over the root in the user's file for such a row.
    #[serde(skip)]
    pub base_url_vars: Vec<String>,
    /// The dialect for other servers that users configure under this provider's id, if it is not the first:
    /// most only imitate the provider.
    pub elsewhere_api: Option<String>,
    /// Sets of variables, each sufficient if a dialect finds credentials itself.
    pub ambient: Vec<Vec<String>>,
    /// Headers of every request; values may be `$VAR` or `!command`.
    pub headers: Secret<BTreeMap<String, String>>,
    /// Deviations from the dialect's defaults, shared by all of its models.
    pub compat: Map<String, Value>,
    /// The default model; empty for servers that list their models.
    pub default_model: String,
    /// The row of its login in `llm::auth::oauth`.
    pub login: Option<String>,
    /// Whether it has no keys, only that login.
    pub login_only: bool,
    /// Whether it runs within this process.
    pub local: bool,
    /// How servers on this machine are queried for their models.
    pub probe: Option<String>,
    /// The form of its model list.
    pub model_list: Option<String>,
    /// Maximum gap between chunks of an answer in seconds, if it is not the default.
    pub silence: Option<u64>,
    /// A key from the user's file, which may be `$VAR` or `!command`.
    pub api_key: Secret<Option<String>>,
}

static ROWS: LazyLock<Vec<ProviderInfo>> = LazyLock::new(|| {
    let mut rows: Vec<ProviderInfo> = serde_json::from_str(include_str!("../../../assets/providers.json"))
        .expect("the providers among the assets are read by a test");
    for row in rows.iter_mut().filter(|row| !row.local) {
        row.base_url_vars = row.root_vars();
    }
    rows
});

/// Returns the bundled rows.
pub fn builtin() -> &'static [ProviderInfo] {
    &ROWS
}

impl ProviderInfo {
    /// Returns the dialect for unknown models.
    pub fn api(&self) -> &str {
        self.wires.first().map_or("", |(api, _)| api)
    }

    /// Returns the root URL for a dialect; that of the first dialect if it has none of its own.
    pub fn base_url(&self, api: &str) -> &str {
        let own = self.wires.iter().find(|(known, _)| known == api).or(self.wires.first());
        own.map_or("", |(_, url)| url)
    }

    /// Returns `<NAME>_BASE_URL` for its id and for each of its keys, after the variable in its row.
    fn root_vars(&self) -> Vec<String> {
        let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        let id: String = self.id.chars().map(word).collect();
        let keys = self.key_vars.iter().filter_map(|name| name.strip_suffix("_API_KEY"));
        let names = [id.as_str()].into_iter().chain(keys).map(|name| format!("{name}_BASE_URL"));
        let mut vars: Vec<String> = self.base_url_var.clone().into_iter().collect();
        for name in names {
            if !vars.contains(&name) {
                vars.push(name);
            }
        }
        vars
    }

    /// Returns the root URL for a dialect when the first root is overridden: each dialect keeps its path
    /// below the common prefix of the roots.
    pub fn base_url_below(&self, base: &str, api: &str) -> String {
        let (first, own) = (self.base_url(self.api()), self.base_url(api));
        let shared: usize = first
            .split_inclusive('/')
            .zip(own.split_inclusive('/'))
            .take_while(|(a, b)| a.trim_end_matches('/') == b.trim_end_matches('/'))
            .map(|(a, _)| a.trim_end_matches('/').len() + 1)
            .sum();
        let below = |root: &str| root.get(shared..).unwrap_or_default().to_string();
        let (first, own) = (below(first), below(own));
        if first == own {
            return base.to_string();
        }
        let stem = if first.is_empty() { Some(base) } else { base.strip_suffix(&format!("/{first}")) };
        match stem {
            Some(stem) if own.is_empty() => stem.to_string(),
            Some(stem) => format!("{stem}/{own}"),
            None => base.to_string(),
        }
    }

    /// Whether it needs no key, according to its row.
    pub fn is_free(&self) -> bool {
        self.key_vars.is_empty() && self.api_key.is_none() && !self.login_only
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_url_variables_derive_from_ids_and_keys() {
        let vars = |id: &str| {
            let row = builtin().iter().find(|row| row.id == id).unwrap();
            row.base_url_vars.join(" ")
        };
        assert_eq!(vars("google"), "GOOGLE_BASE_URL GEMINI_BASE_URL");
        assert_eq!(vars("azure"), "AZURE_OPENAI_BASE_URL AZURE_BASE_URL");
        assert_eq!(vars("moonshotai-cn"), "MOONSHOTAI_CN_BASE_URL MOONSHOT_BASE_URL");
        assert_eq!(vars("huggingface"), "HUGGINGFACE_BASE_URL");
        assert_eq!(vars("ollama"), "OLLAMA_HOST OLLAMA_BASE_URL");
        assert!(builtin().iter().all(|row| row.local || !row.base_url_vars.is_empty()));
    }

    #[test]
    fn base_url_applies_to_every_dialect_of_provider() {
        let at = |id: &str, base: &str, api: &str| {
            builtin().iter().find(|row| row.id == id).unwrap().base_url_below(base, api)
        };
        let (anthropic, completions) = ("anthropic-messages", "openai-completions");
        assert_eq!(at("fireworks", "http://h", anthropic), "http://h");
        assert_eq!(at("fireworks", "http://h", completions), "http://h/v1");
        assert_eq!(at("openrouter", "http://h/api/v1", completions), "http://h/api/v1");
        assert_eq!(at("openrouter", "http://h/api/v1", anthropic), "http://h/api");
        assert_eq!(at("opencode", "http://h/x/openai/v1", anthropic), "http://h/x/anthropic");
        assert_eq!(at("opencode", "http://h", anthropic), "http://h", "nothing tells where it would be");
        assert_eq!(at("google", "http://h/v1beta", "google-generative-ai"), "http://h/v1beta");
    }
}
