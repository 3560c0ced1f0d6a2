//! Language servers in the editor: the question of trust, diagnostics, documentation, definitions and references, and
//! servers that misbehave. The server is a script that does what each test wants.

use std::path::Path;
use std::time::Duration;

use bowline::ide::core::state::State;
use bowline::ide::features::language_servers::state::LANGUAGE_SERVERS;
use bowline::lsp::answers::diagnostics::Severity;
use bowline::runtime::language_servers::server::ServerState;
use ratatui::style::{Color, Modifier};
use serde_json::{Value, json};

use crate::support::language_server::{
    self, OWN_SERVER, capabilities, configure_own, is_running, methods, methods_of, poll, range, server_text,
    text_of, trust, trusted, wait_for_method,
};
use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

/// A project in a small window.
fn project(text: &str, script: &Value) -> IdeSetup {
    language_server::project(text, script).size(80, 16)
}

fn script(capabilities: &Value) -> Value {
    json!({ "capabilities": capabilities })
}

fn errors(state: &State) -> usize {
    state.buffers.current().unwrap().servers.diagnostics.counts().errors
}

#[tokio::test]
async fn language_server_starts_only_after_the_folder_is_trusted() {
    let mut ide = project("BAD\n", &script(&capabilities())).start().await;
    ide.wait_for_text("Trust this project?").await;
    let shown = ide.picture();
    assert!(shown.contains("Language servers run build scripts"), "{shown}");
    assert!(shown.contains("python3"), "the command line is shown: {shown}");
    assert_eq!(methods(&ide), [""; 0]);
    ide.advance(Duration::from_secs(2));
    ide.keys("n").await;
    ide.headless.idle().await;
    assert_eq!(methods(&ide), [""; 0]);
    assert!(ide.state().slots[LANGUAGE_SERVERS].servers.is_empty());
    // The decision is kept, and can be taken back.
    let mut ide = ide.restart().language_servers().open("a.toy").start().await;
    ide.headless.idle().await;
    assert!(!ide.picture().contains("Trust this project?"), "{}", ide.picture());
    ide.keys("F1").await;
    ide.type_in("Trust project").await;
    ide.keys("Enter").await;
    ide.wait_for("the server runs", is_running).await;
    wait_for_method(&mut ide, "initialized").await;
    assert_eq!(methods(&ide)[..2], ["initialize", "initialized"]);
}

#[tokio::test]
async fn language_server_of_the_project_is_asked_for_again_once_it_has_changed() {
    let setup = project("BAD\n", &script(&capabilities())).size(100, 20);
    let work = setup.workspace_dir();
    let (home, file) = (work.with_file_name("home"), work.with_file_name("script.json"));
    let program = work.join(OWN_SERVER);
    configure_own(&home, &work, &file);
    let mut ide = setup.start().await;
    ide.wait_for_text("Trust this project?").await;
    assert!(ide.picture().contains("toy-of-project"), "{}", ide.picture());
    assert!(ide.picture().contains("own programs changes"), "{}", ide.picture());
    assert_eq!(methods(&ide), [""; 0]);
    trust(&mut ide).await;
    ide.wait_for("the server runs", is_running).await;
    let mut ide = ide.restart().language_servers().open("a.toy").start().await;
    ide.wait_for("the server runs, as the answer is known", is_running).await;
    assert!(!ide.picture().contains("Trust this project?"), "{}", ide.picture());
    change(&program);
    let mut ide = ide.restart().language_servers().open("a.toy").start().await;
    ide.wait_for_text("Trust these programs?").await;
    assert!(ide.picture().contains("are new, or were changed since"), "{}", ide.picture());
    assert!(ide.state().slots[LANGUAGE_SERVERS].servers.is_empty(), "nothing runs before the answer");
    ide.advance(Duration::from_secs(2));
    ide.keys("o").await;
    ide.wait_for("the server runs once", is_running).await;
    let mut ide = ide.restart().language_servers().open("a.toy").start().await;
    ide.wait_for_text("Trust these programs?").await;
    assert!(ide.state().slots[LANGUAGE_SERVERS].servers.is_empty());
    ide.advance(Duration::from_secs(2));
    ide.keys("n").await;
    ide.headless.idle().await;
    assert!(ide.state().slots[LANGUAGE_SERVERS].servers.is_empty(), "no server is left for the file");
}

