//! Model discovery on servers, through their list (`GET /models`, as most servers support it).
//!
//! Must not know what the models are for. A server without a valid response has none.

use std::time::Duration;

use serde_json::Value;

use crate::base::json::json;

use crate::llm::catalog::ProviderInfo;
use crate::llm::model::Model;
use crate::net::http::{Get, Http};
use crate::net::probe;

/// Timeout of a server on this machine.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum bytes of a list.
const LIST_MAX: usize = 4 << 20;
/// Maximum number of models of one server.
const MODELS_MAX: usize = 500;

/// Returns the models of a server at this root URL. Cheap when no server listens.
pub async fn discover(info: &ProviderInfo, root: &str, key: Option<&str>, http: &Http) -> Vec<Model> {
    if !probe::is_listening(root).await {
        return Vec::new();
    }
    let mut headers = vec![("accept".to_string(), "application/json".to_string())];
    headers.extend(key.map(|key| ("authorization".to_string(), format!("Bearer {key}"))));
    let get = Get { url: list_url(root), headers, timeout: Some(TIMEOUT) };
    match http.get(get).await {
        Ok(response) if response.status() == 200 => {
            let text = response.text(LIST_MAX).await;
            models(info, root, &serde_json::from_str(&text).unwrap_or_default())
        }
        Ok(response) => {
            tracing::debug!("{} at {root} lists no models: HTTP {}", info.id, response.status());
            Vec::new()
        }
        Err(error) => {
            tracing::debug!("{} at {root} lists no models: {error}", info.id);
            Vec::new()
        }
    }
}

/// Returns the URL of the list: a bare host means `/v1`, as for requests.
pub(in crate::llm) fn list_url(root: &str) -> String {
    let root = root.trim_end_matches('/');
    let bare = !root.split_once("://").map_or(root, |(_, rest)| rest).contains('/');
    format!("{root}{}/models", if bare { "/v1" } else { "" })
}

/// Returns the models in a list, without embedding models.
fn models(info: &ProviderInfo, root: &str, list: &Value) -> Vec<Model> {
    let rows = list.get("data").and_then(Value::as_array).into_iter().flatten();
    let model = |row: &Value| {
        let id = row.get("id")?.as_str().filter(|id| !id.is_empty() && !id.contains("embed"))?;
        let meta = row.get("meta").cloned().unwrap_or(json!({}));
        let window = ["max_model_len", "context_length", "max_context_length", "loaded_context_length"]
            .iter()
            .find_map(|name| row.get(name)?.as_u64())
            .or_else(|| meta.get("n_ctx")?.as_u64())
            .or_else(|| meta.get("n_ctx_train")?.as_u64())
            .filter(|window| *window > 0);
        let mut model = Model::unknown(&info.id, id, info.api(), root);
        model.input = vec!["text".to_string()];
        model.compat.clone_from(&info.compat);
        if let Some(window) = window {
            model.context_window = window;
            model.max_tokens = model.max_tokens.min(window);
        }
        Some(model)
    };
    rows.filter_map(model).take(MODELS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::catalog::Catalog;

    #[test]
    fn discover_reads_model_lists_of_servers() {
        let info = Catalog::builtin().provider("vllm").unwrap();
        let list = json!({"object": "list", "data": [
            {"id": "vllm", "max_model_len": 4096},
            {"id": "gguf", "meta": {"n_ctx_train": 262_144}},
            {"id": "nomic-embed-text"},
            {"id": "plain"},
            {"id": ""}, {}, 5,
        ]});
        let found = models(info, "http://h/v1", &list);
        let facts: Vec<_> = found.iter().map(|m| (m.id.as_str(), m.context_window, m.max_tokens)).collect();
        assert_eq!(facts, [("vllm", 4096, 4096), ("gguf", 262_144, 16_384), ("plain", 128_000, 16_384)]);
        for odd in [json!(null), json!([]), json!({"data": {}}), json!("x")] {
            assert!(models(info, "", &odd).is_empty(), "{odd}");
        }
    }

    #[test]
    fn discover_list_url_follows_base_url() {
        assert_eq!(list_url("http://h:1"), "http://h:1/v1/models");
        assert_eq!(list_url("http://h/api/v4/"), "http://h/api/v4/models");
    }
}
