//! The data that comes with the program: whole, unique, and nobody else's.

use super::*;
use crate::llm::model::Thinking;

/// Every wire format of the data.
const WIRES: [&str; 10] = [
    "anthropic-messages",
    "azure-openai-responses",
    "bedrock-converse-stream",
    "demo",
    "google-generative-ai",
    "google-vertex",
    "mistral-conversations",
    "openai-codex-responses",
    "openai-completions",
    "openai-responses",
];

#[test]
fn catalog_providers_have_default_model_and_known_apis() {
    let catalog = Catalog::builtin();
    for provider in &catalog.providers {
        let models = catalog.models_of(provider);
        let described = bundled::models(&provider.id);
        assert_eq!(models.len(), described.len(), "{}: a model of it cannot be read", provider.id);
        assert!(!provider.name.is_empty() && !provider.wires.is_empty(), "{}", provider.id);
        assert!(provider.wires.iter().all(|(api, _)| WIRES.contains(&api.as_str())), "{}", provider.id);
        if provider.probe.is_none() {
            assert_eq!(models[0].id, provider.default_model, "{}", provider.id);
        }
        for model in &models {
            assert!(provider.wires.iter().any(|(api, _)| *api == model.api), "{}/{}", provider.id, model.id);
            assert!(model.context_window > 0 && model.max_tokens > 0, "{}/{}", provider.id, model.id);
            for level in model.thinking_level_map.keys() {
                assert!(Thinking::parse(level).is_some(), "{level}");
            }
        }
    }
    let ids: Vec<_> = catalog.providers.iter().map(|p| p.id.as_str()).collect();
    assert_eq!((ids.first(), ids.last()), (Some(&"anthropic"), Some(&"demo")));
    assert!(bundled::providers().all(|id| ids.contains(&id)), "a file of models without a provider");
}

#[test]
fn catalog_model_ids_are_unique() {
    for provider in &Catalog::builtin().providers {
        let models = Catalog::builtin().models_of(provider);
        let mut ids: Vec<_> = models.iter().map(|m| m.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), models.len(), "{}", provider.id);
    }
}

#[test]
fn catalog_headers_never_impersonate_other_products() {
    for provider in &Catalog::builtin().providers {
        let models = Catalog::builtin().models_of(provider);
        let names = models.iter().flat_map(|m| m.headers.keys()).chain(provider.headers.keys());
        for name in names {
            let name = name.to_ascii_lowercase();
            assert!(!["user-agent", "editor-", "copilot-", "originator"].iter().any(|n| name.starts_with(n)));
        }
    }
}

#[test]
fn catalog_reads_all_model_fields() {
    let catalog = Catalog::builtin();
    let openai = catalog.provider("openai").unwrap();
    let models = catalog.models_of(openai);
    assert_eq!((models[0].id.as_str(), models[0].cost.tiers.len()), ("gpt-6.1-sol", 1));
    let anthropic = catalog.models_of(catalog.provider("anthropic").unwrap());
    let cache = anthropic[0].prompt_cache.clone().unwrap();
    assert_eq!((cache.short, cache.long), (Some(300), Some(3600)));
    let images = anthropic[0].input_limits.clone().unwrap().images.unwrap();
    assert_eq!(images.resize.unwrap().max_width, Some(2000));
    assert_eq!(catalog.provider_of("grok-4.7").map(|p| p.id.as_str()), Some("xai"));
    let nvidia = catalog.models_of(catalog.provider("nvidia").unwrap());
    assert_eq!(nvidia[0].headers["NVCF-POLL-SECONDS"], "3600");
}

#[test]
fn catalog_azure_models_keep_mandatory_reasoning() {
    let catalog = Catalog::builtin();
    let mut seen = 0;
    for model in catalog.models_of(catalog.provider("azure").unwrap()) {
        let known = catalog.model("openai", &model.id).filter(|known| !known.has_level(Thinking::Off));
        if let Some(known) = known.filter(|_| model.api == "azure-openai-responses") {
            assert!(!model.has_level(Thinking::Off), "{}", known.id);
            seen += 1;
        }
    }
    assert!(seen > 5, "{seen}");
    let o3 = catalog.model("azure", "o3").unwrap();
    assert_eq!(o3.nearest_level(Thinking::Off), Thinking::Low, "it refuses to be told not to think");
}