/// Changes a program.
fn change(program: &Path) {
    std::fs::write(program, std::fs::read_to_string(program).unwrap() + "# changed\n").unwrap();
}

#[tokio::test]
async fn language_server_of_the_project_that_changes_while_it_runs_is_asked_for_before_its_restart() {
    let setup = project("BAD\n", &script(&capabilities())).size(100, 20);
    let work = setup.workspace_dir();
    configure_own(&work.with_file_name("home"), &work, &work.with_file_name("script.json"));
    let mut ide = setup.start().await;
    trust(&mut ide).await;
    ide.wait_for("the server runs", is_running).await;
    wait_for_method(&mut ide, "textDocument/didOpen").await;
    change(&work.join(OWN_SERVER));
    let starts = |ide: &TestIde| methods(ide).iter().filter(|method| *method == "initialize").count();
    ide.keys("alt-, k s").await;
    ide.keys("Enter").await;
    ide.wait_for("the server does not run", |state| !is_running(state)).await;
    ide.keys("Escape").await;
    ide.wait_for_text("Trust these programs?").await;
    assert_eq!(starts(&ide), 1, "the changed program was not started");
    ide.advance(Duration::from_secs(2));
    ide.keys("y").await;
    ide.wait_for("the server runs again", is_running).await;
    poll(&mut ide, |log| methods_of(log).iter().filter(|method| *method == "initialize").count() == 2).await;
    // Without trust in the folder it does not run any more, and cannot be started.
    ide.keys("F1").await;
    ide.type_in("Revoke project trust").await;
    ide.keys("Enter").await;
    ide.wait_for("the server is stopped", |state| !is_running(state)).await;
    ide.keys("alt-, k s").await;
    ide.keys("Enter").await;
    ide.keys("Escape").await;
    ide.wait_for("it cannot be started", |state| {
        let server = &state.slots[LANGUAGE_SERVERS].servers[0];
        matches!(server.state, ServerState::Failed { .. })
    })
    .await;
    assert_eq!(starts(&ide), 2);
    ide.keys("F1").await;
    ide.type_in("Trust project").await;
    ide.keys("Enter").await;
    ide.wait_for("the server runs with trust", is_running).await;
}

#[tokio::test]
async fn language_server_trust_is_asked_for_in_any_order_of_answers() {
    with_task_orders(async || {
        let mut ide = project("BAD\n", &script(&capabilities())).start().await;
        ide.wait_for_text("Trust this project?").await;
    })
    .await;
}

#[tokio::test]
async fn language_server_lists_that_would_be_empty_say_why() {
    let script = json!({ "capabilities": capabilities() });
    let mut ide = project("fine\n", &script).start().await;
    ide.wait_for_text("Trust this project?").await;
    ide.advance(Duration::from_secs(2));
    ide.keys("n").await;
    for keys in ["alt-, k e", "alt-, k s"] {
        ide.keys(keys).await;
        assert!(
            ide.status_message().starts_with("Language servers need a trusted folder. Trust it"),
            "{keys}"
        );
    }
    let mut ide = trusted(project("fine\n", &script)).await;
    ide.keys("alt-, k e").await;
    assert_eq!(ide.status_message(), "No diagnostics in the open files");
    let off = project("fine\n", &script).config_file("settings.toml", "language-servers = false\n");
    let mut ide = off.start().await;
    ide.keys("alt-, k s").await;
    assert!(
        ide.status_message().starts_with("Language servers are switched off."),
        "{}",
        ide.status_message()
    );
}

