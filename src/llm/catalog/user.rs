//! The user's own providers and models: `models.json` in pi's schema.
//!
//! Must not know where the file is. Invalid parts are reported with their line and ignored; the rest is used.

use std::collections::BTreeMap;

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::info::{self, ProviderInfo};
use crate::base::secret::Secret;

/// A problem, with its line from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line.
    pub line: usize,
    /// The description.
    pub message: String,
}

/// The parsed file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UserModels {
    /// Providers by id, in the order of the file.
    pub providers: Vec<(String, UserProvider)>,
}

/// The file's data for one provider.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UserProvider {
    name: Option<String>,
    base_url: Option<String>,
    api_key: Secret<Option<String>>,
    api: Option<String>,
    headers: Secret<BTreeMap<String, String>>,
    compat: Map<String, Value>,
    auth_header: bool,
    /// Models, new ones and replacements of bundled ones.
    #[serde(skip)]
    pub models: Vec<Value>,
    /// Changes to fields of bundled models, by id.
    #[serde(skip)]
    pub overrides: BTreeMap<String, Value>,
}

impl UserModels {
    /// Parses the file's text: JSON; comments and a byte order mark are allowed.
    pub fn parse(text: &str) -> (Self, Vec<Problem>) {
        let text = text.trim_start_matches('\u{feff}');
        let mut read = Parser { text, problems: Vec::new() };
        let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
        let root = match parsed {
            Ok(parsed) => parsed.value,
            Err(error) => {
                read.problem(error.range().start, format!("{}; nothing of it is used", error.kind()));
                None
            }
        };
        let mut all = Self::default();
        if let Some(root) = root {
            all.providers = read.root(root);
        }
        (all, read.problems)
    }

    /// Returns the data for a provider.
    pub fn of(&self, provider: &str) -> Option<&UserProvider> {
        self.providers.iter().find(|(id, _)| id == provider).map(|(_, user)| user)
    }

    /// Applies the data to provider rows: known ones are changed, new ones are inserted before the last,
    /// which is the fallback.
    pub fn apply(&self, rows: &mut Vec<ProviderInfo>) {
        for (id, user) in &self.providers {
            if let Some(row) = rows.iter_mut().find(|row| row.id == *id) {
                user.apply_to(row);
            } else {
                let mut row = ProviderInfo { id: id.clone(), name: id.clone(), ..ProviderInfo::default() };
                user.apply_to(&mut row);
                let first = user.models.first().and_then(|m| m.get("id")).and_then(Value::as_str);
                row.default_model = first.unwrap_or_default().to_string();
                rows.insert(rows.len().saturating_sub(1), row);
            }
        }
    }
}

impl UserProvider {
    /// Returns the deviations that all of its models share, overriding each model's data.
    pub fn compat(&self) -> &Map<String, Value> {
        &self.compat
    }

    fn apply_to(&self, row: &mut ProviderInfo) {
        if let Some(name) = &self.name {
            row.name.clone_from(name);
        }
        if let Some(url) = &self.base_url {
            row.wires.iter_mut().for_each(|(_, known)| known.clone_from(url));
        }
        if let Some(api) = &self.api {
            let url = self.base_url.clone().unwrap_or_else(|| row.base_url(api).to_string());
            row.wires.retain(|(known, _)| known != api);
            row.wires.insert(0, (api.clone(), url));
        }
        row.headers.extend((*self.headers).clone());
        row.compat.extend(self.compat.clone());
        row.bearer |= self.auth_header;
        if self.api_key.is_some() {
            row.api_key.clone_from(&self.api_key);
        }
    }
}

