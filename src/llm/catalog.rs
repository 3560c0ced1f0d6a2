//! What is known about providers and models: advisory data, read from `assets/` on first use.
//!
//! Must not know credentials or dialects. Unknown model ids pass through.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::model::Model;

/// One provider.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderInfo {
    /// Such as `anthropic`.
    pub id: String,
    /// For people.
    pub name: String,
    /// Dialect id.
    pub api: String,
    /// Root of its API.
    pub base_url: String,
    /// Environment variables that may hold a key, the first one that is set wins. Empty when
    /// no key is needed.
    pub key_vars: Vec<String>,
    /// Environment variable that replaces the base URL.
    #[serde(default)]
    pub base_url_var: Option<String>,
    /// The model to begin with.
    pub default_model: String,
}

/// Providers in order of preference, and their models.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The last one is the last resort.
    pub providers: Vec<ProviderInfo>,
    /// In order of preference within a provider.
    pub models: Vec<Arc<Model>>,
}

static BUILTIN: LazyLock<Catalog> = LazyLock::new(|| {
    let models: Vec<Model> = serde_json::from_str(include_str!("../../assets/models.json"))
        .expect("the models among the assets are read by a test");
    let providers = serde_json::from_str(include_str!("../../assets/providers.json"))
        .expect("the providers among the assets are read by a test");
    Catalog { providers, models: models.into_iter().map(Arc::new).collect() }
});

impl Catalog {
    /// The catalog that comes with the program.
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// A provider by id.
    pub fn provider(&self, id: &str) -> Option<&ProviderInfo> {
        self.providers.iter().find(|p| p.id == id)
    }

    /// The models of a provider, its default one first. Of a default model that no data
    /// describes nothing is known but its name.
    pub fn models_of(&self, provider: &ProviderInfo) -> Vec<Arc<Model>> {
        let mut models: Vec<_> = self.models.iter().filter(|m| m.provider == provider.id).cloned().collect();
        if !models.iter().any(|m| m.id == provider.default_model) {
            let ProviderInfo { id, api, base_url, default_model, .. } = provider;
            models.push(Arc::new(Model::unknown(id, default_model, api, base_url)));
        }
        models.sort_by_key(|m| m.id != provider.default_model);
        models
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::Thinking;
    use crate::llm::providers::DIALECTS;

    #[test]
    fn the_builtin_catalog_is_whole() {
        let catalog = Catalog::builtin();
        for provider in &catalog.providers {
            let models = catalog.models_of(provider);
            assert_eq!((&models[0].id, &models[0].api), (&provider.default_model, &provider.api));
            assert!(DIALECTS.iter().any(|d| d.id == provider.api), "{}", provider.api);
        }
        for model in &catalog.models {
            assert!(catalog.provider(&model.provider).is_some_and(|p| p.api == model.api), "{}", model.id);
            assert!(model.max_tokens <= model.context_window);
            for level in model.thinking_level_map.keys() {
                assert!(Thinking::parse(level).is_some(), "{level}");
            }
        }
        assert_eq!(catalog.providers.last().unwrap().id, "demo");
    }

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<_> = Catalog::builtin().models.iter().map(|m| (&m.provider, &m.id)).collect();
        ids.sort();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
