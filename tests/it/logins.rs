//! Logins, the renewal of tokens and lists of models against servers on loopback.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bowline::base::clock::{ManualClock, SharedClock};
use bowline::llm::auth::Credentials;
use bowline::llm::auth::entry::{Entry, Login};
use bowline::llm::auth::oauth::flow::{self, FlowContext};
use bowline::llm::auth::oauth::refresh::{RENEWAL_TIMEOUT, TokenRefresh, renew};
use bowline::llm::auth::oauth::{Flow, LoginError, LoginRow, LoginUi};
use bowline::llm::auth::store::Store;
use bowline::llm::catalog::Catalog;
use bowline::llm::client::Client;
use bowline::llm::model::{Notice, Question};
use bowline::net::http::{Get, Http, Limits};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::support::server::{Piece, Reply, Server};

fn json_reply(body: &Value) -> Reply {
    Reply::Status { code: 200, headers: Vec::new(), body: body.to_string() }
}

fn error_reply(code: u16, body: &Value) -> Reply {
    Reply::Status { code, headers: Vec::new(), body: body.to_string() }
}

fn login_row(server: &Server, flow: Flow) -> LoginRow {
    let at = |path: &str| format!("{}{path}", server.url);
    LoginRow {
        id: "test".into(),
        name: "Test".into(),
        flow,
        authorize_url: "https://login.example/authorize".into(),
        token_url: at("/token"),
        device_url: at("/device"),
        scope: "a b".into(),
        path: "/callback".into(),
        client_var: "CLIENT".into(),
        ..LoginRow::default()
    }
}

/// Hands out the page, and answers questions with what was prepared; others wait for ever.
#[derive(Default)]
struct ScriptedUser {
    page_sender: Mutex<Option<oneshot::Sender<String>>>,
    answer: Option<&'static str>,
    notices: Mutex<Vec<Notice>>,
}

impl LoginUi for ScriptedUser {
    fn notify(&self, notice: Notice) {
        if let (Notice::Page(url), Some(sender)) = (&notice, self.page_sender.lock().unwrap().take()) {
            sender.send(url.clone()).unwrap();
        }
        self.notices.lock().unwrap().push(notice);
    }

    fn ask(&self, _: Question) -> BoxFuture<'_, Option<String>> {
        match self.answer {
            Some(line) => futures::future::ready(Some(line.to_string())).boxed(),
            None => futures::future::pending().boxed(),
        }
    }
}

async fn log_in(row: &LoginRow, person: &ScriptedUser) -> Result<Value, LoginError> {
    let (http, clock): (_, SharedClock) = (Http::default(), ManualClock::new(1_000));
    let vars = HashMap::from([("CLIENT".to_string(), "mine".to_string())]);
    flow::run(row, &FlowContext { http: &http, clock: &clock, vars: &vars, ui: person }).await
}

/// The fields of an address.
fn query_fields(url: &str) -> BTreeMap<String, String> {
    bowline::net::callback::RedirectResult::parse_query(url.split_once('?').unwrap().1).into_iter().collect()
}

/// Opens the page as a browser whose person says yes would, with `more` behind the address.
async fn follow_redirect(page: oneshot::Receiver<String>, redirect: &str, more: &str) -> u16 {
    let fields = query_fields(&page.await.unwrap());
    let state = fields.get("state").map(|state| format!("&state={state}")).unwrap_or_default();
    let url = format!("{}?{more}{state}", fields[redirect]);
    Http::default().get(Get { url, ..Get::default() }).await.unwrap().status()
}

#[tokio::test]
async fn oauth_browser_login_exchanges_code_for_token() {
    let server = Server::start(vec![json_reply(
        &json!({"access_token": "acc", "refresh_token": "ref", "expires_in": 60}),
    )]);
    let row = login_row(&server, Flow::Browser);
    let (sender, page) = oneshot::channel();
    let person = ScriptedUser { page_sender: Mutex::new(Some(sender)), ..ScriptedUser::default() };
    let (entry, status) =
        tokio::join!(log_in(&row, &person), follow_redirect(page, "redirect_uri", "code=c%26d"));
    assert_eq!(status, 200);
    let expected = json!({"type": "oauth", "access": "acc", "refresh": "ref", "expires": 61_000});
    assert_eq!(entry.unwrap(), expected);
    let seen = server.requests();
    let body = seen[0].body.as_str().unwrap();
    assert_eq!(seen[0].path, "/token");
    for part in ["grant_type=authorization_code", "client_id=mine", "code=c%26d", "code_verifier="] {
        assert!(body.contains(part), "{body}");
    }
    assert!(seen[0].headers["user-agent"].starts_with("bowline/"));
}

#[tokio::test]
async fn oauth_browser_login_denied_is_error() {
    let server = Server::start(vec![]);
    let row = login_row(&server, Flow::Browser);
    let (sender, page) = oneshot::channel();
    let person = ScriptedUser { page_sender: Mutex::new(Some(sender)), ..ScriptedUser::default() };
    let (entry, _) =
        tokio::join!(log_in(&row, &person), follow_redirect(page, "redirect_uri", "error=access_denied"));
    assert_eq!(entry.unwrap_err().to_string(), "the provider refused: access_denied");
}