/// Merges fields; objects are merged recursively, other values replaced.
pub fn merge(into: &mut Value, over: &Value) {
    match (into, over) {
        (Value::Object(into), Value::Object(over)) => {
            for (key, value) in over {
                match into.get_mut(key) {
                    Some(old) if old.is_object() && value.is_object() => merge(old, value),
                    _ => {
                        into.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (into, over) => *into = over.clone(),
    }
}

struct Parser<'a> {
    text: &'a str,
    problems: Vec<Problem>,
}

impl<'a> Parser<'a> {
    fn problem(&mut self, at: usize, message: impl Into<String>) {
        let line = 1 + self.text.get(..at).map_or(0, |before| before.matches('\n').count());
        self.problems.push(Problem { line, message: message.into() });
    }

    fn root(&mut self, root: ast::Value<'a>) -> Vec<(String, UserProvider)> {
        let ast::Value::Object(mut root) = root else {
            self.problem(0, "it has to be an object with `providers`; nothing of it is used");
            return Vec::new();
        };
        let Some(providers) = root.take_object("providers") else {
            self.problem(root.range.start, "there is no object `providers`; nothing of it is used");
            return Vec::new();
        };
        let mut all = Vec::new();
        for property in providers.properties {
            let id = property.name.as_str().to_string();
            let at = property.range.start;
            match property.value {
                ast::Value::Object(object) => all.extend(self.provider(&id, object).map(|user| (id, user))),
                _ => self.problem(at, format!("provider `{id}` is no object; it is ignored")),
            }
        }
        all
    }

    fn provider(&mut self, id: &str, mut object: ast::Object<'a>) -> Option<UserProvider> {
        let at = object.range.start;
        let models = object.take("models");
        let overrides = object.take_object("modelOverrides");
        let head: Value = ast::Value::Object(object).into();
        let mut user: UserProvider = match serde_json::from_value(head) {
            Ok(user) => user,
            Err(error) => {
                self.problem(at, format!("provider `{id}`: {error}; it is ignored"));
                return None;
            }
        };
        if let Some(models) = models {
            match models.value {
                ast::Value::Array(array) => {
                    user.models =
                        array.elements.into_iter().filter_map(|model| self.model(id, &user, model)).collect();
                }
                _ => self.problem(models.range.start, format!("provider `{id}`: `models` is no list")),
            }
        }
        for property in overrides.into_iter().flat_map(|object| object.properties) {
            let (name, start) = (property.name.as_str().to_string(), property.range.start);
            let mut value: Value = property.value.into();
            for fixed in ["id", "api", "baseUrl", "provider"] {
                value.as_object_mut().map(|map| map.shift_remove(fixed));
            }
            match check_model(&value) {
                Ok(()) => drop(user.overrides.insert(name, value)),
                Err(message) => {
                    self.problem(start, format!("`{id}/{name}`: {message}; the override is ignored"));
                }
            }
        }
        Some(user)
    }

    fn model(&mut self, id: &str, user: &UserProvider, model: ast::Value<'a>) -> Option<Value> {
        let at = offset_of(&model);
        let value: Value = model.into();
        let Some(name) = value.get("id").and_then(Value::as_str).filter(|name| !name.is_empty()) else {
            self.problem(at, format!("provider `{id}`: a model has no `id`; it is ignored"));
            return None;
        };
        let known = info::builtin().iter().any(|row| row.id == id);
        if !known && user.api.is_none() && value.get("api").is_none() {
            self.problem(
                at,
                format!("`{id}/{name}`: neither it nor the provider has an `api`; it is ignored"),
            );
            return None;
        }
        let kind = value.get("type").and_then(Value::as_str);
        if kind.is_some_and(|kind| kind != "chat") {
            // Models of other types are no error; they are ignored.
            return None;
        }
        match check_model(&value) {
            Ok(()) => Some(value),
            Err(error) => {
                self.problem(at, format!("`{id}/{name}`: {error}; it is ignored"));
                None
            }
        }
    }
}

/// Fails if the fields are not those of a model.
fn check_model(fields: &Value) -> Result<(), String> {
    let mut model = crate::base::json::json!({
        "id": "", "name": "", "provider": "", "api": "", "contextWindow": 1, "maxTokens": 1,
    });
    if !fields.is_object() {
        return Err("it is no object".to_string());
    }
    merge(&mut model, fields);
    serde_json::from_value::<crate::llm::model::Model>(model).map(drop).map_err(|error| error.to_string())
}

fn offset_of(value: &ast::Value<'_>) -> usize {
    use jsonc_parser::common::Ranged;
    value.range().start
}

#[cfg(test)]
mod tests;
