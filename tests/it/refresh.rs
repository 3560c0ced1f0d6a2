//! Lists of models against servers on loopback: asked, kept, asked again, and offered.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use bowline::base::clock::ManualClock;
use bowline::base::paths::Home;
use bowline::exec::local::LocalEnvironment;
use bowline::runtime::Options;
use bowline::runtime::lifecycle::start::usable_models;
use bowline::runtime::models::refresh::{refresh, refresh_expired};
use bowline::tools::{Approval, Ask, Decision};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::server::{Reply, Server};

struct NoUser;

impl Approval for NoUser {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        futures::future::ready(Decision::Deny(ask.rule)).boxed()
    }
}

fn json_reply(body: &Value) -> Reply {
    Reply::Status { code: 200, headers: Vec::new(), body: body.to_string() }
}

/// A home whose providers are at these servers.
fn options(dir: &Path, servers: &[(&str, &Server)]) -> Options {
    let root = dir.display().to_string();
    let home = Home::find(|name| (name == "BOWLINE_HOME" || name == "HOME").then(|| root.clone())).unwrap();
    std::fs::create_dir_all(&home.config).unwrap();
    let providers: serde_json::Map<String, Value> = servers
        .iter()
        .map(|(id, server)| ((*id).to_string(), json!({"baseUrl": server.url, "apiKey": "hunter2"})))
        .collect();
    std::fs::write(home.config.join("models.json"), json!({"providers": providers}).to_string()).unwrap();
    let env = LocalEnvironment::new(dir.to_path_buf(), std::env::vars_os());
    let options = Options::new(home, dir.to_path_buf(), Arc::new(env), Arc::new(NoUser));
    Options { clock: ManualClock::new(77), ..options }
}

async fn model_ids(options: &Options) -> Vec<String> {
    usable_models(options).await.0.iter().map(|m| format!("{}/{}", m.provider, m.id)).collect()
}

fn cached_lists(dir: &TempDir) -> Value {
    let text = std::fs::read_to_string(dir.path().join("state/model-lists.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn model_refresh_stores_paginated_list() {
    let server = Server::start(vec![
        json_reply(
            &json!({"data": [{"id": "claude-9", "display_name": "Claude 9"}], "has_more": true, "last_id": "claude-9"}),
        ),
        json_reply(
            &json!({"data": [{"id": "claude-opus-5-5", "max_input_tokens": 1}], "has_more": false, "last_id": "x"}),
        ),
    ]);
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path(), &[("anthropic", &server)]);
    let told = refresh(&options, None).await.unwrap();
    let [told] = &told[..] else { panic!("{told:?}") };
    assert_eq!((told.provider.as_str(), &told.outcome), ("anthropic", &Ok((2, 1))));
    assert_eq!(told.sentence(), "anthropic: 2 models, 1 new");
    let seen = server.requests();
    let paths: Vec<_> = seen.iter().map(|seen| seen.path.as_str()).collect();
    assert_eq!(paths, ["/v1/models?limit=1000", "/v1/models?limit=1000&after_id=claude-9"]);
    assert_eq!(seen[0].headers["x-api-key"], "hunter2");
    assert_eq!(seen[0].headers["anthropic-version"], "2023-06-01");
    assert!(seen[0].headers["user-agent"].starts_with("bowline/"));
    let list = cached_lists(&dir)["providers"]["anthropic"].clone();
    assert_eq!((&list["checked"], &list["root"]), (&json!(77), &json!(server.url)));
    let (models, problems) = usable_models(&options).await;
    assert!(problems.is_empty());
    let find = |id: &str| models.iter().find(|m| m.provider == "anthropic" && m.id == id).unwrap();
    assert_eq!(
        (find("claude-9").name.as_str(), find("claude-9").api.as_str()),
        ("Claude 9", "anthropic-messages")
    );
    assert!(find("claude-opus-5-5").context_window > 1, "what comes with the program wins");
}

#[tokio::test]
async fn model_refresh_uses_etag_and_keeps_list_on_failure() {
    let list = json!({"data": [{"id": "new-model", "context_length": 9_000}]});
    let headers =
        vec![("etag", "\"e1\"".to_string()), ("last-modified", "Mon, 01 Jan 2029 00:00:00 GMT".into())];
    let server = Server::start(vec![
        Reply::Status { code: 200, headers, body: list.to_string() },
        Reply::Status { code: 304, headers: Vec::new(), body: String::new() },
        Reply::Status {
            code: 401,
            headers: Vec::new(),
            body: json!({"error": {"message": "bad key"}}).to_string(),
        },
        json_reply(&json!({"hello": "hunter2"})),
    ]);
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path(), &[("deepseek", &server)]);
    let ask = || async { refresh(&options, Some("deepseek")).await.unwrap().remove(0) };
    assert_eq!(ask().await.outcome, Ok((1, 1)));
    assert_eq!(ask().await.sentence(), "deepseek: 1 models, none of them new");
    let seen = server.requests();
    assert_eq!((seen[0].path.as_str(), seen[0].headers.get("if-none-match")), ("/v1/models", None));
    assert_eq!(seen[1].headers["if-none-match"], "\"e1\"");
    assert!(seen[1].headers.contains_key("if-modified-since"));
    assert_eq!(seen[1].headers["authorization"], "Bearer hunter2");
    assert_eq!(ask().await.sentence(), "deepseek: the list was refused: HTTP 401, bad key");
    assert_eq!(ask().await.sentence(), "deepseek: what came is no list of models");
    assert!(model_ids(&options).await.contains(&"deepseek/new-model".to_string()));
}

