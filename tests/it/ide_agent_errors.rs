//! The errors that language servers find after an edit of the agent, in the result that the model gets.

use std::time::Duration;

use bowline::ide::core::state::State;
use bowline::ide::features::language_servers::state::LANGUAGE_SERVERS;
use bowline::llm::providers::scripted::Turn;
use serde_json::{Value, json};

use crate::support::language_server::{capabilities, methods, project, trusted, wait_for_end};
use crate::support::test_ide::TestIde;

fn script() -> Value {
    json!({ "capabilities": capabilities() })
}

fn write(id: &str, path: &str, content: &str) -> Turn {
    Turn::call(id, "write", json!({ "path": path, "content": content }))
}

fn is_asked(state: &State) -> bool {
    !state.slots[LANGUAGE_SERVERS].waiting_for_errors.is_empty()
}

/// The result of a call, as the model got it.
fn result(ide: &TestIde, request: usize) -> String {
    let requests = ide.script.requests();
    serde_json::to_string(requests[request].messages.last().unwrap()).unwrap()
}

#[tokio::test]
async fn agent_gets_new_errors_of_a_file_that_is_not_open() {
    let turns = [
        write("c1", "b.toy", "fine\nBAD\n"),
        write("c2", "b.toy", "BAD\nfine\nBAD\n"),
        Turn::text("all done"),
    ];
    let mut ide = trusted(project("fine\n", &script()).turns(turns)).await;
    ide.send_prompt("write").await;
    wait_for_end(&mut ide).await;
    let first = result(&ide, 1);
    assert!(first.contains("Language servers find 1 new error in it:"), "{first}");
    assert!(first.contains("b.toy:2:1: BAD is not allowed here second line (toy E1)"), "{first}");
    let second = result(&ide, 2);
    assert!(!second.contains("new error"), "the same error is reported once: {second}");
    let sent = methods(&ide);
    let count = |method: &str| sent.iter().filter(|sent| *sent == method).count();
    let opened = count("textDocument/didOpen");
    assert_eq!(
        count("textDocument/didClose"),
        opened - 1,
        "all but the open file are closed again: {sent:?}"
    );
    assert!(ide.state().slots[LANGUAGE_SERVERS].visits.is_empty());
}

#[tokio::test]
async fn agent_gets_errors_of_an_open_file_that_its_edit_introduces() {
    let edits = json!([{ "oldText": "fine", "newText": "BAD" }]);
    let turns = [
        Turn::call("c1", "read", json!({ "path": "a.toy" })),
        Turn::call("c2", "edit", json!({ "path": "a.toy", "edits": edits })),
        Turn::text("all done"),
    ];
    let mut ide = trusted(project("fine\nODD\n", &script()).turns(turns)).await;
    ide.send_prompt("edit").await;
    wait_for_end(&mut ide).await;
    let told = result(&ide, 2);
    assert!(told.contains("a.toy:1:1: BAD is not allowed here"), "{told}");
    assert!(!told.contains("ODD is not allowed"), "warnings are left out: {told}");
}

#[tokio::test]
async fn agent_waits_no_longer_than_a_silent_server_may_take() {
    let silent = json!({ "capabilities": capabilities(), "pull": true });
    let turns = [write("c1", "b.toy", "BAD\n"), Turn::text("all done")];
    let mut ide = trusted(project("fine\n", &silent).turns(turns)).await;
    ide.send_prompt("write").await;
    ide.wait_for("the server is asked", is_asked).await;
    ide.advance(Duration::from_millis(2_900));
    assert!(is_asked(ide.state()), "three seconds have not passed");
    ide.advance(Duration::from_millis(200));
    ide.wait_for_text("all done").await;
    assert!(!result(&ide, 1).contains("new error"));
}

#[tokio::test]
async fn agent_gets_no_errors_where_the_setting_is_off_or_no_server_runs() {
    let turns = || [write("c1", "b.toy", "BAD\n"), Turn::text("all done")];
    let off = project("fine\n", &script())
        .turns(turns())
        .config_file("settings.toml", "diagnostics-after-edit = false\n");
    let mut ide = trusted(off).await;
    ide.prompt("write").await;
    ide.wait_for_text("all done").await;
    assert!(!result(&ide, 1).contains("new error"));
    // Nothing is trusted, so nothing runs.
    let mut ide = project("fine\n", &script()).turns(turns()).start().await;
    ide.wait_for_text("Trust this project?").await;
    ide.advance(Duration::from_secs(2));
    ide.keys("n").await;
    ide.prompt("write").await;
    ide.wait_for_text("all done").await;
    assert!(!result(&ide, 1).contains("new error"));
}
