//! What language servers want of the window: questions to the user, files and pages to be shown, work that can be cancelled;
//! and what they use of the machine. The server is a script that does what each test wants.

use std::path::Path;
use std::time::Duration;

use bowline::ide::core::state::State;
use bowline::ide::features::language_servers::state::LANGUAGE_SERVERS;
use bowline::runtime::language_servers::server::ServerCommand;
use serde_json::{Value, json};

use crate::support::language_server::{
    capabilities, is_running, poll, project, range, sent, trust, trusted, wait_for_method,
};
use crate::support::test_ide::TestIde;

/// A server that sends a request when a file is saved.
fn asking(id: &str, method: &str, params: &Value) -> Value {
    let mut all = capabilities();
    all["codeActionProvider"] = json!(true);
    all["executeCommandProvider"] = json!({ "commands": ["toy.run"] });
    let request = json!({ "id": id, "method": method, "params": params });
    let answers = json!({
        "textDocument/codeAction": [{ "title": "Run it", "command": "toy.run" }],
        "workspace/executeCommand": null,
    });
    json!({ "capabilities": all, "answers": answers,
        "on": { "textDocument/didSave": [request], "workspace/executeCommand": [request] } })
}

/// The answer to a request of the server, once there is one.
async fn answer(ide: &mut TestIde, id: &'static str) -> Value {
    let find = move |log: &Path| {
        let log = std::fs::read_to_string(log).unwrap_or_default();
        let mut messages = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        messages.find(|message| message["id"] == id && message.get("method").is_none())
    };
    poll(ide, move |log| find(log).is_some()).await;
    find(&ide.path("../script.json.log")).expect("an answer")["result"].clone()
}

async fn save(ide: &mut TestIde) {
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
}

/// Answers a dialog that has been there for a moment.
async fn choose(ide: &mut TestIde, key: &str) {
    ide.advance(Duration::from_secs(2));
    ide.keys(key).await;
}

fn question() -> Value {
    json!({ "type": 3, "message": "Load\u{1b} the project\nagain?",
        "actions": [{ "title": "Yes", "mine": 7 }, { "title": "Never" }, { "odd": 1 }] })
}

#[tokio::test]
async fn server_question_is_shown_and_answered_by_a_choice() {
    let script = asking("q", "window/showMessageRequest", &question());
    let mut ide = trusted(project("one\n", &script).size(80, 20)).await;
    save(&mut ide).await;
    ide.wait_for_text("toy asks").await;
    ide.headless.idle().await;
    ide.snap("server_question");
    // A key that was typed before the question was read is no answer.
    ide.keys("1").await;
    assert!(ide.picture().contains("toy asks"), "{}", ide.picture());
    choose(&mut ide, "1").await;
    assert_eq!(answer(&mut ide, "q").await, json!({ "title": "Yes", "mine": 7 }));
    assert!(!ide.picture().contains("toy asks"));
    assert_eq!(ide.text(), "x1one\n", "only the key before it went into the text");
}

#[tokio::test]
async fn server_question_closed_without_a_choice_is_answered_with_nothing() {
    for key in ["Escape", "n"] {
        let script = asking("q", "window/showMessageRequest", &question());
        let mut ide = trusted(project("one\n", &script)).await;
        save(&mut ide).await;
        ide.wait_for_text("toy asks").await;
        choose(&mut ide, key).await;
        assert_eq!(answer(&mut ide, "q").await, Value::Null, "{key}");
    }
    let script = asking("q", "window/showMessageRequest", &json!({ "type": 1, "message": "broken" }));
    let mut ide = trusted(project("one\n", &script)).await;
    save(&mut ide).await;
    ide.wait_for("the message", |state| state.status.message == "toy: broken").await;
    assert_eq!(answer(&mut ide, "q").await, Value::Null);
}

