//! Cache of fetched model lists, in its stored form.
//!
//! Must not know where it is stored. It only adds models: bundled data and the user's own file take
//! precedence.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Format version; a list in another version is fetched again.
const VERSION: u32 = 1;

/// Maximum number of models of one provider.
const MODELS_MAX: usize = 3_000;

/// Lists by provider id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelLists {
    version: u32,
    /// The list of each provider.
    pub providers: BTreeMap<String, ModelList>,
}

/// The list of one provider.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelList {
    /// The root URL that was queried: another server has other models.
    pub root: String,
    /// Time of the last fetch, in milliseconds since the Unix epoch.
    pub checked: u64,
    /// The server's `ETag` of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub etag: Option<String>,
    /// The modification date, if there is no `ETag`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// Fields of models in pi's schema, as far as the list has them.
    pub models: Vec<Value>,
}

impl ModelList {
    /// Adds models that are missing, up to the limit.
    pub fn add(&mut self, models: Vec<Value>) {
        let mut known: HashSet<Value> = self.models.iter().map(|model| model["id"].clone()).collect();
        let new = models.into_iter().filter(|model| known.insert(model["id"].clone()));
        let room = MODELS_MAX.saturating_sub(self.models.len());
        self.models.extend(new.take(room));
    }
}

impl Default for ModelLists {
    fn default() -> Self {
        Self { version: VERSION, providers: BTreeMap::new() }
    }
}

impl ModelLists {
    /// Parses the stored text; the error is for the log.
    pub fn parse(text: &str) -> Result<Self, String> {
        let listed: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if listed.version == VERSION {
            Ok(listed)
        } else {
            Err(format!("it has version {}, not {VERSION}", listed.version))
        }
    }

    /// Returns the text to store.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns the models of a provider at a root URL; at any if none is given.
    pub fn models_of(&self, provider: &str, root: Option<&str>) -> &[Value] {
        let list = self.providers.get(provider);
        let fits = |list: &&ModelList| root.is_none_or(|root| same_root(root, &list.root));
        list.filter(fits).map_or(&[], |list| &list.models)
    }
}

/// Whether two URLs are the same root.
pub fn same_root(a: &str, b: &str) -> bool {
    a.trim_end_matches('/') == b.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn model_list_drops_duplicates_and_has_limit() {
        let mut list = ModelList::default();
        let model = |id: usize, name: &str| json!({"id": id.to_string(), "name": name});
        list.add(vec![model(1, "a"), model(1, "b"), model(2, "c")]);
        list.add(vec![model(2, "d"), model(3, "e")]);
        assert_eq!(list.models, [model(1, "a"), model(2, "c"), model(3, "e")]);
        list.add((0..9 * MODELS_MAX).map(|id| model(id, "")).collect());
        assert_eq!(list.models.len(), MODELS_MAX);
    }

    #[test]
    fn model_list_cache_roundtrips_and_rejects_other_versions() {
        let mut listed = ModelLists::default();
        let list = ModelList {
            root: "https://h/v1/".into(),
            models: vec![json!({"id": "m"})],
            ..ModelList::default()
        };
        listed.providers.insert("p".into(), ModelList { etag: Some("\"e\"".into()), checked: 5, ..list });
        let read = ModelLists::parse(&listed.text()).unwrap();
        assert_eq!(read, listed);
        assert_eq!(read.models_of("p", Some("https://h/v1")).len(), 1);
        assert_eq!(
            (read.models_of("p", None).len(), read.models_of("p", Some("https://other")).len()),
            (1, 0)
        );
        assert_eq!(
            ModelLists::parse(r#"{"version": 9, "providers": {}}"#).unwrap_err(),
            "it has version 9, not 1"
        );
        assert!(ModelLists::parse("{\"version\": 1").is_err() && ModelLists::parse("").is_err());
    }
}
