//! A user logs in and out at the screen, and finds the models that are to be had.

use std::path::PathBuf;

use bowline::ide::features::login;
use bowline::ide::features::login::view::LoginView;
use bowline::ide::shell::input;
use bowline::llm::model::{Notice, Question};
use bowline::runtime::login::channel::LoginMessage;
use bowline::tui::input::Input;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::support::openai;
use crate::support::server::{Reply, Server};
use crate::support::test_ide::{IdeSetup, TestIde};

fn run_command(ide: &mut TestIde, id: &str) {
    let command = bowline::ide::shell::catalog::CATALOG.command(id).unwrap();
    ide.headless.app().with_cx(|cx| input::run(cx, command));
}

fn auth_path(ide: &TestIde) -> PathBuf {
    ide.home("data/auth.json")
}

fn stored_auth(ide: &TestIde) -> Value {
    serde_json::from_str(&std::fs::read_to_string(auth_path(ide)).unwrap()).unwrap()
}

fn has_models_of(ide: &mut TestIde, provider: &str) -> bool {
    ide.state().agent.models.iter().any(|model| model.provider == provider)
}

fn login_is_open(ide: &mut TestIde) -> bool {
    ide.state().layers.top::<LoginView>().is_some()
}

/// Chooses a provider in a picker.
async fn choose(ide: &mut TestIde, command: &str, provider: &str) {
    run_command(ide, command);
    ide.headless.idle().await;
    ide.type_in(provider).await;
    ide.keys("Enter").await;
}

/// Begins to log in with a key, up to where the key is typed.
async fn open_key_dialog(cols: u16, rows: u16) -> TestIde {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(cols, rows).start().await;
    choose(&mut ide, "agent.login", "deepseek").await;
    ide.wait_for("the question", |state| {
        state.layers.top::<LoginView>().is_some_and(|view| view.question.is_some())
    })
    .await;
    ide
}

#[tokio::test]
async fn login_key_is_masked_and_adds_models() {
    let mut ide = open_key_dialog(80, 24).await;
    ide.type_without_settling("hunter3");
    ide.headless.press("Backspace");
    ide.headless.input(Input::Paste("2\n".into()));
    let picture = ide.picture();
    assert!(picture.contains("Key for DeepSeek") && picture.contains("•••••••"), "{picture}");
    assert!(!picture.contains("hunter"), "{picture}");
    ide.headless.press("Enter");
    ide.wait_for("the models", |state| state.agent.models.iter().any(|m| m.provider == "deepseek")).await;
    ide.wait_for_text("stored in").await;
    assert_eq!(stored_auth(&ide), json!({"deepseek": {"type": "api_key", "key": "hunter2"}}));
    // Nothing of the key stays anywhere: not in a text, not in what can be done again.
    assert_eq!(ide.text(), "one\n");
    for file in files_below(&ide.home("state")) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(7).any(|part| part == b"hunter2"), "{}", file.display());
    }
}

#[tokio::test]
async fn login_without_a_model_uses_the_default_one_of_the_provider() {
    let mut ide = IdeSetup::new().requested_model("demo/guide").size(100, 24).start().await;
    assert!(ide.picture().contains("No model is connected"), "{}", ide.picture());
    choose(&mut ide, "agent.login", "deepseek").await;
    ide.wait_for("the question", |s| s.layers.top::<LoginView>().is_some_and(|v| v.question.is_some())).await;
    ide.type_without_settling("hunter2");
    ide.headless.press("Enter");
    ide.wait_for("the model", |s| s.agent.model.as_ref().is_some_and(|m| m.provider == "deepseek")).await;
    ide.headless.idle().await;
    assert!(ide.state().layers.is_empty(), "the next key is for the prompt: {}", ide.picture());
    assert!(ide.picture().contains("Another model: Alt-m"), "{}", ide.picture());
    ide.type_in("hello").await;
    assert!(ide.picture().contains("┃ hello"), "{}", ide.picture());
}