#[tokio::test]
async fn model_refresh_failure_does_not_affect_other_providers() {
    let good = Server::start(vec![json_reply(&json!({"data": [{"id": "grok-99"}]}))]);
    let bad = Server::start(vec![]);
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path(), &[("xai", &good), ("groq", &bad)]);
    let told = refresh(&options, None).await.unwrap();
    let outcome = |id: &str| told.iter().find(|told| told.provider == id).unwrap().outcome.clone();
    assert_eq!(outcome("xai"), Ok((1, 1)));
    assert!(outcome("groq").unwrap_err().contains("HTTP 500, the script is over"));
    assert_eq!(cached_lists(&dir)["providers"].as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn model_refresh_redacts_key_and_deduplicates_models() {
    let body = json!({"error": {"message": "no such key: hunter2-hunter2"}}).to_string();
    let twice = json!({"data": [{"id": "grok-99"}, {"id": "grok-99", "context_length": u64::MAX}]});
    let server = Server::start(vec![Reply::Status { code: 401, headers: vec![], body }, json_reply(&twice)]);
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path(), &[]);
    let models = json!({"providers": {"xai": {"baseUrl": server.url, "apiKey": "hunter2-hunter2"}}});
    std::fs::write(options.home.config.join("models.json"), models.to_string()).unwrap();
    let ask = || async { refresh(&options, None).await.unwrap().remove(0).sentence() };
    assert_eq!(ask().await, "xai: the list was refused: HTTP 401, no such key: (the key)");
    assert_eq!(ask().await, "xai: 1 models, 1 new");
    let all = model_ids(&options).await;
    assert_eq!(all.iter().filter(|id| *id == "xai/grok-99").count(), 1, "{all:?}");
}

#[tokio::test]
async fn model_list_damaged_or_of_other_server_is_ignored() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(vec![json_reply(&json!({"data": [{"id": "grok-99"}]}))]);
    let here = options(dir.path(), &[("xai", &server)]);
    std::fs::create_dir_all(dir.path().join("state")).unwrap();
    for bad in ["{", "{\"version\": 99, \"providers\": {}}", "\u{0}"] {
        std::fs::write(dir.path().join("state/model-lists.json"), bad).unwrap();
        assert!(!model_ids(&here).await.contains(&"xai/grok-99".to_string()));
    }
    refresh(&here, None).await.unwrap();
    assert!(model_ids(&here).await.contains(&"xai/grok-99".to_string()));
    let other = Server::start(vec![]);
    let there = options(dir.path(), &[("xai", &other)]);
    assert!(!model_ids(&there).await.contains(&"xai/grok-99".to_string()));
}

#[tokio::test]
async fn model_refresh_reports_unavailable_providers() {
    let dir = tempfile::tempdir().unwrap();
    let options = options(dir.path(), &[]);
    for (only, expected) in [
        (None, "no provider can be asked for its models"),
        (Some("nobody"), "no such provider: nobody"),
        (Some("azure"), "Azure has no list of models that bowline can read"),
        (Some("openai"), "there is no key; set OPENAI_API_KEY, or `bowline login openai`"),
    ] {
        let report = refresh(&options, only).await.unwrap_err().to_string();
        assert!(report.contains(expected), "{report}");
    }
    assert!(!dir.path().join("state/model-lists.json").exists());
}

#[tokio::test]
async fn model_refresh_in_background_only_if_stale() {
    let server = Server::start(vec![
        json_reply(&json!({"data": [{"id": "grok-98"}]})),
        json_reply(&json!({"data": [{"id": "grok-99"}]})),
    ]);
    let dir = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(1_000);
    let options = Options { clock: clock.clone(), ..options(dir.path(), &[("xai", &server)]) };
    refresh_expired(&options).await;
    assert!(server.requests().is_empty(), "nobody has asked for a list");
    refresh(&options, None).await.unwrap();
    clock.advance(Duration::from_secs(4 * 60 * 60 - 1));
    refresh_expired(&options).await;
    assert_eq!(server.requests().len(), 1);
    clock.advance(Duration::from_secs(1));
    refresh_expired(&Options { offline: true, ..options.clone() }).await;
    assert_eq!(server.requests().len(), 1);
    refresh_expired(&options).await;
    let ids = model_ids(&options).await;
    assert!(ids.contains(&"xai/grok-99".to_string()) && !ids.contains(&"xai/grok-98".to_string()));
}

#[test]
fn models_refresh_command_reports_each_provider() {
    let server = Server::start(vec![json_reply(&json!({"data": [{"id": "claude-9"}]}))]);
    let dir = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
        command.args(words).current_dir(dir.path()).env_clear().env("ANTHROPIC_BASE_URL", &server.url);
        command.env("HOME", dir.path()).env("BOWLINE_HOME", dir.path()).stdin(Stdio::null());
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let said = (0, "anthropic: 1 models, 1 new\n".to_string(), String::new());
    assert_eq!(run(&["models", "refresh"]), said);
    let (code, out, _) = run(&["models", "refresh"]);
    assert!(code == 1 && out.starts_with("anthropic: the list was refused: HTTP 500"), "{out}");
    let (_, listed, _) = run(&["--list-models", "claude-9"]);
    assert!(listed.starts_with("anthropic/claude-9\t"), "{listed}");
    let (code, _, told) = run(&["models"]);
    assert!(code != 0 && told.contains("`bowline models refresh [PROVIDER]`"), "{told}");
    let (code, _, told) = run(&["models", "refresh", "nobody"]);
    assert!(code == 1 && told.contains("no such provider: nobody"), "{told}");
}