#[tokio::test]
async fn server_question_is_not_replaced_by_another_and_ends_with_its_server() {
    let request = |id: &str| json!({ "id": id, "method": "window/showMessageRequest", "params": question() });
    let mut script = asking("q", "window/showMessageRequest", &question());
    script["on"]["textDocument/didSave"] = json!([request("q"), request("r")]);
    let mut ide = trusted(project("one\n", &script)).await;
    save(&mut ide).await;
    assert_eq!(answer(&mut ide, "r").await, Value::Null, "the second is refused");
    ide.wait_for_text("toy asks").await;
    ide.state().slots[LANGUAGE_SERVERS].servers[0].send(ServerCommand::Stop);
    ide.wait_for("the end", |state| !is_running(state)).await;
    ide.headless.idle().await;
    assert!(!ide.picture().contains("toy asks"), "{}", ide.picture());
}

fn show(address: &str) -> Value {
    json!({ "uri": address, "takeFocus": true, "selection": range((1, 3), (1, 3)) })
}

#[tokio::test]
async fn server_shows_a_file_of_the_folder_at_once_only_while_a_command_runs() {
    let script = asking("s", "window/showDocument", &show("$ROOT/b.toy"));
    let setup = || project("one\n", &script).file("b.toy", "é\nétwo\n").size(80, 20);
    let mut ide = trusted(setup()).await;
    save(&mut ide).await;
    ide.wait_for_text("toy wants to open a file").await;
    assert_eq!(ide.current_file_name(), "a.toy");
    choose(&mut ide, "o").await;
    assert_eq!(answer(&mut ide, "s").await, json!({ "success": true }));
    ide.headless.idle().await;
    assert_eq!((ide.current_file_name().as_str(), ide.cursor()), ("b.toy", (2, 4)));
    let mut ide = trusted(setup()).await;
    ide.keys("Alt-, k a").await;
    ide.wait_for_text("Run it").await;
    ide.keys("Enter").await;
    ide.wait_for("b.toy", |state| {
        state
            .buffers
            .current()
            .and_then(|buffer| buffer.real_path())
            .is_some_and(|path| path.ends_with("b.toy"))
    })
    .await;
    assert_eq!(answer(&mut ide, "s").await, json!({ "success": true }));
}

#[tokio::test]
async fn server_shows_what_is_elsewhere_only_after_a_question() {
    for (address, title, key) in [
        ("https://example.org/a", "toy wants to open a page in the browser", "n"),
        ("file:///etc/passwd", "toy wants to open a file", "Escape"),
    ] {
        let mut ide = trusted(project("one\n", &asking("s", "window/showDocument", &show(address)))).await;
        save(&mut ide).await;
        ide.wait_for_text(title).await;
        choose(&mut ide, key).await;
        assert_eq!(answer(&mut ide, "s").await, json!({ "success": false }), "{address}");
        assert_eq!(ide.current_file_name(), "a.toy");
    }
    let mut ide = trusted(project("one\n", &asking("s", "window/showDocument", &show("command:x")))).await;
    save(&mut ide).await;
    ide.wait_for("the refusal", |state| state.status.message.contains("no file and no web page")).await;
    assert_eq!(answer(&mut ide, "s").await, json!({ "success": false }));
}

#[tokio::test]
async fn server_work_that_can_be_cancelled_is_and_other_work_is_not() {
    let progress = |token: Value, value: Value| json!({ "method": "$/progress", "params": { "token": token, "value": value } });
    let on = json!({ "textDocument/didOpen": [
        progress(json!("a"), json!({ "kind": "begin", "title": "Reading", "cancellable": false })),
        progress(json!(7), json!({ "kind": "begin", "title": "Indexing", "cancellable": true })),
        progress(json!(7), json!({ "kind": "report", "message": "half\u{7}" })),
    ], "window/workDoneProgress/cancel": [progress(json!(7), json!({ "kind": "end" }))] });
    let mut ide =
        trusted(project("one\n", &json!({ "capabilities": capabilities(), "on": on })).size(80, 20)).await;
    let works = |state: &State| state.slots[LANGUAGE_SERVERS].servers[0].progress.len();
    ide.wait_for("the work", move |state| works(state) == 2).await;
    ide.keys("F1").await;
    ide.type_in("Cancel server work").await;
    ide.keys("Enter").await;
    assert!(ide.status_message().starts_with("Cancelling toy: "), "{}", ide.status_message());
    ide.wait_for("the end of the work", move |state| works(state) == 1).await;
    assert_eq!(sent(&ide, "window/workDoneProgress/cancel"), json!({ "token": 7 }));
    let work = ide.state().slots[LANGUAGE_SERVERS].servers[0].work().map(String::from);
    assert_eq!(work.as_deref(), Some("Reading"));
    ide.keys("F1").await;
    ide.type_in("Cancel server work").await;
    assert!(ide.picture().contains("No server work to cancel"), "{}", ide.picture());
}

