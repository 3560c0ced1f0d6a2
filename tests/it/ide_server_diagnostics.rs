//! Where diagnostics are shown besides in the text: the file tree, the status line, their list, below their line.

use std::time::Duration;

use bowline::ide::core::state::State;
use serde_json::{Value, json};

use crate::support::language_server::{capabilities, project, range, settle, trusted};
use crate::support::test_ide::{IdeSetup, TestIde};

/// What a server sends about a file: as many errors and warnings.
fn sent(path: &str, errors: usize, warnings: usize) -> Value {
    let one = |severity: u32| json!({ "range": range((0, 0), (0, 1)), "severity": severity, "message": "m" });
    let all: Vec<Value> =
        std::iter::repeat_n(one(1), errors).chain(std::iter::repeat_n(one(2), warnings)).collect();
    json!({ "method": "textDocument/publishDiagnostics",
        "params": { "uri": format!("$ROOT/{path}"), "diagnostics": all } })
}

/// A project with an open file with an error and a warning, and others that the server reports.
fn reporting_project() -> IdeSetup {
    let opened = [sent("lib/deep/b.toy", 2, 1), sent("lib/c.toy", 0, 120)];
    let saved = [sent("lib/deep/b.toy", 0, 0)];
    let script = json!({ "capabilities": capabilities(),
        "on": { "textDocument/didOpen": opened, "textDocument/didSave": saved } });
    let setup = project("BAD\nODD\n", &script).file("lib/deep/b.toy", "1\n").file("lib/c.toy", "1\n");
    setup.file("fine.toy", "1\n")
}

/// Whether so many errors and warnings are counted below a path of the project.
fn counts(path: &'static str, errors: usize, warnings: usize) -> impl Fn(&State) -> bool {
    move |state| {
        let whole = state.workspace.clone();
        let path = if path.is_empty() { whole } else { whole.join(path) };
        let found = state.files.diagnostics.of(&path);
        (found.errors, found.warnings) == (errors, warnings)
    }
}

/// The row of the tree with a name, without what is right of the tree.
fn tree_row(ide: &mut TestIde, name: &str) -> String {
    let cols = usize::from(ide.state().areas.files.unwrap().width);
    let picture = ide.picture();
    let row = |line: &str| line.chars().skip(1).take(cols).collect::<String>().trim_end().to_string();
    let found = picture.lines().skip(2).map(row).find(|row| row.contains(name));
    found.unwrap_or_else(|| panic!("{name}: {picture}"))
}

#[tokio::test]
async fn diagnostics_in_the_tree_count_files_and_sums_of_folders_until_they_are_gone() {
    let mut ide = trusted(reporting_project().size(120, 24)).await;
    ide.wait_for("all are counted", counts("", 3, 122)).await;
    ide.keys("Alt-0 e").await;
    settle(&mut ide).await;
    assert!(tree_row(&mut ide, "a.toy").ends_with("●1 ▲1"), "{}", ide.picture());
    assert!(tree_row(&mut ide, "lib").ends_with("●2 ▲99+"), "a collapsed folder: {}", ide.picture());
    assert!(tree_row(&mut ide, "fine.toy").ends_with("fine.toy"), "{}", ide.picture());
    assert!(ide.picture().contains("1 error 1 warning  project: 3 errors 122 warnings"), "{}", ide.picture());
    ide.keys("Home Right").await;
    settle(&mut ide).await;
    assert!(tree_row(&mut ide, "lib").ends_with("●2 ▲99+"), "an expanded one: {}", ide.picture());
    assert!(tree_row(&mut ide, "deep").ends_with("●2 ▲1"), "{}", ide.picture());
    assert!(tree_row(&mut ide, "c.toy").ends_with("▲99+"), "{}", ide.picture());
    ide.snap("file_tree_diagnostics");
    // The server takes back what it has said about a file that is not open.
    ide.keys("Alt-2 x Ctrl-s").await;
    ide.wait_for("those of one file are gone", counts("lib/deep", 0, 0)).await;
    settle(&mut ide).await;
    assert!(tree_row(&mut ide, "deep").ends_with("deep"), "{}", ide.picture());
    assert!(tree_row(&mut ide, "lib").ends_with("▲99+") && !tree_row(&mut ide, "lib").contains('●'));
    ide.keys("Alt-, k s Delete").await;
    ide.wait_for("the server has stopped", counts("", 0, 0)).await;
    ide.keys("Escape").await;
    settle(&mut ide).await;
    assert!(tree_row(&mut ide, "lib").ends_with("lib"), "{}", ide.picture());
    assert!(!ide.picture().contains("project: "), "{}", ide.picture());
}

#[tokio::test]
async fn diagnostics_in_the_tree_go_with_a_deleted_file() {
    let mut ide = trusted(reporting_project().size(120, 24)).await;
    ide.wait_for("all are counted", counts("", 3, 122)).await;
    ide.keys("Alt-0 e Home Delete").await;
    ide.wait_for_text("Delete lib?").await;
    ide.keys("y").await;
    ide.wait_for("what was in it is not counted", counts("lib", 0, 0)).await;
    assert!(counts("", 1, 1)(ide.state()), "the open file still is");
}

