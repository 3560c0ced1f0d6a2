//! The adapter of Vertex AI over a real socket, and where its tokens come from.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bowline::llm::access::{Access, KeyKind};
use bowline::llm::model::{ErrorKind, StreamEvent};
use serde_json::{Value, json};

use crate::support::dialect::{
    NOW_MS, access, adapter, collect_events, expect_done, expect_error, json_reply as answer, request,
};
use crate::support::server::{Piece, ReceivedRequest, Reply, Server};

const API: &str = "google-vertex";
const MODEL: &str = "gemini-4-argon";
const PROJECT: (&str, &str) = ("GOOGLE_CLOUD_PROJECT", "knots");

fn text_reply(words: &str) -> Reply {
    let candidate = json!({"content": {"parts": [{"text": words}], "role": "model"}, "finishReason": "STOP"});
    Reply::Stream(vec![Piece::Event(json!({"candidates": [candidate]}))])
}

fn token_reply(name: &str) -> Reply {
    answer(&json!({"access_token": name, "expires_in": 3600, "token_type": "Bearer"}))
}

/// Asks as often as there are words, and what was seen.
async fn send_requests(
    server: &Server,
    access: Access,
    vars: &[(&str, &str)],
    times: usize,
) -> Vec<ReceivedRequest> {
    let adapter = adapter(API, access, vars, None);
    for _ in 0..times {
        assert_eq!(expect_done(&collect_events(&adapter, request(API, MODEL)).await).text(), "hello");
    }
    server.requests()
}

async fn request_error(access: Access, vars: &[(&str, &str)], home: Option<&Path>) -> (ErrorKind, String) {
    let events: Vec<StreamEvent> =
        collect_events(&adapter(API, access, vars, home), request(API, MODEL)).await;
    let (error, _) = expect_error(&events);
    (error.kind, error.message)
}

fn write(folder: &Path, credentials: &Value) -> String {
    let path = folder.join("credentials.json");
    std::fs::write(&path, credentials.to_string()).unwrap();
    path.to_str().unwrap().to_string()
}

#[tokio::test]
async fn vertex_api_key_needs_no_project() {
    let server = Server::start(vec![text_reply("hello")]);
    let seen = send_requests(&server, access(&server.url, Some("secret")), &[], 1).await;
    let method = format!("publishers/google/models/{MODEL}:streamGenerateContent?alt=sse");
    assert_eq!(seen[0].path, format!("/v1/{method}"));
    assert_eq!(seen[0].headers["x-goog-api-key"], "secret");
    assert_eq!(seen[0].body["contents"][0]["parts"][0]["text"], "hi");
}

#[tokio::test]
async fn vertex_bearer_token_uses_project_path() {
    let server = Server::start(vec![text_reply("hello")]);
    let given = Access { kind: KeyKind::Bearer, ..access(&server.url, Some("tok")) };
    let vars = [PROJECT, ("GOOGLE_CLOUD_LOCATION", "europe-west4")];
    let seen = send_requests(&server, given, &vars, 1).await;
    let place = "/v1/projects/knots/locations/europe-west4/publishers/google/models";
    assert!(seen[0].path.starts_with(place), "{}", seen[0].path);
    assert_eq!(seen[0].headers["authorization"], "Bearer tok");
}

#[tokio::test]
async fn vertex_user_credentials_are_refreshed_once() {
    let server = Server::start(vec![token_reply("fresh"), text_reply("hello"), text_reply("hello")]);
    let folder = tempfile::tempdir().unwrap();
    let path = write(
        folder.path(),
        &json!({"type": "authorized_user", "client_id": "id",
        "client_secret": "se cret", "refresh_token": "again", "quota_project_id": "payer",
        "token_uri": format!("{}/token", server.url)}),
    );
    let vars = [("GOOGLE_APPLICATION_CREDENTIALS", path.as_str())];
    let seen = send_requests(&server, access(&server.url, None), &vars, 2).await;
    assert_eq!(seen.len(), 3, "the token is kept");
    assert_eq!(seen[0].path, "/token");
    let form = "client_id=id&client_secret=se%20cret&refresh_token=again&grant_type=refresh_token";
    assert_eq!(seen[0].text, form);
    assert_eq!(seen[2].headers["authorization"], "Bearer fresh");
    assert_eq!(seen[1].headers["x-goog-user-project"], "payer");
    assert!(seen[1].path.starts_with("/v1/projects/payer/locations/global/"), "{}", seen[1].path);
}