#[tokio::test]
async fn login_to_a_second_provider_gives_the_keys_to_the_prompt() {
    let mut ide = open_key_dialog(100, 24).await;
    ide.type_without_settling("hunter2");
    ide.headless.press("Enter");
    ide.wait_for("the models", |state| state.agent.models.iter().any(|m| m.provider == "deepseek")).await;
    ide.wait_for("the end", |state| state.layers.is_empty()).await;
    ide.type_in("hello").await;
    assert!(ide.picture().contains("┃ hello"), "{}", ide.picture());
    assert!(ide.picture().contains("Choose a model of it:"), "{}", ide.picture());
    let model = ide.state().agent.model.clone().unwrap();
    assert_eq!(model.provider, "scripted", "the model in use stays");
}

#[tokio::test]
async fn login_from_the_list_of_models_uses_a_model_of_the_provider() {
    let mut ide = IdeSetup::new().start().await;
    choose(&mut ide, "agent.model-picker", "log in deepseek").await;
    ide.wait_for("the question", |s| s.layers.top::<LoginView>().is_some_and(|v| v.question.is_some())).await;
    ide.type_without_settling("hunter2");
    ide.headless.press("Enter");
    ide.wait_for("the model", |s| s.agent.model.as_ref().is_some_and(|m| m.provider == "deepseek")).await;
}

#[tokio::test]
async fn login_empty_key_says_that_a_key_is_needed() {
    let mut ide = open_key_dialog(80, 24).await;
    for _ in 0..2 {
        ide.headless.press("Enter");
        ide.wait_for("the question", |s| s.layers.top::<LoginView>().is_some_and(|v| v.question.is_some()))
            .await;
        assert_eq!(ide.picture().matches("A key is needed").count(), 1, "{}", ide.picture());
    }
    ide.type_without_settling("hunter2");
    ide.headless.press("Enter");
    ide.wait_for("the models", |state| state.agent.models.iter().any(|m| m.provider == "deepseek")).await;
}

/// A provider at a server of the test, whose key is tried at a login.
fn deepseek_at(server: &Server) -> IdeSetup {
    let models = json!({"providers": {"deepseek": {"baseUrl": server.url}}}).to_string();
    IdeSetup::new().config_file("models.json", &models).check_keys().size(100, 24)
}

async fn type_key(ide: &mut TestIde, key: &str) {
    ide.wait_for("the question", |s| {
        s.layers.top::<LoginView>().and_then(|v| v.question.as_ref()).is_some_and(|q| q.is_secret)
    })
    .await;
    ide.type_without_settling(key);
    ide.headless.press("Enter");
}

#[tokio::test]
async fn login_rejected_key_is_said_and_stored_only_on_request() {
    let rejected = || openai::error_reply(401, "invalid_api_key", "Incorrect API key provided");
    let server = Server::start(vec![rejected(), rejected()]);
    let mut ide = deepseek_at(&server).start().await;
    choose(&mut ide, "agent.login", "deepseek").await;
    type_key(&mut ide, "hunter2").await;
    ide.wait_for_text("DeepSeek: key rejected (401)").await;
    assert!(!auth_path(&ide).exists());
    ide.snap("login_rejected");
    ide.headless.press("Enter");
    type_key(&mut ide, "hunter3").await;
    ide.wait_for_text("key rejected").await;
    ide.type_without_settling("k");
    ide.headless.press("Enter");
    ide.wait_for("the end", |state| state.layers.is_empty()).await;
    assert_eq!(stored_auth(&ide)["deepseek"]["key"], "hunter3");
    ide.headless.idle().await;
    assert!(ide.picture().contains("key rejected (401)"), "{}", ide.picture());
    assert!(!ide.picture().contains("is available"), "{}", ide.picture());
    let sent = server.requests();
    assert_eq!(sent[1].headers["authorization"], "Bearer hunter3");
    assert!(
        sent[0].body["max_tokens"].as_u64().or(sent[0].body["max_completion_tokens"].as_u64()) == Some(16)
    );
}