#[tokio::test]
async fn diagnostics_in_the_tree_follow_the_server_after_its_last_text_is_closed() {
    let script = json!({ "capabilities": capabilities(), "on": {
        "textDocument/didOpen": [sent("lib/b.toy", 2, 0)],
        "textDocument/didClose": [sent("lib/c.toy", 1, 0), sent("lib/b.toy", 0, 1)] } });
    let setup = project("one\n", &script).file("lib/b.toy", "1\n").file("lib/c.toy", "1\n");
    let mut ide = trusted(setup).await;
    ide.wait_for("they are counted", counts("lib/b.toy", 2, 0)).await;
    ide.keys("Alt-w").await;
    ide.wait_for("the new ones are", counts("lib/b.toy", 0, 1)).await;
    assert!(counts("lib", 0, 1)(ide.state()), "nothing of files that were not known");
}

#[tokio::test]
async fn diagnostics_in_the_tree_are_words_for_screen_readers() {
    let mut ide = trusted(reporting_project().accessible(true).size(80, 24)).await;
    ide.wait_for("all are counted", counts("", 3, 122)).await;
    ide.keys("Alt-0 e").await;
    settle(&mut ide).await;
    assert!(ide.picture().contains("lib, collapsed, 2 errors, 121 warnings"), "{}", ide.picture());
    assert!(ide.picture().contains("a.toy, 1 error, 1 warning"), "{}", ide.picture());
}

#[tokio::test]
async fn diagnostics_list_becomes_results_of_open_and_of_closed_files() {
    let mut ide = trusted(reporting_project().file("open.toy", "x\nBAD\n").open("open.toy")).await;
    ide.wait_for("all are counted", counts("", 4, 122)).await;
    ide.type_in("y").await;
    ide.keys("Alt-, k e").await;
    ide.headless.idle().await;
    ide.keys("Ctrl-l").await;
    ide.headless.idle().await;
    let found = ide.text();
    assert_eq!(found.lines().count(), 5, "one row for each line: {found}");
    for row in ["a.toy:1:yBAD", "a.toy:2:ODD", "open.toy:2:BAD", "lib/deep/b.toy:1:1", "lib/c.toy:1:1"] {
        assert!(found.contains(row), "{row}: {found}");
    }
}

#[tokio::test]
async fn diagnostics_list_becomes_results_of_the_rows_that_are_found_or_marked() {
    let mut ide = trusted(reporting_project()).await;
    ide.wait_for("all are counted", counts("", 3, 122)).await;
    ide.keys("Alt-, k e").await;
    ide.type_in("error").await;
    ide.headless.idle().await;
    ide.keys("Ctrl-l").await;
    ide.headless.idle().await;
    let mut found: Vec<String> = ide.text().lines().map(str::to_string).collect();
    found.sort();
    assert_eq!(found, ["a.toy:1:BAD", "lib/deep/b.toy:1:1"]);
    ide.keys("Alt-, k e Tab Tab Ctrl-l").await;
    ide.headless.idle().await;
    assert_eq!(ide.text(), "a.toy:1:BAD\na.toy:2:ODD\n");
}

#[tokio::test]
async fn diagnostics_list_shows_the_whole_message_of_its_row() {
    let message = "a message that is much longer than a list has room for it\nand whose end is the cause";
    let all = json!([{ "range": range((0, 0), (0, 1)), "severity": 1, "message": message }]);
    let report = json!({ "method": "textDocument/publishDiagnostics",
        "params": { "uri": "$ROOT/b.toy", "diagnostics": all } });
    let script = json!({ "capabilities": capabilities(), "on": { "textDocument/didOpen": [report] } });
    for cols in [100, 50] {
        let setup = project("BAD\n", &script).file("b.toy", "1\n").size(cols, 24);
        let mut ide = trusted(setup).await;
        ide.wait_for("both are counted", counts("", 2, 0)).await;
        ide.keys("Alt-, k e").await;
        ide.type_in("much").await;
        ide.headless.idle().await;
        let shown = ide.picture();
        let words: String = shown.chars().filter(|c| c.is_ascii_alphabetic() || *c == ' ').collect();
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("list has room for it and whose end is the cause"), "{shown}");
    }
}

/// A project with these lines, whose server says about the first one what it is to show.
fn with_message(lines: &str, message: &str, size: (u16, u16)) -> IdeSetup {
    let at = lines.lines().next().unwrap().find("here").unwrap() as u32;
    let all =
        json!([{ "range": range((0, at), (0, at + 4)), "severity": 1, "message": message, "source": "toy" }]);
    let report = json!({ "method": "textDocument/publishDiagnostics",
        "params": { "uri": "$ROOT/a.toy", "diagnostics": all } });
    // It says nothing else by itself, so that the message stays while the text is edited.
    let script = json!({ "capabilities": capabilities(), "pull": true,
        "on": { "textDocument/didSave": [report] } });
    project(lines, &script).size(size.0, size.1)
}