#[tokio::test]
async fn oauth_browser_login_port_in_use_falls_back() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let answer = || json_reply(&json!({"access_token": "acc"}));
    let server = Server::start(vec![answer(), answer()]);
    let fixed = LoginRow { port, ..login_row(&server, Flow::Browser) };
    let person = ScriptedUser { answer: Some("code"), ..ScriptedUser::default() };
    log_in(&fixed, &person).await.unwrap();
    let told = format!("{:?}", person.notices.lock().unwrap());
    assert!(told.contains(&format!("port {port} of this machine cannot be used")), "{told}");
    let moves = LoginRow { any_port: true, ..fixed };
    let (sender, page) = oneshot::channel();
    let person = ScriptedUser { page_sender: Mutex::new(Some(sender)), ..ScriptedUser::default() };
    let (entry, status) =
        tokio::join!(log_in(&moves, &person), follow_redirect(page, "redirect_uri", "code=c"));
    assert!(entry.is_ok() && status == 200);
}

#[tokio::test]
async fn oauth_minted_key_login_stores_api_key() {
    let server = Server::start(vec![json_reply(&json!({"key": "sk-or"}))]);
    let row = LoginRow { registered: true, ..login_row(&server, Flow::MintedKey) };
    let (sender, page) = oneshot::channel();
    let person = ScriptedUser { page_sender: Mutex::new(Some(sender)), ..ScriptedUser::default() };
    let (entry, _) = tokio::join!(log_in(&row, &person), follow_redirect(page, "callback_url", "code=c"));
    assert_eq!(entry.unwrap(), json!({"type": "api_key", "key": "sk-or"}));
    let body = &server.requests()[0].body;
    assert_eq!((&body["code"], &body["code_challenge_method"]), (&json!("c"), &json!("S256")));
}

#[tokio::test]
async fn oauth_device_login_polls_until_authorized() {
    let device = json!({"device_code": "dev", "user_code": "AB-CD", "verification_uri": "https://p.example",
        "interval": 0.001, "expires_in": 60});
    let server = Server::start(vec![
        json_reply(&device),
        error_reply(400, &json!({"error": "authorization_pending"})),
        error_reply(400, &json!({"error": "slow_down", "interval": 0.002})),
        json_reply(&json!({"access_token": "acc", "refresh_token": "ref", "expires_in": 60})),
    ]);
    let person = ScriptedUser::default();
    let entry = log_in(&login_row(&server, Flow::Device), &person).await.unwrap();
    assert_eq!(entry["access"], "acc");
    let code = Notice::Code { code: "AB-CD".into(), page: "https://p.example".into() };
    assert_eq!(person.notices.lock().unwrap()[0], code);
    assert_eq!(server.requests()[0].body, json!("client_id=mine&scope=a+b"));
    for (error, expected) in [("expired_token", "begin again"), ("access_denied", "refused: access_denied")] {
        let server = Server::start(vec![json_reply(&device), error_reply(400, &json!({"error": error}))]);
        let told = log_in(&login_row(&server, Flow::Device), &ScriptedUser::default())
            .await
            .unwrap_err()
            .to_string();
        assert!(told.contains(expected), "{told}");
    }
}

#[tokio::test]
async fn oauth_github_token_is_exchanged_with_domain() {
    let server = Server::start(vec![
        json_reply(
            &json!({"device_code": "d", "user_code": "u", "verification_uri": "https://p", "interval": 0.001}),
        ),
        json_reply(&json!({"access_token": "gh"})),
        json_reply(&json!({"token": "tid=1;proxy-ep=proxy.corp.example", "expires_at": 9})),
    ]);
    let mut row = login_row(&server, Flow::Device);
    (row.domain, row.exchange_url) = ("github.com".into(), format!("{}/exchange", server.url));
    let person = ScriptedUser { answer: Some("https://corp.ghe.com/x"), ..ScriptedUser::default() };
    let entry = log_in(&row, &person).await.unwrap();
    assert_eq!((&entry["refresh"], &entry["expires"]), (&json!("gh"), &json!(9_000)));
    assert_eq!(entry["enterpriseUrl"], "corp.ghe.com");
    let seen = server.requests();
    assert_eq!(
        (seen[2].path.as_str(), seen[2].headers["authorization"].as_str()),
        ("/exchange", "Bearer gh")
    );
    assert!(seen.iter().all(|seen| seen.headers["user-agent"].starts_with("bowline/")));
    assert!(seen.iter().all(|seen| !seen.headers.keys().any(|name| name.starts_with("editor-"))));
}

fn token_refresh(server: &Server, dir: &Path) -> TokenRefresh {
    let old = json!({"type": "oauth", "access": "old", "refresh": "r0", "expires": 1});
    let store = Store::new(&dir.join("auth.json"));
    if store.read().unwrap().is_empty() {
        store.set("test", Some(old)).unwrap();
    }
    TokenRefresh {
        row: login_row(server, Flow::Browser),
        provider: "test".into(),
        store,
        http: Arc::default(),
        clock: ManualClock::new(1_000_000),
        vars: Arc::new(HashMap::from([("CLIENT".to_string(), "mine".to_string())])),
        timeout: RENEWAL_TIMEOUT,
    }
}

