//! What a user's file may say, what comes of it, and what is said of faults.

use super::*;
use crate::llm::catalog::Catalog;
use proptest::prelude::*;

fn read(text: &str) -> (UserModels, Vec<String>) {
    let (user, problems) = UserModels::parse(text);
    (user, problems.into_iter().map(|p| format!("{}: {}", p.line, p.message)).collect())
}

#[test]
fn user_models_new_provider_with_comments_and_bom() {
    let (user, problems) = read(
        "\u{feff}{ // mine\n \"providers\": {\"local\": {\"baseUrl\": \"http://h/v1\", \"api\": \"openai-completions\",
            \"apiKey\": \"!pass x\", \"headers\": {\"x-a\": \"$A\"}, \"compat\": {\"supportsStore\": false},
            \"models\": [{\"id\": \"m\", \"compat\": {\"own\": true}}, {\"id\": \"n\", \"name\": \"N\", \"contextWindow\": 5,
            \"cost\": {\"input\": 1}, \"baseUrl\": \"http://other\"}],}}}",
    );
    assert_eq!(problems, Vec::<String>::new());
    let catalog = Catalog::builtin().with_user(user);
    let info = catalog.provider("local").unwrap();
    assert_eq!((info.default_model.as_str(), info.api_key.as_deref()), ("m", Some("!pass x")));
    assert_eq!(catalog.providers.last().unwrap().id, "demo");
    let models = catalog.models_of(info);
    assert_eq!(
        (models[0].name.as_str(), models[0].context_window, models[0].max_tokens),
        ("m", 128_000, 16_384)
    );
    assert_eq!(models[0].base_url, "http://h/v1");
    assert_eq!(
        Value::Object(models[0].compat.clone()),
        crate::base::json::json!({"supportsStore": false, "own": true})
    );
    assert_eq!((models[1].base_url.as_str(), models[1].context_window), ("http://other", 5));
}

#[test]
fn user_models_override_bundled_providers_and_models() {
    let (user, problems) = read(
        r#"{"providers": {"anthropic": {"baseUrl": "https://proxy", "authHeader": true,
            "modelOverrides": {"claude-opus-5-5": {"name": "Mine", "cost": {"input": 9}, "compat": {"x": 1}}},
            "models": [{"id": "claude-next"}, {"id": "claude-opus-5", "contextWindow": 7}]}}}"#,
    );
    assert_eq!(problems, Vec::<String>::new());
    let before = Catalog::builtin().model("anthropic", "claude-opus-5-5").unwrap();
    let catalog = Catalog::builtin().with_user(user);
    let after = catalog.model("anthropic", "claude-opus-5-5").unwrap();
    assert_eq!((after.name.as_str(), after.base_url.as_str()), ("Mine", "https://proxy"));
    assert_eq!(after.cost.base.output.to_bits(), before.cost.base.output.to_bits());
    assert_eq!(after.cost.base.input.to_bits(), 9f64.to_bits());
    assert!(after.flag("forceAdaptiveThinking") && after.compat.contains_key("x"));
    assert!(catalog.provider("anthropic").unwrap().bearer);
    assert_eq!(catalog.model("anthropic", "claude-next").unwrap().api, "anthropic-messages");
    let replaced = catalog.model("anthropic", "claude-opus-5").unwrap();
    assert_eq!((replaced.context_window, replaced.reasoning), (7, false));
}

#[test]
fn user_models_faults_are_reported_by_line() {
    let (user, problems) = read(
        "{\"providers\": {\n\"a\": 1,\n\"b\": {\"headers\": []},\n\"xai\": {\n\"models\": [\n{\"name\": \"x\"},\n{\"id\": \"y\", \"contextWindow\": \"big\"},\n{\"id\": \"z\"}],\n\"modelOverrides\": {\n\"q\": {\"reasoning\": 5}}},\n\"new\": {\"models\": [\n{\"id\": \"m\"}]}}}",
    );
    let starts: Vec<_> = problems.iter().map(|p| p.split("; ").next().unwrap_or_default()).collect();
    assert_eq!(starts.len(), 6, "{problems:#?}");
    for (start, expected) in starts.iter().zip([
        "2: provider `a` is no object",
        "3: provider `b`: invalid type",
        "6: provider `xai`: a model has no `id`",
        "7: `xai/y`: invalid type",
        "10: `xai/q`: invalid type",
        "12: `new/m`: neither it nor the provider has an `api`",
    ]) {
        assert!(start.starts_with(expected), "{start} / {expected}");
    }
    assert_eq!(user.of("xai").unwrap().models, [crate::base::json::json!({"id": "z"})]);
    for broken in ["{\"providers\": {", "[]", "", "{}"] {
        let (user, problems) = read(broken);
        assert!(user.providers.is_empty(), "{broken}");
        assert_eq!(problems.len(), usize::from(!broken.is_empty()), "{broken}");
    }
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    #[test]
    fn user_models_any_text_is_safe(text in "[{}\\[\\]\":,a-z/* \n0-9é]{0,80}") {
        let (user, _) = UserModels::parse(&format!("{{\"providers\": {text}"));
        let catalog = Catalog::builtin().with_user(user);
        prop_assert_eq!(&catalog.providers.last().unwrap().id, "demo");
    }
}

#[test]
fn user_models_provider_settings_reach_bundled_models() {
    let (user, problems) = UserModels::parse(
        r#"{"providers": {"anthropic": {"baseUrl": "https://proxy.example", "headers": {"x-a": "b"},
            "compat": {"forceAdaptiveThinking": false, "supportsTemperature": false},
            "modelOverrides": {"claude-opus-5": {"compat": {"supportsTemperature": true}}}}}}"#,
    );
    assert_eq!(problems, []);
    let catalog = Catalog::builtin().with_user(user);
    let flag = |id: &str, name: &str| catalog.model("anthropic", id).unwrap().set_flag(name);
    let bundled = Catalog::builtin().model("anthropic", "claude-opus-5-5").unwrap();
    assert_eq!(bundled.set_flag("forceAdaptiveThinking"), Some(true), "the data says so");
    assert_eq!(flag("claude-opus-5-5", "forceAdaptiveThinking"), Some(false));
    assert_eq!(flag("claude-opus-5-5", "supportsTemperature"), Some(false));
    assert_eq!(flag("claude-opus-5", "supportsTemperature"), Some(true), "an override says more");
    let model = catalog.model("anthropic", "claude-opus-5-5").unwrap();
    assert_eq!(model.base_url, "https://proxy.example");
    assert_eq!(catalog.provider("anthropic").unwrap().headers["x-a"], "b");
}
