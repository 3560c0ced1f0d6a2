//! Providers and their models together. Must not know credentials or dialects.

use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

use super::bundled;
use super::info::{self, ProviderInfo};
use super::user::{self, UserModels};
use crate::llm::model::Model;

/// Providers in order of preference; their models are read when somebody asks for them.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The last one is the last resort.
    pub providers: Vec<ProviderInfo>,
    user: UserModels,
}

static BUILTIN: LazyLock<Catalog> =
    LazyLock::new(|| Catalog { providers: info::builtin().to_vec(), user: UserModels::default() });

impl Catalog {
    /// The catalog that comes with the program.
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// The catalog with what the person's own file says over it.
    #[must_use]
    pub fn with_user(&self, user: UserModels) -> Self {
        let mut providers = self.providers.clone();
        user.apply(&mut providers);
        Self { providers, user }
    }

    /// A provider by id.
    pub fn provider(&self, id: &str) -> Option<&ProviderInfo> {
        self.providers.iter().find(|p| p.id == id)
    }

    /// The models of a provider, its default one first. Of a default model that no data
    /// describes nothing is known but its name.
    pub fn models_of(&self, provider: &ProviderInfo) -> Vec<Arc<Model>> {
        let fields = self.fields_of(&provider.id);
        let mut models: Vec<_> =
            fields.into_iter().filter_map(|fields| model(provider, fields)).map(Arc::new).collect();
        let ProviderInfo { id, default_model, .. } = provider;
        if !default_model.is_empty() && !models.iter().any(|m| m.id == *default_model) {
            let (api, url) = (provider.api(), provider.base_url(provider.api()));
            models.push(Arc::new(Model::unknown(id, default_model, api, url)));
        }
        models.sort_by_key(|m| m.id != *default_model);
        models
    }

    /// The models' own fields: those that come with the program, changed by the person's file.
    fn fields_of(&self, provider: &str) -> Vec<Value> {
        let mut all = bundled::models(provider).to_vec();
        let Some(user) = self.user.of(provider) else { return all };
        let id = |fields: &Value| fields.get("id").and_then(Value::as_str).map(str::to_string);
        for fields in &mut all {
            if !user.compat().is_empty() {
                user::merge(fields, &serde_json::json!({"compat": user.compat()}));
            }
            if let Some(over) = id(fields).and_then(|id| user.overrides.get(&id)) {
                user::merge(fields, over);
            }
        }
        for model in &user.models {
            match all.iter_mut().find(|fields| id(fields) == id(model)) {
                Some(old) => old.clone_from(model),
                None => all.push(model.clone()),
            }
        }
        all
    }

    /// A model by provider and id.
    pub fn model(&self, provider: &str, id: &str) -> Option<Arc<Model>> {
        self.models_of(self.provider(provider)?).into_iter().find(|model| model.id == id)
    }

    /// The first provider that has a model of this id. Reads the data of one after the other.
    pub fn provider_of(&self, model: &str) -> Option<&ProviderInfo> {
        self.providers.iter().find(|p| self.models_of(p).iter().any(|m| m.id == model))
    }
}

/// A model from its fields and from what its provider's row says; `None` where they are no model.
fn model(provider: &ProviderInfo, mut fields: Value) -> Option<Model> {
    let map = fields.as_object_mut()?;
    fill(map, provider);
    serde_json::from_value(fields).ok()
}

/// Adds what a model has from its provider and what pi assumes.
fn fill(map: &mut Map<String, Value>, provider: &ProviderInfo) {
    let id = map.get("id").cloned().unwrap_or_default();
    let api = map.get("api").and_then(Value::as_str).unwrap_or(provider.api()).to_string();
    let url = provider.base_url(&api).to_string();
    let defaults = [
        ("name", id),
        ("provider", provider.id.clone().into()),
        ("api", api.into()),
        ("baseUrl", url.into()),
        ("contextWindow", 128_000.into()),
        ("maxTokens", 16_384.into()),
    ];
    for (key, value) in defaults {
        map.entry(key).or_insert(value);
    }
    if !provider.compat.is_empty() {
        let mut compat = provider.compat.clone();
        if let Some(own) = map.get("compat").and_then(Value::as_object) {
            compat.extend(own.clone());
        }
        map.insert("compat".into(), Value::Object(compat));
    }
}

#[cfg(test)]
mod tests;
