//! What counts as a way to reach a provider.

use super::*;
use crate::base::json::json;
use crate::llm::catalog::Catalog;

/// The root that stands in place of others: empty where none does.
fn reach(provider: &str, vars: &[(&str, &str)], stored: &serde_json::Value) -> Option<String> {
    let vars = vars.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
    let info = Catalog::builtin().provider(provider).unwrap();
    let stored = stored.as_object().unwrap().clone();
    Credentials::new(vars).access_to(info, &stored).map(|reach| reach.base_url.unwrap_or_default())
}

#[test]
fn auth_provider_is_available_only_with_credentials() {
    for (provider, vars, stored, offered) in [
        ("anthropic", &[][..], json!({}), false),
        ("anthropic", &[("ANTHROPIC_API_KEY", " ")], json!({}), false),
        ("anthropic", &[("ANTHROPIC_API_KEY", "k")], json!({}), true),
        ("anthropic", &[("ANTHROPIC_AUTH_TOKEN", "k")], json!({}), true),
        ("anthropic", &[], json!({"anthropic": {"type": "api_key", "key": "k"}}), true),
        ("anthropic", &[], json!({"openai": {"type": "api_key", "key": "k"}}), false),
        ("anthropic", &[], json!({"anthropic": {"type": "oauth", "access": "a"}}), true),
        ("openai-codex", &[], json!({}), false),
        ("openai-codex", &[], json!({"openai-codex": {"type": "oauth", "access": "a"}}), true),
        ("amazon-bedrock", &[("AWS_ACCESS_KEY_ID", "a")], json!({}), false),
        ("amazon-bedrock", &[("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "s")], json!({}), true),
        ("cloudflare-workers-ai", &[("CLOUDFLARE_API_KEY", "k")], json!({}), false),
        (
            "cloudflare-workers-ai",
            &[],
            json!({"cloudflare-workers-ai": {"type": "api_key", "key": "k", "env": {"CLOUDFLARE_ACCOUNT_ID": "a"}}}),
            true,
        ),
        ("ollama", &[], json!({}), true),
        ("demo", &[], json!({}), true),
    ] {
        assert_eq!(reach(provider, vars, &stored).is_some(), offered, "{provider} {vars:?}");
    }
}

#[test]
fn auth_local_server_needs_no_key() {
    let local = "http://127.0.0.1:9/";
    let got = reach("anthropic", &[("ANTHROPIC_BASE_URL", local)], &json!({}));
    assert_eq!(got, Some("http://127.0.0.1:9".into()));
    assert_eq!(reach("anthropic", &[("ANTHROPIC_BASE_URL", "https://proxy.example")], &json!({})), None);
    let bare = reach("ollama", &[("OLLAMA_HOST", "0.0.0.0:7")], &json!({}));
    assert_eq!(bare, Some("http://127.0.0.1:7".into()));
}

#[test]
fn auth_base_url_variables_are_filled() {
    let var = |name: &str| (name == "A").then(|| "x".to_string());
    assert_eq!(fill_placeholders("https://h/{A}/b", var).as_deref(), Some("https://h/x/b"));
    assert_eq!(fill_placeholders("https://h/{B}", var), None);
    assert_eq!(fill_placeholders("https://h", var).as_deref(), Some("https://h"));
}
