//! Bundled models: one file per provider, parsed when the provider is first queried.
//!
//! Must not know the caller. Parsed files stay in memory; unusable providers cost nothing.

use std::collections::HashMap;
use std::sync::LazyLock;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value};

macro_rules! files {
    ($($id:literal,)*) => {
        &[$(($id, include_str!(concat!("../../../assets/models/", $id, ".json")))),*]
    };
}

/// Provider id and the text of its file, sorted by id.
static FILES: &[(&str, &str)] = files![
    "amazon-bedrock",
    "ant-ling",
    "anthropic",
    "azure",
    "baseten",
    "cerebras",
    "cloudflare-ai-gateway",
    "cloudflare-workers-ai",
    "deepseek",
    "demo",
    "fireworks",
    "github-copilot",
    "google",
    "google-vertex",
    "groq",
    "huggingface",
    "kimi-coding",
    "meta",
    "minimax",
    "minimax-cn",
    "mistral",
    "moonshotai",
    "moonshotai-cn",
    "nvidia",
    "openai",
    "openai-codex",
    "opencode",
    "opencode-go",
    "openrouter",
    "qwen-token-plan",
    "qwen-token-plan-cn",
    "qwen-token-plan-individual",
    "qwen-token-plan-individual-cn",
    "together",
    "vercel-ai-gateway",
    "xai",
    "xiaomi",
    "xiaomi-token-plan-ams",
    "xiaomi-token-plan-cn",
    "xiaomi-token-plan-sgp",
    "zai",
    "zai-coding-cn",
];

static PARSED: LazyLock<Mutex<HashMap<&'static str, &'static [Value]>>> = LazyLock::new(Mutex::default);

/// Content of a file: default fields, and the models. A model's own field takes precedence, and `null`
/// removes a default.
#[derive(Deserialize)]
struct File {
    shared: Map<String, Value>,
    models: Vec<Map<String, Value>>,
}

/// Returns the ids of the bundled providers.
pub fn providers() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(id, _)| *id)
}

/// Returns the models of a provider in pi's schema, without the fields of the provider's own row; empty when
/// there is no file.
pub fn models(provider: &str) -> &'static [Value] {
    let Ok(at) = FILES.binary_search_by_key(&provider, |(id, _)| *id) else { return &[] };
    let (id, text) = FILES[at];
    let mut read = PARSED.lock();
    // Leaked deliberately: lives as long as the program, like the text itself.
    read.entry(id).or_insert_with(|| Vec::leak(parse(text)))
}

fn parse(text: &str) -> Vec<Value> {
    let file: File = serde_json::from_str(text).expect("each of the files is read by a test");
    let File { shared, models } = file;
    models.into_iter().map(|model| Value::Object(with_shared(&shared, model))).collect()
}

fn with_shared(shared: &Map<String, Value>, own: Map<String, Value>) -> Map<String, Value> {
    let mut all = shared.clone();
    for (key, value) in own {
        if value.is_null() {
            all.shift_remove(&key);
        } else {
            all.insert(key, value);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn bundled_models_match_assets_folder() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/models")).unwrap();
        let mut names: Vec<String> =
            folder.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort_by(|a, b| a.trim_end_matches(".json").cmp(b.trim_end_matches(".json")));
        assert_eq!(providers().map(|id| format!("{id}.json")).collect::<Vec<_>>(), names);
    }

    #[test]
    fn bundled_model_fields_override_and_null_removes() {
        let shared = json!({"api": "a", "input": ["text"], "reasoning": true});
        let own = json!({"id": "m", "input": ["image"], "reasoning": null});
        let all = with_shared(shared.as_object().unwrap(), own.as_object().unwrap().clone());
        assert_eq!(Value::Object(all), json!({"api": "a", "input": ["image"], "id": "m"}));
    }

    #[test]
    fn bundled_unknown_provider_has_no_models() {
        assert!(models("nobody").is_empty());
        assert!(!models("anthropic").is_empty());
    }
}