#[tokio::test]
async fn language_server_diagnostics_come_and_go_with_edits() {
    let mut ide = trusted(project("let x = BAD\nfine\nODD one\n", &script(&capabilities()))).await;
    ide.wait_for("1 errors", |state| errors(state) == 1).await;
    ide.headless.idle().await;
    ide.snap("diagnostics_of_a_file");
    let shown = ide.picture();
    assert!(shown.contains("let x = BAD  ● BAD is not allowed…"), "{shown}");
    assert!(shown.contains("E1 W1  error: BAD is not allowed here second line"), "{shown}");
    // They move along before the server answers.
    ide.keys("Enter").await;
    let marks = &ide.state().buffers.current().unwrap().servers.diagnostics;
    assert_eq!(marks.all().next().unwrap().range.start.0, 9);
    ide.type_in("é🐚 BAD").await;
    ide.keys("Enter").await;
    ide.wait_for("2 errors", |state| errors(state) == 2).await;
    assert_eq!(server_text(&ide), text_of(&mut ide));
    ide.keys("Alt-h Delete").await;
    ide.wait_for("0 errors", |state| errors(state) == 0).await;
    ide.keys("Ctrl-z").await;
    ide.wait_for("2 errors", |state| errors(state) == 2).await;
    assert_eq!(server_text(&ide), text_of(&mut ide));
    ide.keys("Ctrl-s").await;
    wait_for_method(&mut ide, "textDocument/didSave").await;
}

#[tokio::test]
async fn language_server_message_of_a_full_line_is_in_the_status_line_while_the_cursor_is_there() {
    let text = format!("{} BAD\nBAD\n", "x".repeat(70));
    let mut ide = trusted(project(&text, &script(&capabilities()))).await;
    ide.wait_for("2 errors", |state| errors(state) == 2).await;
    ide.headless.idle().await;
    let status = |ide: &mut TestIde| ide.picture().lines().rev().nth(1).unwrap().to_string();
    assert!(status(&mut ide).contains("error: BAD is not"), "{}", ide.picture());
    ide.keys("Down").await;
    assert!(!status(&mut ide).contains("BAD"), "it is behind the line: {}", ide.picture());
    assert!(ide.picture().contains("● BAD is not allowed here"), "{}", ide.picture());
}

#[tokio::test]
async fn language_server_diagnostics_are_visited_and_listed() {
    let mut ide = trusted(project("a BAD\nb\nc ODD\n", &script(&capabilities()))).await;
    ide.wait_for("1 errors", |state| errors(state) == 1).await;
    let caret = |ide: &mut TestIde| ide.state().buffers.current().unwrap().area.caret().0;
    ide.keys("Alt-, k n").await;
    assert_eq!(caret(&mut ide), 2);
    assert_eq!(ide.status_message(), "error: BAD is not allowed here second line");
    ide.keys("Alt-, k n").await;
    assert_eq!(caret(&mut ide), 10);
    ide.keys("Alt-, k n").await;
    assert_eq!(caret(&mut ide), 2, "around the end");
    ide.keys("Alt-, k p").await;
    assert_eq!(caret(&mut ide), 10);
    ide.keys("Alt-, k e").await;
    ide.headless.idle().await;
    ide.snap("diagnostics_list");
    ide.type_in("warning").await;
    ide.headless.idle().await;
    ide.keys("Ctrl-Home Enter").await;
    ide.headless.idle().await;
    assert_eq!(caret(&mut ide), 10);
}

#[tokio::test]
async fn language_server_that_is_asked_for_diagnostics_is_asked_after_edits() {
    let mut capabilities = capabilities();
    capabilities["diagnosticProvider"] =
        json!({ "interFileDependencies": false, "workspaceDiagnostics": false });
    let mut ide = trusted(project("BAD\n", &json!({ "capabilities": capabilities, "pull": true }))).await;
    ide.wait_for("1 errors", |state| errors(state) == 1).await;
    ide.type_in("BAD\n").await;
    ide.headless.idle().await;
    ide.advance(Duration::from_millis(400));
    ide.wait_for("2 errors", |state| errors(state) == 2).await;
}

/// The report about a file with one error.
fn report(path: &str, message: &str) -> Value {
    let range = json!({ "start": { "line": 2, "character": 1 }, "end": { "line": 2, "character": 3 } });
    let items = json!([{ "range": range, "message": message, "source": "toy" }]);
    json!({ "kind": "full", "uri": format!("$ROOT/{path}"), "version": null, "resultId": "r1", "items": items })
}

fn has_found(path: &'static str) -> impl Fn(&State) -> bool {
    move |state| {
        let project = &state.slots[LANGUAGE_SERVERS].project;
        project.of_severity(Severity::Error).any(|(found, ..)| found.ends_with(path))
    }
}

