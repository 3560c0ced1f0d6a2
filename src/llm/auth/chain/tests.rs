//! Which key is found where, and what is said when there is none.

use super::*;
use crate::base::clock::ManualClock;
use crate::base::json::json;
use crate::llm::access::Variables;
use crate::llm::auth::store::Store;
use crate::llm::auth::value::Shell;
use crate::llm::catalog::Catalog;
use crate::llm::model::Request;
use crate::llm::providers::Setup;
use crate::llm::request::headers;
use crate::net::http::Limits;
use serde_json::Value;
use std::collections::HashMap;

struct Case {
    dir: tempfile::TempDir,
    chain: Chain,
}

fn case(provider: &str, vars: &[(&str, &str)], kept: &Value) -> Case {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("auth.json");
    std::fs::write(&path, kept.to_string()).unwrap();
    let vars: HashMap<_, _> = vars.iter().map(|(k, v)| ((*k).to_string(), (*v).to_string())).collect();
    let info = Catalog::builtin().provider(provider).unwrap().clone();
    let chain = Chain {
        base_url: info.base_url(info.api()).to_string(),
        info: Arc::new(info),
        credentials: Credentials::new(vars).with_store(Store::new(&path)),
        http: Arc::default(),
        clock: ManualClock::new(1_000_000),
    };
    Case { dir, chain }
}

async fn key(case: &Case) -> (Option<String>, KeyKind, Option<String>) {
    let access = case.chain.access().await.unwrap();
    (access.key.map(|k| k.0), access.kind, access.key_name)
}

#[tokio::test]
async fn api_key_sources_follow_precedence() {
    let env = [("XAI_API_KEY", "env"), ("NAMED", "named")];
    let kept = json!({"xai": {"type": "api_key", "key": "$NAMED"}});
    let mut all = case("xai", &env, &kept);
    let mut info = (*all.chain.info).clone();
    info.api_key = Some("file".to_string()).into();
    all.chain.info = Arc::new(info);
    let bare = all.chain.credentials.clone();
    all.chain.credentials = bare.clone().with_key("xai", "flag".into());
    assert_eq!(key(&all).await, (Some("flag".into()), KeyKind::Key, Some("--api-key".into())));
    all.chain.credentials = bare.with_key("openai", "flag".into());
    assert_eq!(key(&all).await.0.as_deref(), Some("named"));
    let path = all.dir.path().join("auth.json");
    let login = json!({"xai": {"type": "oauth", "access": "tok", "refresh": "r", "expires": 9e15}});
    std::fs::write(&path, login.to_string()).unwrap();
    assert_eq!(key(&all).await.0.as_deref(), Some("tok"), "another process has logged in");
    assert_eq!(key(&all).await.1, KeyKind::Login);
    std::fs::write(&path, "{}").unwrap();
    assert_eq!(key(&all).await, (Some("env".into()), KeyKind::Key, Some("XAI_API_KEY".into())));
    all.chain.credentials = Credentials::new(HashMap::new());
    assert_eq!(key(&all).await, (Some("file".into()), KeyKind::Key, Some("models.json".into())));
}

#[tokio::test]
async fn api_key_kind_is_key_or_bearer_by_source() {
    let kind = |provider: &'static str, vars: &'static [(&str, &str)]| async move {
        key(&case(provider, vars, &json!({}))).await.1
    };
    assert_eq!(kind("anthropic", &[("ANTHROPIC_API_KEY", "k")]).await, KeyKind::Key);
    assert_eq!(kind("anthropic", &[("ANTHROPIC_AUTH_TOKEN", "k")]).await, KeyKind::Bearer);
    assert_eq!(kind("github-copilot", &[("COPILOT_GITHUB_TOKEN", "k")]).await, KeyKind::Bearer);
    let gateway = case("cloudflare-ai-gateway", &[("CLOUDFLARE_API_KEY", "k")], &json!({}));
    let access = gateway.chain.access().await.unwrap();
    assert_eq!(access.key, None);
    assert_eq!(*access.headers, [("cf-aig-authorization".to_string(), "Bearer k".to_string())]);
}