#[tokio::test]
async fn server_list_shows_memory_and_follows_its_servers() {
    let mut ide = trusted(project("one\n", &json!({ "capabilities": capabilities() })).size(120, 20)).await;
    ide.keys("Alt-, k s").await;
    ide.wait_for_text("running, ").await;
    let shown = ide.picture();
    assert!(shown.contains(" MB") && shown.contains("processor time"), "{shown}");
    ide.keys("Delete").await;
    ide.wait_for_text("toy stopped").await;
    ide.headless.idle().await;
    assert!(!ide.picture().contains(" MB"), "{}", ide.picture());
    ide.keys("Enter").await;
    ide.wait_for_text("running").await;
}

#[tokio::test]
async fn server_list_in_a_small_window_has_memory_work_and_the_wrapped_log() {
    let begin = json!({ "kind": "begin", "title": "Indexing a project with many crates and a long name" });
    let long = format!("a line of the log {} that ends here", "very ".repeat(12));
    let on = json!({ "textDocument/didOpen": [
        { "method": "$/progress", "params": { "token": 1, "value": begin } },
        { "method": "window/logMessage", "params": { "type": 4, "message": long } },
    ] });
    let mut ide =
        trusted(project("one\n", &json!({ "capabilities": capabilities(), "on": on })).size(60, 20)).await;
    ide.wait_for("the log", |state| !state.slots[LANGUAGE_SERVERS].servers[0].log.is_empty()).await;
    ide.keys("Alt-, k s").await;
    ide.wait_for_text(" MB: Index").await;
    let shown = ide.picture();
    assert!(shown.contains("a line of the log") && shown.contains("that ends here"), "{shown}");
    // With room for it the log is beside the list, wrapped as well.
    let mut ide =
        trusted(project("one\n", &json!({ "capabilities": capabilities(), "on": on })).size(90, 30)).await;
    ide.wait_for("the log", |state| !state.slots[LANGUAGE_SERVERS].servers[0].log.is_empty()).await;
    ide.keys("Alt-, k s").await;
    ide.wait_for_text(" MB: Index").await;
    ide.headless.idle().await;
    let shown = ide.picture();
    assert!(shown.contains("Process:") && shown.contains("ends here"), "{shown}");
    let since = regex::Regex::new(r"Since: \d\d:\d\d:\d\d").unwrap();
    assert!(since.is_match(&shown), "{shown}");
    assert_eq!(shown.matches("a line of the log").count(), 1, "{shown}");
}

#[tokio::test]
async fn server_over_its_memory_limit_is_ended_and_not_started_again() {
    let setup = project("one\n", &json!({ "capabilities": capabilities() }));
    let mut ide = setup.config_file("settings.toml", "language-server-memory = 1\n").start().await;
    trust(&mut ide).await;
    ide.wait_for("the end", |state| state.status.message.contains("more than language-server-memory allows"))
        .await;
    assert!(ide.status_message().starts_with("toy does not run: it used "), "{}", ide.status_message());
    let setup = project("one\n", &json!({ "capabilities": capabilities() }));
    let mut ide = trusted(setup.config_file("settings.toml", "language-server-memory = 4096\n")).await;
    save(&mut ide).await;
    wait_for_method(&mut ide, "textDocument/didSave").await;
    assert!(is_running(ide.state()));
}