#[tokio::test]
async fn login_accepted_key_is_stored_with_the_time_of_the_answer() {
    let server = Server::start(vec![openai::text_reply("ok")]);
    let mut ide = deepseek_at(&server).start().await;
    choose(&mut ide, "agent.login", "deepseek").await;
    type_key(&mut ide, "hunter2").await;
    ide.wait_for_text("DeepSeek is available, it answered in").await;
    assert_eq!(stored_auth(&ide)["deepseek"]["key"], "hunter2");
}

#[tokio::test]
async fn login_key_that_cannot_be_tested_is_stored() {
    let models = json!({"providers": {"deepseek": {"baseUrl": "http://127.0.0.1:1"}}}).to_string();
    let mut ide =
        IdeSetup::new().config_file("models.json", &models).check_keys().size(120, 24).start().await;
    choose(&mut ide, "agent.login", "deepseek").await;
    type_key(&mut ide, "hunter2").await;
    ide.wait_for_text("but not tested:").await;
    assert_eq!(stored_auth(&ide)["deepseek"]["key"], "hunter2");
}

#[tokio::test]
async fn providers_list_shows_sources_and_tests_keys() {
    let rejected = openai::error_reply(401, "invalid_api_key", "Incorrect API key provided");
    let server = Server::start(vec![rejected, openai::text_reply("ok")]);
    let mut ide = deepseek_at(&server).variable("DEEPSEEK_API_KEY", "k").start().await;
    run_command(&mut ide, "view.providers");
    ide.wait_for_text("key from DEEPSEEK_API_KEY").await;
    ide.headless.idle().await;
    ide.snap("providers");
    ide.type_in("deepseek").await;
    ide.keys("Ctrl-t").await;
    assert!(ide.picture().contains("✗ key rejected (401)"), "{}", ide.picture());
    assert!(ide.picture().contains("Tested 0 s ago: key rejected (401)"), "{}", ide.picture());
    ide.keys("Ctrl-t").await;
    assert!(ide.picture().contains("✓ 0 ms"), "{}", ide.picture());
    // The key is not ours to delete, and nothing tests where there is none.
    ide.keys("Delete").await;
    assert_eq!(ide.status_message(), "DeepSeek: nothing is stored, key from DEEPSEEK_API_KEY");
    ide.keys("Ctrl-u").await;
    ide.type_in("cerebras").await;
    ide.keys("Ctrl-t").await;
    assert_eq!(ide.status_message(), "Cerebras has no key to test");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn providers_list_has_the_last_error_of_a_run() {
    let quota = openai::error_reply(402, "insufficient_quota", "Insufficient balance");
    let server = Server::start(vec![quota, openai::text_reply("hello")]);
    let setup = deepseek_at(&server).variable("DEEPSEEK_API_KEY", "k");
    let mut ide = setup.requested_model("deepseek/deepseek-v4-pro").start().await;
    ide.prompt("hi").await;
    run_command(&mut ide, "view.providers");
    ide.wait_for_text("✗ last request failed").await;
    assert!(ide.picture().contains("Last request failed 0 s ago: "), "{}", ide.picture());
    assert!(ide.picture().contains("Insufficient balance"), "{}", ide.picture());
    ide.keys("Escape").await;
    ide.advance(std::time::Duration::from_secs(1));
    ide.prompt("again").await;
    run_command(&mut ide, "view.providers");
    ide.headless.idle().await;
    assert!(!ide.picture().contains("failed"), "{}", ide.picture());
}

#[tokio::test]
async fn providers_list_logs_out() {
    let mut ide = open_key_dialog(100, 24).await;
    ide.type_without_settling("hunter2");
    ide.headless.press("Enter");
    ide.wait_for("the end", |state| state.layers.is_empty()).await;
    run_command(&mut ide, "view.providers");
    ide.wait_for_text("key in auth.json").await;
    ide.type_in("deepseek").await;
    ide.keys("Delete").await;
    ide.wait_for_text("DeepSeek: no key. Enter logs in").await;
    assert_eq!(stored_auth(&ide), json!({}));
}

fn files_below(folder: &std::path::Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn login_key_is_not_recorded_in_macro() {
    let mut ide = IdeSetup::new().with("a.txt", "\n").start().await;
    run_command(&mut ide, "macro.record");
    choose(&mut ide, "agent.login", "deepseek").await;
    ide.wait_for("the question", |s| s.layers.top::<LoginView>().is_some_and(|v| v.question.is_some())).await;
    ide.type_without_settling("hunter2");
    ide.headless.press("Escape");
    assert!(!login_is_open(&mut ide));
    assert_eq!(ide.status_message(), "Login canceled");
    run_command(&mut ide, "macro.record");
    ide.keys("Alt-2").await;
    run_command(&mut ide, "macro.replay");
    ide.headless.idle().await;
    assert!(!ide.picture().contains("hunter2"), "{}", ide.picture());
    assert!(!auth_path(&ide).exists());
}

#[tokio::test]
async fn logout_removes_models_with_message() {
    let mut ide = open_key_dialog(80, 24).await;
    ide.type_without_settling("hunter2");
    ide.headless.press("Enter");
    ide.wait_for("the models", |state| state.agent.models.iter().any(|m| m.provider == "deepseek")).await;
    ide.headless.idle().await;
    choose(&mut ide, "agent.model-picker", "deepseek v4 pro").await;
    ide.wait_for("the model", |s| s.agent.model.as_ref().is_some_and(|m| m.provider == "deepseek")).await;
    choose(&mut ide, "agent.logout", "deepseek").await;
    ide.wait_for("no models", |state| state.agent.models.iter().all(|m| m.provider != "deepseek")).await;
    assert_eq!(stored_auth(&ide), json!({}));
    ide.wait_for_text("DeepSeek V4 Pro is no").await;
    ide.wait_for_text("Deleted stored login").await;
    ide.snap("logged_out");
}

#[tokio::test]
async fn model_picker_reloads_external_login() {
    let mut ide = IdeSetup::new().start().await;
    assert!(!has_models_of(&mut ide, "deepseek"));
    std::fs::create_dir_all(auth_path(&ide).parent().unwrap()).unwrap();
    std::fs::write(auth_path(&ide), json!({"deepseek": {"type": "api_key", "key": "k"}}).to_string())
        .unwrap();
    run_command(&mut ide, "agent.model-picker");
    ide.wait_for_text("deepseek-v4").await;
    ide.keys("Escape").await;
    std::fs::write(auth_path(&ide), "{}").unwrap();
    run_command(&mut ide, "agent.model-picker");
    ide.wait_for("no models", |state| state.agent.models.iter().all(|m| m.provider != "deepseek")).await;
    assert!(has_models_of(&mut ide, "scripted") && has_models_of(&mut ide, "demo"));
}

#[tokio::test]
async fn login_link_can_be_copied_and_escape_cancels() {
    let mut ide = IdeSetup::new().start().await;
    choose(&mut ide, "agent.login", "openrouter").await;
    ide.wait_for_text("l for the login").await;
    ide.type_without_settling("l");
    ide.headless.press("Enter");
    ide.wait_for_text("https://openrouter.ai/auth?callback_url=").await;
    ide.headless.press("Alt-c");
    let copied = ide.headless.app().ui.clipboard.take().unwrap();
    assert!(
        copied.starts_with("https://openrouter.ai/auth?callback_url=http%3A%2F%2Flocalhost%3A"),
        "{copied}"
    );
    let port: u16 =
        copied.split("localhost%3A").nth(1).unwrap().split("%2F").next().unwrap().parse().unwrap();
    let is_free = move || std::net::TcpListener::bind(("127.0.0.1", port)).is_ok();
    assert!(!is_free());
    ide.headless.press("Escape");
    assert!(!login_is_open(&mut ide));
    ide.wait_for("the port is free", move |_| is_free()).await;
    assert!(!auth_path(&ide).exists());
}

#[tokio::test]
async fn refresh_models_command_adds_new_models() {
    let list = json!({"data": [{"id": "grok-99"}]});
    let server = Server::start(vec![Reply::Status { code: 200, headers: vec![], body: list.to_string() }]);
    let models = json!({"providers": {"xai": {"baseUrl": server.url}}}).to_string();
    let mut ide = IdeSetup::new().config_file("models.json", &models).start().await;
    assert!(has_models_of(&mut ide, "xai"));
    run_command(&mut ide, "agent.refresh-models");
    ide.wait_for_text("1 models of 1 providers, 1 new").await;
    ide.wait_for("the new model", |state| state.agent.models.iter().any(|m| m.id == "grok-99")).await;
}

/// A login as a flow with a code shows itself.
fn deliver_code_login(ide: &mut TestIde) -> oneshot::Receiver<Option<String>> {
    let number = ide.state().agent.logins;
    let (reply, answer) = oneshot::channel();
    let code = Notice::Code {
        code: "WDJB-MJHT".into(),
        page: "https://auth.example.com/device?from=bowline".into(),
    };
    let question = Question::Pasted("If the browser is on another machine, paste the address".into());
    for said in [
        LoginMessage::Notice(Notice::Progress("Requesting code…".into())),
        LoginMessage::Notice(code),
        LoginMessage::Question(question, reply),
    ] {
        ide.headless.app().with_cx(|cx| login::events::on_progress(cx, number, said));
    }
    ide.headless.app().frame();
    answer
}

#[tokio::test]
async fn logout_reports_invalid_credentials_file() {
    let mut ide = IdeSetup::new().size(120, 24).start().await;
    std::fs::create_dir_all(auth_path(&ide).parent().unwrap()).unwrap();
    std::fs::write(auth_path(&ide), "{").unwrap();
    run_command(&mut ide, "agent.logout");
    ide.wait_for_text("is no file of credentials").await;
}

#[tokio::test]
async fn login_on_tiny_screen_accepts_input_and_escape() {
    for (cols, rows) in [(20, 5), (7, 3), (3, 2), (1, 1)] {
        let mut ide = open_key_dialog(cols, rows).await;
        ide.type_without_settling("hunter2");
        let picture = ide.picture();
        assert!(!picture.contains("hunter"), "{picture}");
        assert!(cols < 20 || picture.contains("›") && picture.contains("•••••••"), "{picture}");
        let answer = deliver_code_login(&mut ide);
        ide.type_without_settling("äöü");
        assert!(cols < 20 || ide.picture().contains("äöü"), "{}", ide.picture());
        ide.headless.press("Enter");
        assert_eq!(answer.await.unwrap().as_deref(), Some("äöü"));
        for key in ["Tab", "Up", "PageDown", "Ctrl-w", "F5", "Delete", "Alt-c", "Alt-k", "Ctrl-u"] {
            ide.headless.press(key);
            ide.headless.app().frame();
        }
        ide.wait_for("the login", |s| s.layers.all::<LoginView>().next().is_some()).await;
        while !login_is_open(&mut ide) {
            ide.headless.press("Escape");
        }
        ide.headless.press("Escape");
        assert!(!login_is_open(&mut ide), "{cols}x{rows}");
    }
}

#[tokio::test]
async fn login_dialogs_match_snapshots_on_all_sizes() {
    for (cols, rows) in [(80, 24), (40, 12)] {
        let mut ide = open_key_dialog(cols, rows).await;
        ide.type_without_settling("hunter2");
        ide.snap("login_key");
        let answer = deliver_code_login(&mut ide);
        ide.type_without_settling("http://localhost:1455/auth/callback?code=abc");
        ide.snap("login_code");
        ide.headless.press("Alt-k");
        assert_eq!(ide.headless.app().ui.clipboard.take().as_deref(), Some("WDJB-MJHT"));
        ide.headless.press("Enter");
        assert_eq!(answer.await.unwrap().as_deref(), Some("http://localhost:1455/auth/callback?code=abc"));
        ide.headless.press("Escape");
        run_command(&mut ide, "agent.login");
        ide.headless.idle().await;
        ide.snap("login_picker");
    }
}