#[tokio::test]
async fn language_server_diagnostics_of_all_files_are_listed_and_asked_for_again() {
    let mut all = capabilities();
    all["diagnosticProvider"] = json!({ "interFileDependencies": true, "workspaceDiagnostics": true });
    let part = json!({ "token": "bowline/workspace-diagnostic", "value": { "items": [report("b.toy", "broken\u{1b}")] } });
    let script = json!({ "capabilities": all, "pull": true,
        "answers": { "workspace/diagnostic": { "never": true } },
        "on": {
            "workspace/diagnostic": [{ "method": "$/progress", "params": part }],
            "textDocument/didSave": [{ "id": 7, "method": "workspace/diagnostic/refresh" }],
        } });
    let setup = project("fine\n", &script).file("b.toy", "1\n2\n345\n").size(100, 24);
    let mut ide = trusted(setup).await;
    ide.wait_for("b.toy is reported", has_found("b.toy")).await;
    ide.keys("Alt-, k e").await;
    ide.headless.idle().await;
    let shown = ide.picture();
    assert!(shown.contains("error: broken␛") && shown.contains("b.toy:3  toy"), "{shown}");
    ide.keys("Enter").await;
    ide.wait_for("b.toy is shown", |state| state.buffers.current().unwrap().name() == "b.toy").await;
    ide.headless.idle().await;
    assert_eq!(ide.cursor(), (3, 2));
    // An open file has its own, of which there are none once the server has looked at it.
    language_server::settle(&mut ide).await;
    ide.keys("Alt-, k e").await;
    ide.headless.idle().await;
    assert!(!ide.picture().contains("error: broken"), "{}", ide.picture());
    ide.keys("Escape x Ctrl-s").await;
    let asked_again =
        |log: &Path| methods_of(log).iter().filter(|m| *m == "workspace/diagnostic").count() > 1;
    poll(&mut ide, asked_again).await;
    let known = language_server::sent(&ide, "workspace/diagnostic")["previousResultIds"].clone();
    assert_eq!(known[0]["value"], "r1", "{known}");
    // What a server has found goes with it.
    ide.keys("Alt-, k s Delete").await;
    ide.wait_for("nothing is known", |state| state.slots[LANGUAGE_SERVERS].project.is_empty()).await;
}

#[tokio::test]
async fn language_server_reports_a_file_in_full_that_was_deleted_since() {
    let mut all = capabilities();
    all["diagnosticProvider"] = json!({ "interFileDependencies": true, "workspaceDiagnostics": true });
    let items = ["b.toy", "gone/c.toy", "gone-not.toy"].map(|path| report(path, "broken"));
    let part = json!({ "token": "bowline/workspace-diagnostic", "value": { "items": items } });
    let script = json!({ "capabilities": all, "pull": true,
        "answers": { "workspace/diagnostic": { "never": true } },
        "on": {
            "workspace/diagnostic": [{ "method": "$/progress", "params": part }],
            "textDocument/didSave": [{ "id": 7, "method": "workspace/diagnostic/refresh" }],
        } });
    let setup = project("fine\n", &script).file("b.toy", "1\n").file("gone/c.toy", "1\n");
    let mut ide = trusted(setup).await;
    ide.wait_for("a file is reported", has_found("gone-not.toy")).await;
    ide.keys("Alt-1 Home d y").await;
    ide.wait_for("it is forgotten", |state| !has_found("gone/c.toy")(state)).await;
    ide.headless.idle().await;
    ide.keys("Alt-2 x Ctrl-s").await;
    let asked_again =
        |log: &Path| methods_of(log).iter().filter(|m| *m == "workspace/diagnostic").count() > 1;
    poll(&mut ide, asked_again).await;
    let known = language_server::sent(&ide, "workspace/diagnostic")["previousResultIds"].to_string();
    assert!(known.contains("b.toy") && known.contains("gone-not.toy"), "{known}");
    assert!(!known.contains("gone/c.toy"), "{known}");
}

#[tokio::test]
async fn language_server_that_must_be_asked_is_asked_about_each_file_that_is_opened() {
    let mut all = capabilities();
    all["diagnosticProvider"] = json!({ "interFileDependencies": false, "workspaceDiagnostics": false });
    let script = json!({ "capabilities": all, "pull": true });
    let mut ide = trusted(project("fine\n", &script).file("b.toy", "BAD\n")).await;
    ide.keys("Ctrl-p").await;
    ide.type_in("b.toy").await;
    ide.keys("Enter").await;
    ide.wait_for("the error", |state| errors(state) == 1).await;
}