/// Makes the server say it.
async fn save_for_message(ide: &mut TestIde) {
    ide.keys("Alt-, w o End").await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    ide.wait_for("it is counted", counts("", 1, 0)).await;
    // The message that it is saved would cover a part of the text.
    ide.advance(Duration::from_secs(30));
    settle(ide).await;
}

#[tokio::test]
async fn messages_below_line_stay_until_escape_or_the_cursor_leaves_the_line() {
    let message = "this 宽的字符 is wrong\u{1b}[31m, as\tthe text says\nand this is the second line of it";
    let setup = with_message("let here = 1;\nnext line\nthird line\n", message, (140, 20));
    let mut ide = trusted(setup).await;
    save_for_message(&mut ide).await;
    ide.keys("Alt-, k m").await;
    let shown = ide.picture();
    for text in ["└ ● this 宽的字符 is wrong␛[31m, as the text", "second line of it (toy)"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    ide.snap("messages_below_line");
    ide.keys("Alt-, k m").await;
    assert!(!ide.picture().contains("└ ●"), "the same command: {}", ide.picture());
    ide.keys("Alt-, k m").await;
    ide.type_in("y").await;
    assert!(ide.picture().contains("└ ●"), "it takes no keys: {}", ide.picture());
    assert!(ide.text().starts_with("let here = 1;xy"));
    ide.keys("Escape").await;
    assert!(!ide.picture().contains("└ ●"), "Escape: {}", ide.picture());
    ide.keys("Alt-, k m").await;
    assert!(ide.picture().contains("└ ●"), "{}", ide.picture());
    ide.keys("Down").await;
    assert!(!ide.picture().contains("└ ●"), "another line: {}", ide.picture());
    ide.keys("Up").await;
    assert!(!ide.picture().contains("└ ●"), "it is closed: {}", ide.picture());
    ide.keys("Down Alt-, k m").await;
    assert_eq!(ide.status_message(), "No diagnostics in this line");
}

#[tokio::test]
async fn messages_below_line_are_wrapped_in_a_narrow_window_and_above_the_last_line() {
    let setup = with_message("here\n", &"wrong 宽 ".repeat(40), (30, 10));
    let mut ide = trusted(setup).await;
    save_for_message(&mut ide).await;
    ide.keys("Alt-, k m").await;
    let shown = ide.picture();
    assert!(shown.lines().filter(|line| line.contains("wrong 宽")).count() > 4, "{shown}");
    assert!(shown.contains(" … ") && shown.contains("herex"), "more than there is room for: {shown}");
    // The line is the last one of the window.
    ide.keys("Escape Ctrl-Home").await;
    for _ in 0..20 {
        ide.keys("Enter").await;
    }
    ide.keys("End Alt-, k m").await;
    settle(&mut ide).await;
    let shown = ide.picture();
    let at = |text: &str| shown.lines().position(|line| line.contains(text));
    assert!(at("└ ● wrong").unwrap() < at("herex").unwrap(), "{shown}");
}

#[tokio::test]
async fn messages_below_line_are_read_in_the_status_line_by_screen_readers() {
    let mut ide =
        trusted(project("BAD\n", &json!({ "capabilities": capabilities() })).accessible(true)).await;
    ide.wait_for("it is counted", counts("", 1, 0)).await;
    ide.keys("Alt-, k m").await;
    assert_eq!(ide.status_message(), "error: BAD is not allowed here second line");
}

#[tokio::test]
async fn language_server_that_is_stopped_or_restarted_says_so_once_it_is() {
    let mut ide = trusted(project("one\n", &json!({ "capabilities": capabilities() }))).await;
    ide.keys("Alt-, k s Delete").await;
    ide.wait_for("it has stopped", |state| state.status.message == "toy stopped").await;
    ide.keys("Delete").await;
    assert_eq!(ide.status_message(), "toy is stopped already");
    ide.keys("Enter").await;
    ide.wait_for("it runs again", |state| state.status.message == "toy restarted").await;
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "Restarting toy …");
    ide.wait_for("it runs once more", |state| state.status.message == "toy restarted").await;
}

#[tokio::test]
async fn language_server_failures_name_the_server_and_the_feature_without_words_of_the_protocol() {
    let mut offered = capabilities();
    offered["renameProvider"] = json!(true);
    offered["documentFormattingProvider"] = json!(true);
    let script = json!({ "capabilities": offered, "answers": {
        "textDocument/definition": { "error": [-32803, "no index"] },
        "textDocument/formatting": { "error": [-32803, "no formatter"] },
        "textDocument/rename": { "error": [-32601, "Unhandled method textDocument/rename"] } } });
    let mut ide = trusted(project("one\n", &script)).await;
    ide.keys("F12").await;
    let failed = "toy: go to definition failed: no index";
    ide.wait_for("a message", |state| state.status.message == failed).await;
    ide.keys("Alt-, k f").await;
    let failed = "toy: formatting failed: no formatter";
    ide.wait_for("a message", |state| state.status.message == failed).await;
    ide.keys("Alt-, k R").await;
    settle(&mut ide).await;
    ide.type_in("two").await;
    ide.keys("Enter").await;
    let failed = "toy: rename failed: the server cannot do this";
    ide.wait_for("a message", |state| state.status.message == failed).await;
}