fn told(models: &serde_json::Value) -> ModelLists {
    let list = super::super::model_list::ModelList {
        root: "https://api.anthropic.com".into(),
        models: models.as_array().unwrap().clone(),
        ..Default::default()
    };
    let mut listed = ModelLists::default();
    listed.providers.insert("anthropic".into(), list);
    listed
}

#[test]
fn catalog_listed_models_add_but_never_override() {
    let models = crate::base::json::json!([
        {"id": "claude-opus-5-5", "name": "Other", "contextWindow": 5},
        {"id": "claude-9", "name": "Claude 9", "contextWindow": 2_000_000, "reasoning": true},
        {"id": "claude-8", "input": ["text"]},
    ]);
    let (user, _) = UserModels::parse(
        r#"{"providers": {"anthropic": {"modelOverrides": {"claude-9": {"maxTokens": 7}}}}}"#,
    );
    let catalog = Catalog::builtin().with_user(user).with_model_lists(told(&models));
    let model = |id: &str| catalog.model("anthropic", id).unwrap();
    assert_eq!(model("claude-opus-5-5"), Catalog::builtin().model("anthropic", "claude-opus-5-5").unwrap());
    let new = model("claude-9");
    assert_eq!((new.context_window, new.max_tokens, new.reasoning), (2_000_000, 7, true));
    assert_eq!(
        (new.api.as_str(), new.base_url.as_str()),
        ("anthropic-messages", "https://api.anthropic.com")
    );
    let images: Vec<_> = ["claude-9", "claude-8"].map(|id| model(id).supports_images()).into();
    assert_eq!(images, [true, false]);
    let info = catalog.provider("anthropic").unwrap();
    let at = |root| catalog.models_at(info, Some(root)).iter().any(|m| m.id == "claude-9");
    assert!(at("https://api.anthropic.com/") && !at("https://proxy.example"));
}

#[test]
fn catalog_aliases_are_unique_and_configurable() {
    let catalog = Catalog::builtin();
    assert_eq!(catalog.model_by_name("anthropic", "opus").unwrap().id, "claude-opus-5-5");
    assert_eq!(catalog.model_by_name("anthropic", "claude-haiku-latest").unwrap().id, "claude-haiku-5-5");
    assert_eq!(catalog.model_by_name("anthropic", "claude-haiku-5-5").unwrap().id, "claude-haiku-5-5");
    assert_eq!(catalog.model_by_name("anthropic", "opera"), None);
    assert_eq!(catalog.provider_of("opus").map(|p| p.id.as_str()), Some("anthropic"));
    for provider in &catalog.providers {
        let models = catalog.models_of(provider);
        let mut names: Vec<_> =
            models.iter().flat_map(|m| m.aliases.iter().chain([&m.id])).map(String::as_str).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{}: two models share a name", provider.id);
    }
    let (user, problems) = UserModels::parse(
        r#"{"providers": {"xai": {"modelOverrides": {"grok-4.7": {"aliases": ["big"]}}}}}"#,
    );
    assert_eq!(problems, []);
    assert_eq!(catalog.with_user(user).model_by_name("xai", "big").unwrap().id, "grok-4.7");
}

#[test]
fn catalog_latest_picks_newest_matching_model() {
    let catalog = Catalog::builtin();
    let latest =
        |provider: &str, can: fn(&Model) -> bool| catalog.latest(provider, can).map(|m| m.id.clone());
    assert_eq!(latest("anthropic", |_| true).as_deref(), Some("claude-opus-5-5"));
    assert_eq!(latest("openai", |m| m.id.contains("terra")).as_deref(), Some("gpt-6.1-terra"));
    assert_eq!(latest("openai", |m| m.id.starts_with("gpt-4o")).as_deref(), Some("gpt-4o"));
    assert_eq!((latest("openai", |_| false), latest("nobody", |_| true)), (None, None));
    assert_eq!((version("claude-opus-4-5-20251101"), version("gpt-6.1-sol")), (vec![4, 5], vec![6, 1]));
}