#[tokio::test]
async fn language_server_diagnostics_sent_of_closed_files_are_listed_below_the_folder() {
    let publish = |uri: &str| {
        let items = report("", "broken")["items"].clone();
        json!({ "method": "textDocument/publishDiagnostics", "params": { "uri": uri, "diagnostics": items } })
    };
    let all = [publish("file:///elsewhere/d.toy"), publish("$ROOT/c.toy")];
    let script = json!({ "capabilities": capabilities(), "on": { "textDocument/didOpen": all } });
    let mut ide = trusted(project("fine\n", &script)).await;
    ide.wait_for("c.toy is reported", has_found("c.toy")).await;
    assert!(!has_found("d.toy")(ide.state()));
    ide.keys("Alt-, k e").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("c.toy:3  toy"), "{}", ide.picture());
}

#[tokio::test]
async fn language_server_diagnostics_of_closed_files_lead_to_their_place_in_units_of_the_server() {
    let items = json!([{ "range": range((1, 4), (1, 5)), "message": "broken", "source": "toy" }]);
    let found = json!({ "method": "textDocument/publishDiagnostics",
        "params": { "uri": "$ROOT/b.toy", "diagnostics": items } });
    let script = json!({ "capabilities": capabilities(), "on": { "textDocument/didOpen": [found] } });
    // With a byte order mark, which is not shown.
    let mut ide = trusted(project("fine\n", &script).file("b.toy", "\u{feff}1\n\té🐚x\n")).await;
    ide.wait_for("b.toy is reported", has_found("b.toy")).await;
    ide.keys("Alt-, k e").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("🐚x"), "the line is shown beside the list: {}", ide.picture());
    ide.keys("Enter").await;
    ide.wait_for("b.toy is shown", |state| state.buffers.current().unwrap().name() == "b.toy").await;
    ide.headless.idle().await;
    let buffer = ide.state().buffers.current().unwrap();
    assert_eq!(buffer.area.text().char_at(buffer.area.caret()), Some('x'));
    assert_eq!(ide.cursor(), (2, 8), "a tab of 4 columns, 1 and 2 before it");
}

#[tokio::test]
async fn language_server_diagnostics_are_filtered_by_file_check_code_and_severity() {
    let items = json!([{ "range": range((0, 0), (0, 1)), "source": "clippy",
        "code": "E77", "severity": 2,
        // It has the letters of the other file's name, in their order, and those of `error`.
        "message": "broken as a thing. It wants to say more to every reader or writer" }]);
    let found = json!({ "method": "textDocument/publishDiagnostics",
        "params": { "uri": "$ROOT/lib/b.toy", "diagnostics": items } });
    let script = json!({ "capabilities": capabilities(), "on": { "textDocument/didOpen": [found] } });
    let mut ide = trusted(project("BAD\n", &script).size(100, 24)).await;
    ide.wait_for("1 errors", |state| errors(state) == 1).await;
    let has_warning =
        |state: &State| state.slots[LANGUAGE_SERVERS].project.of_severity(Severity::Warning).next().is_some();
    ide.wait_for("the warning", has_warning).await;
    for (query, is_elsewhere) in [
        ("lib/b.toy", true),
        ("clippy", true),
        ("E77", true),
        ("warning", true),
        ("a.toy", false),
        ("E1", false),
        ("error", false),
    ] {
        ide.keys("Alt-, k e").await;
        ide.type_in(query).await;
        ide.headless.idle().await;
        let shown = ide.picture();
        let row = if is_elsewhere { "warning: broken" } else { "error: BAD is not" };
        let other = if is_elsewhere { "error: BAD is not" } else { "warning: broken" };
        assert!(shown.contains(row) && !shown.contains(other), "{query}: {shown}");
        ide.keys("Escape").await;
    }
}