#[tokio::test]
async fn oauth_failed_early_refresh_uses_token_until_expiry() {
    let at = |expires: u64| {
        let kept = json!({"xai": {"type": "oauth", "access": "old", "refresh": "r", "expires": expires}});
        let mut case = case("xai", &[("BOWLINE_XAI_CLIENT_ID", "mine")], &kept);
        case.chain.http = Arc::new(Http::new(Limits::default(), true));
        case
    };
    assert_eq!(key(&at(1_000_001)).await.0.as_deref(), Some("old"));
    let error = at(1_000_000).chain.access().await.unwrap_err();
    assert!(error.message.contains("the login could not be renewed"), "{error}");
}

#[tokio::test]
async fn headers_of_model_resolve_variables_and_commands() {
    let shell = Shell::new(Arc::new(|command: String| async move { Ok(format!("said {command}")) }.boxed()));
    let mut case = case("xai", &[("XAI_API_KEY", "k"), ("TEAM", "blue")], &json!({}));
    case.chain.credentials = case.chain.credentials.clone().with_shell(shell);
    let mut request =
        Request { headers: vec![("x-own".into(), "$TEAM".into())].into(), ..Request::default() };
    for (name, text) in [("x-team", "team $TEAM"), ("x-said", "!pass x"), ("x-plain", "p")] {
        request.model.headers.insert(name.into(), text.into());
    }
    let setup = Setup {
        provider: "xai".into(),
        keys: Arc::new(case.chain.clone()),
        variables: Variables::default(),
        http: Arc::default(),
        clock: ManualClock::new(0),
        idle_timeout: None,
    };
    let access = setup.access(&request).await.unwrap();
    let mut headers = Vec::new();
    headers::of_request(&mut headers, &access, &request);
    let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let expected = [("x-plain", "p"), ("x-said", "said pass x"), ("x-team", "team blue"), ("x-own", "$TEAM")];
    assert_eq!(headers, expected);
    request.model.headers.insert("x-team".into(), "$NOBODY".into());
    let error = setup.access(&request).await.unwrap_err();
    assert!(error.message.contains("the header `x-team` is not to be had: NOBODY is not set"), "{error}");
}

#[tokio::test]
async fn auth_entry_env_wins_over_environment() {
    let kept = json!({"xai": {"type": "api_key", "env": {"XAI_API_KEY": "own"}}});
    let case = case("xai", &[("XAI_API_KEY", "env")], &kept);
    assert_eq!(key(&case).await.0.as_deref(), Some("own"));
}

#[tokio::test]
async fn auth_missing_key_error_names_next_step() {
    for (provider, kept, expected) in [
        ("xai", json!({}), "xAI: there is no key; set XAI_API_KEY, or `bowline login xai`"),
        ("openai-codex", json!({}), "OpenAI Codex: not logged in; `bowline login openai-codex`"),
        (
            "xai",
            json!({"xai": {"type": "api_key", "key": "$NOT_THERE"}}),
            "xAI: the key that is kept is not to be had: NOT_THERE is not set",
        ),
        (
            "xai",
            json!({"xai": {"type": "oauth", "access": "t0", "refresh": "r0", "expires": 1}}),
            "BOWLINE_XAI_CLIENT_ID",
        ),
    ] {
        let case = case(provider, &[], &kept);
        let error = case.chain.access().await.unwrap_err();
        assert!(error.message.contains(expected), "{error}");
        assert_eq!(error.kind, ErrorKind::Authentication);
    }
    let broken = case("xai", &[], &json!({}));
    std::fs::write(broken.dir.path().join("auth.json"), "{hunter2").unwrap();
    let error = broken.chain.access().await.unwrap_err().message;
    assert!(error.contains("auth.json:1:") && !error.contains("hunter2"), "{error}");
}
