//! A user logs in and out at the screen, and finds the models that are to be had.

use std::path::PathBuf;

use bowline::ide::features::login;
use bowline::ide::features::login::view::LoginView;
use bowline::ide::shell::input;
use bowline::llm::model::{Notice, Question};
use bowline::runtime::login::channel::Said;
use bowline::tui::input::Input;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::support::desk::{Desk, Plan};
use crate::support::server::{Reply, Server};

fn run(desk: &mut Desk, id: &str) {
    let command = bowline::ide::shell::catalog::CATALOG.command(id).unwrap();
    desk.ide.app().with_cx(|cx| input::run(cx, command));
}

fn auth(desk: &Desk) -> PathBuf {
    desk.home("data/auth.json")
}

fn kept(desk: &Desk) -> Value {
    serde_json::from_str(&std::fs::read_to_string(auth(desk)).unwrap()).unwrap()
}

fn offers(desk: &mut Desk, provider: &str) -> bool {
    desk.state().agent.models.iter().any(|model| model.provider == provider)
}

fn login_is_open(desk: &mut Desk) -> bool {
    desk.state().layers.top::<LoginView>().is_some()
}

/// Chooses a provider in a picker.
async fn choose(desk: &mut Desk, command: &str, provider: &str) {
    run(desk, command);
    desk.ide.idle().await;
    desk.type_in(provider).await;
    desk.keys("Enter").await;
}

/// Begins to log in with a key, up to where the key is typed.
async fn until_asked(cols: u16, rows: u16) -> Desk {
    let mut desk = Plan::new().with("a.txt", "one\n").size(cols, rows).start().await;
    choose(&mut desk, "agent.login", "deepseek").await;
    desk.until("the question", |state| {
        state.layers.top::<LoginView>().is_some_and(|view| view.asked.is_some())
    })
    .await;
    desk
}

#[tokio::test]
async fn a_key_is_typed_unseen_and_its_models_are_offered_at_once() {
    let mut desk = until_asked(80, 24).await;
    desk.type_now("hunter3");
    desk.ide.press("Backspace");
    desk.ide.input(Input::Paste("2\n".into()));
    let picture = desk.picture();
    assert!(picture.contains("Key for DeepSeek") && picture.contains("•••••••"), "{picture}");
    assert!(!picture.contains("hunter"), "{picture}");
    desk.ide.press("Enter");
    desk.until("the models", |state| state.agent.models.iter().any(|m| m.provider == "deepseek")).await;
    desk.shows("Choose model").await;
    desk.shows("deepseek/").await;
    assert_eq!(kept(&desk), json!({"deepseek": {"type": "api_key", "key": "hunter2"}}));
    desk.keys("Enter").await;
    desk.until("the model", |s| s.agent.model.as_ref().is_some_and(|m| m.provider == "deepseek")).await;
    desk.shows("stored in").await;
    // Nothing of the key stays anywhere: not in a text, not in what can be done again.
    assert_eq!(desk.text(), "one\n");
    for file in walk(&desk.home("state")) {
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(7).any(|part| part == b"hunter2"), "{}", file.display());
    }
}