#[tokio::test]
async fn language_server_diagnostics_keep_the_colors_of_the_text() {
    let mut ide = trusted(project("BAD fine\n", &script(&capabilities()))).await;
    ide.wait_for("1 errors", |state| errors(state) == 1).await;
    ide.keys("End").await;
    ide.headless.idle().await;
    let (x, y) = ide.find("BAD fine");
    ide.headless.app().frame();
    let buffer = ide.headless.app().screen.buffer();
    let (wrong, right) = (buffer[(x, y)].style(), buffer[(x + 4, y)].style());
    assert_eq!(wrong.fg, right.fg);
    assert!(wrong.add_modifier.contains(Modifier::UNDERLINED));
    assert!(matches!(wrong.underline_color, Some(Color::Indexed(_))), "{wrong:?}");
    assert!(!right.add_modifier.contains(Modifier::UNDERLINED));
}

#[tokio::test]
async fn language_server_hover_shows_documentation_and_diagnostics() {
    let markdown = "```rust\nfn bad() -> u8\n```\n\nReturns *nothing* good.\u{1b}[31m";
    let answers = json!({ "textDocument/hover": { "contents": { "kind": "markdown", "value": markdown } } });
    let script = json!({ "capabilities": capabilities(), "answers": answers });
    let mut ide = trusted(project("BAD\nnext line\n", &script)).await;
    ide.wait_for("1 errors", |state| errors(state) == 1).await;
    ide.keys("Alt-, k k").await;
    ide.wait_for_text("Returns nothing good").await;
    ide.snap("hover_with_diagnostic");
    assert!(!ide.picture().contains('\u{1b}'));
    // A key that does not scroll closes it and has its usual effect.
    ide.type_in("x").await;
    assert!(text_of(&mut ide).starts_with("xBAD"));
    assert!(!ide.picture().contains("Returns nothing good"), "{}", ide.picture());
}

#[tokio::test]
async fn language_server_definition_is_gone_to_and_references_are_listed() {
    let range = json!({ "start": { "line": 1, "character": 4 }, "end": { "line": 1, "character": 5 } });
    let there = json!({ "uri": "$ROOT/lib/b.toy", "range": range });
    let here = json!({ "uri": "$ROOT/a.toy", "range": { "start": { "line": 0, "character": 0 },
        "end": { "line": 0, "character": 1 } } });
    let answers = json!({ "textDocument/definition": there, "textDocument/references": [here, there] });
    let script = json!({ "capabilities": capabilities(), "answers": answers });
    let setup = project("one\ntwo\n", &script).file("lib/b.toy", "first\né🐚 x = 1\n");
    let mut ide = trusted(setup).await;
    ide.keys("F12").await;
    ide.wait_for("b.toy is shown", |state| state.buffers.current().unwrap().name() == "b.toy").await;
    ide.headless.idle().await;
    let caret = ide.state().buffers.current().unwrap().area.caret().0;
    assert_eq!(caret, 6 + "é🐚 ".len(), "columns are UTF-16");
    ide.keys("Shift-F12").await;
    ide.wait_for_text("lib/b.toy:2").await;
    ide.headless.idle().await;
    ide.snap("references_list");
    ide.keys("Enter").await;
    ide.wait_for("a.toy is shown", |state| state.buffers.current().unwrap().name() == "a.toy").await;
}

#[tokio::test]
async fn language_server_without_an_answer_is_named() {
    let answers = json!({ "textDocument/definition": null,
        "textDocument/hover": { "error": [-32603, "internal\u{1b} trouble"] } });
    let script = json!({ "capabilities": capabilities(), "answers": answers });
    let mut ide = trusted(project("one\n", &script)).await;
    ide.keys("F12").await;
    ide.wait_for("a message", |state| state.status.message == "No definition found").await;
    ide.keys("Alt-, k k").await;
    ide.wait_for("a message", |state| {
        state.status.message.starts_with("toy: documentation failed: internal")
    })
    .await;
    assert!(!ide.status_message().contains('\u{1b}'));
    ide.keys("Alt-, k i").await;
    ide.wait_for("a message", |state| state.status.message == "No implementation found").await;
}

#[tokio::test]
async fn language_server_that_was_stopped_is_named_and_not_the_code_blamed() {
    let mut ide = trusted(project("fine\n", &json!({ "capabilities": capabilities() }))).await;
    ide.keys("alt-, k s Delete").await;
    let is_stopped = |state: &State| {
        state.slots[LANGUAGE_SERVERS].servers.iter().all(|server| server.state == ServerState::Stopped)
    };
    ide.wait_for("the server is stopped", is_stopped).await;
    ide.keys("Escape").await;
    for keys in ["F12", "alt-, k k", "alt-, k R"] {
        ide.keys(keys).await;
        assert!(
            ide.status_message().starts_with("toy stopped. Language servers: "),
            "{}",
            ide.status_message()
        );
    }
}