#[tokio::test]
async fn vertex_expiring_token_is_refreshed_once() {
    let short = answer(&json!({"access_token": "short", "expires_in": 299}));
    let server = Server::start(vec![short, text_reply("hello"), token_reply("long"), text_reply("hello")]);
    let folder = tempfile::tempdir().unwrap();
    let path = write(
        folder.path(),
        &json!({"type": "authorized_user", "client_id": "id",
        "client_secret": "s", "refresh_token": "r", "token_uri": server.url}),
    );
    let vars = [PROJECT, ("GOOGLE_APPLICATION_CREDENTIALS", path.as_str())];
    let seen = send_requests(&server, access(&server.url, None), &vars, 2).await;
    assert_eq!(seen[1].headers["authorization"], "Bearer short");
    assert_eq!(seen[3].headers["authorization"], "Bearer long");
    let server = Server::start(vec![
        token_reply("one"),
        text_reply("hello"),
        text_reply("hello"),
        text_reply("hello"),
    ]);
    let path = write(
        folder.path(),
        &json!({"type": "authorized_user", "client_id": "id",
        "client_secret": "s", "refresh_token": "r", "token_uri": server.url}),
    );
    let vars = [PROJECT, ("GOOGLE_APPLICATION_CREDENTIALS", path.as_str())];
    let adapter = adapter(API, access(&server.url, None), &vars, None);
    let ask = || collect_events(&adapter, request(API, MODEL));
    for events in futures::future::join_all([ask(), ask(), ask()]).await {
        assert_eq!(expect_done(&events).text(), "hello");
    }
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn vertex_service_account_signs_jwt() {
    let server = Server::start(vec![token_reply("fresh"), text_reply("hello")]);
    let folder = tempfile::tempdir().unwrap();
    let url = format!("{}/token", server.url);
    let path = write(
        folder.path(),
        &json!({"type": "service_account", "project_id": "own",
        "private_key_id": "kid", "private_key": include_str!("../fixtures/rsa-test-key.pem"),
        "client_email": "robot@knots", "token_uri": url}),
    );
    let vars = [("GOOGLE_APPLICATION_CREDENTIALS", path.as_str())];
    let seen = send_requests(&server, access(&server.url, None), &vars, 1).await;
    let (grant, assertion) = seen[0].text.split_once("&assertion=").unwrap();
    assert_eq!(grant, "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer");
    let part = |at: usize| -> Value {
        let bytes = URL_SAFE_NO_PAD.decode(assertion.split('.').nth(at).unwrap()).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    };
    assert_eq!(part(0), json!({"alg": "RS256", "typ": "JWT", "kid": "kid"}));
    let iat = NOW_MS / 1000;
    assert_eq!(
        part(1),
        json!({"iss": "robot@knots", "aud": url, "iat": iat, "exp": iat + 3600,
        "scope": "https://www.googleapis.com/auth/cloud-platform"})
    );
    assert!(seen[1].path.starts_with("/v1/projects/own/"));
}

#[tokio::test]
async fn vertex_gcloud_file_then_metadata_server_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(vec![token_reply("fresh"), text_reply("hello")]);
    let own = folder.path().join(".config/gcloud");
    std::fs::create_dir_all(&own).unwrap();
    let credentials = json!({"type": "authorized_user", "client_id": "i", "client_secret": "s",
        "refresh_token": "r", "token_uri": server.url});
    std::fs::write(own.join("application_default_credentials.json"), credentials.to_string()).unwrap();
    let adapter_at_home = adapter(API, access(&server.url, None), &[PROJECT], Some(folder.path()));
    assert_eq!(expect_done(&collect_events(&adapter_at_home, request(API, MODEL)).await).text(), "hello");
    let project = Reply::Status { code: 200, headers: vec![], body: "machine-project\n".into() };
    let server = Server::start(vec![token_reply("by-machine"), project, text_reply("hello")]);
    let host = server.url.strip_prefix("http://").unwrap();
    let seen = send_requests(&server, access(&server.url, None), &[("GCE_METADATA_HOST", host)], 1).await;
    assert_eq!(seen[0].path, "/computeMetadata/v1/instance/service-accounts/default/token");
    assert_eq!((seen[0].method.as_str(), seen[0].headers["metadata-flavor"].as_str()), ("GET", "Google"));
    assert!(seen[2].path.starts_with("/v1/projects/machine-project/"));
    assert_eq!(seen[2].headers["authorization"], "Bearer by-machine");
}

#[tokio::test]
async fn vertex_credential_errors_name_the_cause() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(vec![Reply::Status {
        code: 400,
        headers: vec![],
        body: json!({"error": "invalid_grant", "error_description": "Token has been revoked."}).to_string(),
    }]);
    let to = || access(&server.url, None);
    let (kind, message) = request_error(to(), &[PROJECT], Some(folder.path())).await;
    assert_eq!(kind, ErrorKind::Authentication);
    assert!(message.contains("GOOGLE_CLOUD_API_KEY") && message.contains("gcloud auth"), "{message}");
    let foreign = write(folder.path(), &json!({"type": "external_account"}));
    let (kind, message) = request_error(to(), &[("GOOGLE_APPLICATION_CREDENTIALS", &foreign)], None).await;
    assert_eq!(kind, ErrorKind::Configuration);
    assert!(message.contains("`external_account`"), "{message}");
    let (_, message) =
        request_error(to(), &[("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere/x.json")], None).await;
    assert!(message.contains("/nowhere/x.json"), "{message}");
    let revoked = write(
        folder.path(),
        &json!({"type": "authorized_user", "client_id": "i",
        "client_secret": "hidden", "refresh_token": "r", "token_uri": server.url}),
    );
    let (kind, message) = request_error(to(), &[("GOOGLE_APPLICATION_CREDENTIALS", &revoked)], None).await;
    assert_eq!(kind, ErrorKind::Authentication);
    assert!(message.contains("Token has been revoked.") && !message.contains("hidden"), "{message}");
    let given = Access { kind: KeyKind::Bearer, ..access(&server.url, Some("tok")) };
    let (_, message) = request_error(given, &[], None).await;
    assert!(message.ends_with("no project: set GOOGLE_CLOUD_PROJECT"), "{message}");
}