fn walk(folder: &std::path::Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn what_is_typed_into_a_login_is_not_recorded() {
    let mut desk = Plan::new().with("a.txt", "\n").start().await;
    run(&mut desk, "macro.record");
    choose(&mut desk, "agent.login", "deepseek").await;
    desk.until("the question", |s| s.layers.top::<LoginView>().is_some_and(|v| v.asked.is_some())).await;
    desk.type_now("hunter2");
    desk.ide.press("Escape");
    assert!(!login_is_open(&mut desk));
    assert_eq!(desk.message(), "Login canceled");
    run(&mut desk, "macro.record");
    desk.keys("Alt-2").await;
    run(&mut desk, "macro.replay");
    desk.ide.idle().await;
    assert!(!desk.picture().contains("hunter2"), "{}", desk.picture());
    assert!(!auth(&desk).exists());
}

#[tokio::test]
async fn logging_out_takes_the_models_away_and_says_what_to_do() {
    let mut desk = until_asked(80, 24).await;
    desk.type_now("hunter2");
    desk.ide.press("Enter");
    desk.shows("deepseek/").await;
    desk.keys("Enter").await;
    desk.until("the model", |s| s.agent.model.as_ref().is_some_and(|m| m.provider == "deepseek")).await;
    choose(&mut desk, "agent.logout", "deepseek").await;
    desk.until("no models", |state| state.agent.models.iter().all(|m| m.provider != "deepseek")).await;
    assert_eq!(kept(&desk), json!({}));
    desk.shows("is no longer available").await;
    desk.snap("logged_out");
}

#[tokio::test]
async fn a_login_elsewhere_is_noticed_when_models_are_looked_at() {
    let mut desk = Plan::new().start().await;
    assert!(!offers(&mut desk, "deepseek"));
    std::fs::create_dir_all(auth(&desk).parent().unwrap()).unwrap();
    std::fs::write(auth(&desk), json!({"deepseek": {"type": "api_key", "key": "k"}}).to_string()).unwrap();
    run(&mut desk, "agent.model-picker");
    desk.shows("deepseek/").await;
    desk.keys("Escape").await;
    std::fs::write(auth(&desk), "{}").unwrap();
    run(&mut desk, "agent.model-picker");
    desk.until("no models", |state| state.agent.models.iter().all(|m| m.provider != "deepseek")).await;
    assert!(offers(&mut desk, "scripted") && offers(&mut desk, "demo"));
}

#[tokio::test]
async fn a_link_can_be_copied_and_escape_ends_the_login() {
    let mut desk = Plan::new().start().await;
    choose(&mut desk, "agent.login", "openrouter").await;
    desk.shows("l for the login").await;
    desk.type_now("l");
    desk.ide.press("Enter");
    desk.shows("https://openrouter.ai/auth?callback_url=").await;
    desk.ide.press("Alt-c");
    let copied = desk.ide.app().copied.take().unwrap();
    assert!(
        copied.starts_with("https://openrouter.ai/auth?callback_url=http%3A%2F%2Flocalhost%3A"),
        "{copied}"
    );
    let port: u16 =
        copied.split("localhost%3A").nth(1).unwrap().split("%2F").next().unwrap().parse().unwrap();
    let is_free = move || std::net::TcpListener::bind(("127.0.0.1", port)).is_ok();
    assert!(!is_free());
    desk.ide.press("Escape");
    assert!(!login_is_open(&mut desk));
    desk.until("the port is free", move |_| is_free()).await;
    assert!(!auth(&desk).exists());
}

#[tokio::test]
async fn lists_of_models_are_asked_for_at_the_screen() {
    let list = json!({"data": [{"id": "grok-99"}]});
    let server = Server::start(vec![Reply::Status { code: 200, headers: vec![], body: list.to_string() }]);
    let models = json!({"providers": {"xai": {"baseUrl": server.url}}}).to_string();
    let mut desk = Plan::new().config("models.json", &models).start().await;
    assert!(offers(&mut desk, "xai"));
    run(&mut desk, "agent.refresh-models");
    desk.shows("1 models of 1 providers, 1 new").await;
    desk.until("the new model", |state| state.agent.models.iter().any(|m| m.id == "grok-99")).await;
}

/// A login as a flow with a code shows itself.
fn with_code(desk: &mut Desk) -> oneshot::Receiver<Option<String>> {
    let number = desk.state().agent.logins;
    let (reply, answer) = oneshot::channel();
    let code = Notice::Code {
        code: "WDJB-MJHT".into(),
        page: "https://auth.example.com/device?from=bowline".into(),
    };
    let question = Question::Pasted("If the browser is on another machine, paste the address".into());
    for said in [
        Said::Told(Notice::Progress("asking for a code…".into())),
        Said::Told(code),
        Said::Asked(question, reply),
    ] {
        desk.ide.app().with_cx(|cx| login::events::progress(cx, number, said));
    }
    desk.ide.app().frame();
    answer
}

#[tokio::test]
async fn a_broken_file_of_credentials_is_told_where_one_logs_out() {
    let mut desk = Plan::new().size(120, 24).start().await;
    std::fs::create_dir_all(auth(&desk).parent().unwrap()).unwrap();
    std::fs::write(auth(&desk), "{").unwrap();
    run(&mut desk, "agent.logout");
    desk.shows("is no file of credentials").await;
}

#[tokio::test]
async fn a_login_on_a_tiny_screen_is_usable_and_has_a_way_out() {
    for (cols, rows) in [(20, 5), (7, 3), (3, 2), (1, 1)] {
        let mut desk = until_asked(cols, rows).await;
        desk.type_now("hunter2");
        let picture = desk.picture();
        assert!(!picture.contains("hunter"), "{picture}");
        assert!(cols < 20 || picture.contains("›") && picture.contains("•••••••"), "{picture}");
        let answer = with_code(&mut desk);
        desk.type_now("äöü");
        assert!(cols < 20 || desk.picture().contains("äöü"), "{}", desk.picture());
        desk.ide.press("Enter");
        assert_eq!(answer.await.unwrap().as_deref(), Some("äöü"));
        for key in ["Tab", "Up", "PageDown", "Ctrl-w", "F5", "Delete", "Alt-c", "Alt-k", "Ctrl-u"] {
            desk.ide.press(key);
            desk.ide.app().frame();
        }
        desk.until("the login", |s| s.layers.all::<LoginView>().next().is_some()).await;
        while !login_is_open(&mut desk) {
            desk.ide.press("Escape");
        }
        desk.ide.press("Escape");
        assert!(!login_is_open(&mut desk), "{cols}x{rows}");
    }
}

#[tokio::test]
async fn a_login_on_screens_of_all_sizes() {
    for (cols, rows) in [(80, 24), (40, 12)] {
        let mut desk = until_asked(cols, rows).await;
        desk.type_now("hunter2");
        desk.snap("login_key");
        let answer = with_code(&mut desk);
        desk.type_now("http://localhost:1455/auth/callback?code=abc");
        desk.snap("login_code");
        desk.ide.press("Alt-k");
        assert_eq!(desk.ide.app().copied.take().as_deref(), Some("WDJB-MJHT"));
        desk.ide.press("Enter");
        assert_eq!(answer.await.unwrap().as_deref(), Some("http://localhost:1455/auth/callback?code=abc"));
        desk.ide.press("Escape");
        run(&mut desk, "agent.login");
        desk.ide.idle().await;
        desk.snap("login_picker");
    }
}
