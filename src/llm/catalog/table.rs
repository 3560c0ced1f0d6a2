//! Providers with their models. Must not know credentials or dialects.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

use super::bundled;
use super::info::{self, ProviderInfo};
use super::model_list::ModelLists;
use super::user::{self, UserModels};
use crate::llm::model::Model;

/// Providers in order of preference; their models are read on demand.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// The providers; the last one is the fallback.
    pub providers: Vec<ProviderInfo>,
    /// Providers that only the offline setting makes unusable.
    pub offline_excluded: Vec<String>,
    user: UserModels,
    model_lists: Arc<ModelLists>,
}

static BUILTIN: LazyLock<Catalog> =
    LazyLock::new(|| Catalog { providers: info::builtin().to_vec(), ..Catalog::default() });

impl Catalog {
    /// Returns the bundled catalog.
    pub fn builtin() -> &'static Self {
        &BUILTIN
    }

    /// Returns the catalog overlaid with the user's file.
    #[must_use]
    pub fn with_user(&self, user: UserModels) -> Self {
        let mut providers = self.providers.clone();
        user.apply(&mut providers);
        Self { providers, user, ..self.clone() }
    }

    /// Adds fetched model lists.
    #[must_use]
    pub fn with_model_lists(mut self, listed: ModelLists) -> Self {
        self.model_lists = Arc::new(listed);
        self
    }

    /// Returns a provider by id.
    pub fn provider(&self, id: &str) -> Option<&ProviderInfo> {
        self.providers.iter().find(|p| p.id == id)
    }

    /// Returns the models of a provider, its default first. A default model without data has only its name.
    pub fn models_of(&self, provider: &ProviderInfo) -> Vec<Arc<Model>> {
        self.models_at(provider, None)
    }

    /// The same for another root URL of its API: lists fetched from other roots are ignored.
    pub fn models_at(&self, provider: &ProviderInfo, root: Option<&str>) -> Vec<Arc<Model>> {
        let fields = self.fields_of(provider, root);
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

    /// Returns the models' own fields: bundled ones and those of the fetched list, both changed by the user's
    /// file.
    fn fields_of(&self, provider: &ProviderInfo, root: Option<&str>) -> Vec<Value> {
        let mut all = bundled::models(&provider.id).to_vec();
        let id = |fields: &Value| fields.get("id").and_then(Value::as_str).map(str::to_string);
        let listed = self.model_lists.models_of(&provider.id, root);
        if !listed.is_empty() {
            let mut known: HashSet<String> = all.iter().filter_map(id).collect();
            let new = listed.iter().filter(|fields| id(fields).is_some_and(|id| known.insert(id)));
            all.extend(new.cloned().map(|fields| assume_images(provider, fields)));
        }
        let Some(user) = self.user.of(&provider.id) else { return all };
        for fields in &mut all {
            if !user.compat().is_empty() {
                user::merge(fields, &crate::base::json::json!({"compat": user.compat()}));
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

    /// Returns a model by provider and id.
    pub fn model(&self, provider: &str, id: &str) -> Option<Arc<Model>> {
        self.models_of(self.provider(provider)?).into_iter().find(|model| model.id == id)
    }

    /// Returns a model by provider and any of its names.
    pub fn model_by_name(&self, provider: &str, name: &str) -> Option<Arc<Model>> {
        let models = self.models_of(self.provider(provider)?);
        let id = models.iter().find(|model| model.id == name);
        id.or_else(|| models.iter().find(|model| model.aliases.iter().any(|alias| alias == name))).cloned()
    }

    /// Returns the newest model of a provider that satisfies a predicate: the default model, else the one
    /// with the highest version in its id.
    pub fn latest(&self, provider: &str, can: impl Fn(&Model) -> bool) -> Option<Arc<Model>> {
        let info = self.provider(provider)?;
        let models: Vec<_> = self.models_of(info).into_iter().filter(|model| can(model)).collect();
        let default = models.iter().find(|model| model.id == info.default_model);
        // Of several with the same version, the first in the data.
        default.or_else(|| models.iter().rev().max_by_key(|model| version(&model.id))).cloned()
    }

    /// Returns the first provider that has a model with this id. Reads the providers' data one after the
    /// other.
    pub fn provider_of(&self, model: &str) -> Option<&ProviderInfo> {
        self.providers
            .iter()
            .find(|p| self.models_of(p).iter().any(|m| m.id == model || m.aliases.iter().any(|a| a == model)))
    }
}

/// Returns the numbers in an id up to a date.
fn version(id: &str) -> Vec<u32> {
    let numbers = id.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    numbers.take_while(|part| part.len() <= 2).filter_map(|part| part.parse().ok()).collect()
}

/// Completes a model known only from a list: the makers' own wire formats support images unless the list says
/// no.
fn assume_images(provider: &ProviderInfo, mut fields: Value) -> Value {
    let sees = !["openai-completions", "mistral-conversations"].contains(&provider.api());
    if let Some(map) = fields.as_object_mut() {
        let input = if sees { vec!["text", "image"] } else { vec!["text"] };
        map.entry("input").or_insert(input.into());
    }
    fields
}

/// Builds a model from its fields and its provider's row; `None` if they are not a valid model.
fn model(provider: &ProviderInfo, mut fields: Value) -> Option<Model> {
    let map = fields.as_object_mut()?;
    fill(map, provider);
    serde_json::from_value(fields).ok()
}

/// Adds fields from the provider and pi's defaults.
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