fn stored_login(renewal: &TokenRefresh) -> Login {
    match Entry::parse(&renewal.store.read().unwrap()["test"]) {
        Some(Entry::Login(login)) => login,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn local_servers_list_their_models() {
    let list = json!({"data": [{"id": "llama", "max_model_len": 4096}]});
    let server = Server::start(vec![json_reply(&list), error_reply(404, &json!({}))]);
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let vars = HashMap::from([
        ("VLLM_BASE_URL".to_string(), format!("{}/v1", server.url)),
        ("VLLM_API_KEY".to_string(), "k".to_string()),
        ("OLLAMA_HOST".to_string(), gone.to_string()),
        ("LLAMA_BASE_URL".to_string(), format!("http://{gone}")),
        ("LM_STUDIO_BASE_URL".to_string(), format!("http://{gone}")),
    ]);
    let (http, clock): (_, SharedClock) = (Arc::new(Http::new(Limits::default(), true)), ManualClock::new(0));
    let credentials = Credentials::new(vars);
    let client = Client::assemble(Catalog::builtin(), &credentials, vec![], &http, &clock, true);
    let found = client.discover_local().await;
    assert_eq!(found.len(), 1);
    let facts = (found[0].provider.as_str(), found[0].id.as_str(), found[0].context_window);
    assert_eq!(facts, ("vllm", "llama", 4096));
    assert_eq!(found[0].base_url, format!("{}/v1", server.url));
    let seen = server.requests();
    assert_eq!(
        (seen[0].path.as_str(), seen[0].headers["authorization"].as_str()),
        ("/v1/models", "Bearer k")
    );
    assert!(client.discover_local().await.is_empty(), "a server that answers something else has none");
}

#[tokio::test]
async fn oauth_token_concurrent_refresh_sends_one_request() {
    let dir = tempfile::tempdir().unwrap();
    let fresh = json!({"access_token": "new", "refresh_token": "r1", "expires_in": 3600});
    let server = Server::start(vec![json_reply(&fresh)]);
    let all = (0..5).map(|_| renew(token_refresh(&server, dir.path())));
    for login in futures::future::join_all(all).await {
        assert_eq!(login.unwrap().access.0, "new");
    }
    assert_eq!(server.requests().len(), 1);
    assert_eq!(stored_login(&token_refresh(&server, dir.path())).refresh.0, "r1");
    assert!(server.requests()[0].body.as_str().unwrap().contains("refresh_token=r0"));
}

#[tokio::test]
async fn oauth_token_refresh_timeout_releases_lock() {
    assert_eq!(RENEWAL_TIMEOUT, Duration::from_secs(15));
    let dir = tempfile::tempdir().unwrap();
    let fresh = json!({"access_token": "new", "refresh_token": "r1", "expires_in": 3600});
    let server = Server::start(vec![Reply::Stream(vec![Piece::Gate]), json_reply(&fresh)]);
    let stalled = TokenRefresh { timeout: Duration::from_millis(50), ..token_refresh(&server, dir.path()) };
    let error = renew(stalled).await.unwrap_err();
    assert!(matches!(error, LoginError::TimedOut(_)), "{error}");
    assert_eq!(stored_login(&token_refresh(&server, dir.path())).refresh.0, "r0", "what was kept stays");
    assert_eq!(renew(token_refresh(&server, dir.path())).await.unwrap().access.0, "new");
}

#[tokio::test]
async fn oauth_token_refresh_is_stored_after_caller_aborts() {
    let dir = tempfile::tempdir().unwrap();
    let fresh = json!({"access_token": "new", "refresh_token": "r1", "expires_in": 3600});
    let server =
        Server::start(vec![Reply::Stream(vec![Piece::Gate, Piece::Raw(fresh.to_string().into_bytes())])]);
    let renewal = token_refresh(&server, dir.path());
    let waiting = tokio::spawn(renew(renewal.clone()));
    let asked = server.clone();
    tokio::task::spawn_blocking(move || asked.wait_for_requests(1)).await.unwrap();
    waiting.abort();
    assert!(waiting.await.unwrap_err().is_cancelled());
    server.open_gate();
    // The lock is free when the work is done.
    let store = renewal.store.clone();
    tokio::task::spawn_blocking(move || drop(store.lock().unwrap())).await.unwrap();
    assert_eq!(stored_login(&renewal).access.0, "new");
}

#[tokio::test]
async fn oauth_token_refresh_rejected_keeps_login() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(vec![error_reply(400, &json!({"error": "invalid_grant"}))]);
    let renewal = token_refresh(&server, dir.path());
    let error = renew(renewal.clone()).await.unwrap_err().to_string();
    assert_eq!(error, "the provider refused: invalid_grant (HTTP 400)");
    assert_eq!(stored_login(&renewal).access.0, "old");
}