#[tokio::test]
async fn language_server_that_cannot_be_understood_changes_nothing() {
    let junk = json!([
        { "raw": "Content-Length: 5\r\n\r\n{\"a\":" },
        { "raw": "Content-Length: 2\r\n\r\n[]" },
        { "id": 99, "method": "unknown/question", "params": {} },
        { "id": 100, "method": "workspace/configuration", "params": { "items": [{}, { "section": "a.b" }] } },
        { "method": "textDocument/publishDiagnostics", "params": { "uri": 5 } },
        { "method": "textDocument/publishDiagnostics",
          "params": { "uri": "$ROOT/a.toy", "version": 77, "diagnostics": [{}] } },
        { "method": "window/logMessage", "params": { "type": 3, "message": "a line" } },
    ]);
    let script = json!({ "capabilities": capabilities(), "on": { "textDocument/didSave": junk } });
    let mut ide = trusted(project("BAD\n", &script)).await;
    ide.wait_for("1 errors", |state| errors(state) == 1).await;
    ide.keys("x Ctrl-s").await;
    let has_log =
        |state: &State| state.slots[LANGUAGE_SERVERS].servers[0].log.iter().any(|line| line == "a line");
    ide.wait_for("a line of the log", has_log).await;
    assert_eq!(errors(ide.state()), 1);
    assert!(is_running(ide.state()));
    let answers = std::fs::read_to_string(ide.path("../script.json.log")).unwrap();
    assert!(answers.contains("\"id\": 99") && answers.contains("-32601"), "{answers}");
    assert!(answers.contains("[null, null]"), "{answers}");
}

#[tokio::test]
async fn language_server_that_ends_is_started_again_and_then_left() {
    let script = json!({ "capabilities": capabilities(), "errors": "a reason",
        "on": { "textDocument/didOpen": [{ "exit": 3 }] } });
    let mut ide = project("BAD\n", &script).start().await;
    trust(&mut ide).await;
    let has_ended = |state: &State| {
        let known = &state.slots[LANGUAGE_SERVERS];
        known.servers.iter().any(|server| matches!(server.state, ServerState::Waiting { .. }))
    };
    ide.wait_for("the server has ended", has_ended).await;
    assert_eq!(errors(ide.state()), 0);
    ide.keys("Alt-, k s").await;
    ide.headless.idle().await;
    let shown = ide.picture();
    assert!(shown.contains("ended, starts again") && shown.contains("exit code 3"), "{shown}");
    // By hand it starts at once.
    let runs = |log: &Path| methods_of(log).iter().filter(|method| *method == "initialize").count();
    let before = runs(&ide.path("../script.json.log"));
    ide.keys("Enter").await;
    poll(&mut ide, move |log| runs(log) > before).await;
}

#[tokio::test]
async fn language_servers_are_turned_off_and_on_by_their_setting() {
    let mut ide = trusted(project("BAD\n", &script(&capabilities()))).await;
    ide.wait_for("1 errors", |state| errors(state) == 1).await;
    ide.keys("Ctrl-,").await;
    ide.type_in("language servers").await;
    ide.headless.idle().await;
    ide.keys("Enter").await;
    ide.wait_for("no server", |state| state.slots[LANGUAGE_SERVERS].servers.is_empty()).await;
    wait_for_method(&mut ide, "exit").await;
    assert_eq!(errors(ide.state()), 0);
}

#[tokio::test]
async fn language_server_table_with_mistakes_is_reported_and_the_rest_is_used() {
    let setup = project("BAD\n", &script(&capabilities()));
    let table = setup.workspace_dir().join(".bowline/servers.toml");
    std::fs::create_dir_all(table.parent().unwrap()).unwrap();
    std::fs::write(&table, "[language-server.toy]\ncommand = 5\n").unwrap();
    let mut ide = setup.start().await;
    ide.wait_for("a message", |state| state.status.message.contains("servers.toml:2")).await;
    ide.wait_for_text("Trust this project?").await;
}
