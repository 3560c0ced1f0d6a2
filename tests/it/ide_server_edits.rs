//! Edits that language servers make: rename, code actions and formatting, with everything that a server may do wrong. A
//! refused edit changes nothing. The server is a script that does what each test wants.

use std::path::Path;
use std::time::{Duration, Instant};

use bowline::ide::model::buffers::Buffer;
use serde_json::{Value, json};

use crate::support::language_server::{capabilities, poll, project, project_in, range, sent, trusted};
use crate::support::test_ide::TestIde;

/// A server that edits.
fn editing() -> Value {
    let mut all = capabilities();
    for (name, options) in [
        ("renameProvider", json!({ "prepareProvider": true })),
        ("codeActionProvider", json!({ "resolveProvider": true })),
        ("documentFormattingProvider", json!(true)),
        ("documentRangeFormattingProvider", json!(true)),
        ("executeCommandProvider", json!({ "commands": ["toy.run"] })),
    ] {
        all[name] = options;
    }
    all
}

fn script(answers: &Value) -> Value {
    json!({ "capabilities": editing(), "answers": answers })
}

fn edit(from: (u32, u32), to: (u32, u32), text: &str) -> Value {
    json!({ "range": range(from, to), "newText": text })
}

/// Edits of a file of a version.
fn document(path: &str, version: &Value, edits: &[Value]) -> Value {
    let uri = format!("$ROOT/{path}");
    json!({ "textDocument": { "uri": uri, "version": version }, "edits": edits })
}

fn changes(steps: &[Value]) -> Value {
    json!({ "documentChanges": steps })
}

/// Waits for a message that begins so.
async fn wait_for_message(ide: &mut TestIde, begin: &str) {
    let begin = begin.to_string();
    ide.wait_for(&begin, |state| state.status.message.starts_with(&begin)).await;
    ide.headless.idle().await;
}

/// What the client answered to the edit that the server requested.
fn edit_answer(ide: &TestIde) -> Value {
    let log = ide.file_text("../script.json.log");
    let mut messages = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages.rfind(|message| message["id"] == "edit").expect("an answer")["result"].clone()
}

/// Asks for a new name, and gives the old one with more at its end.
async fn rename(ide: &mut TestIde, more: &str) {
    ide.keys("Alt-, k R").await;
    ide.wait_for_text("Rename to").await;
    ide.keys("End").await;
    ide.type_in(more).await;
    ide.keys("Enter").await;
}

#[tokio::test]
async fn rename_changes_open_and_closed_files_and_one_undo_takes_it_back() {
    let edits = changes(&[
        document("a.toy", &Value::Null, &[edit((0, 0), (0, 3), "onex")]),
        document("lib/b.toy", &Value::Null, &[edit((1, 2), (1, 5), "onex"), edit((0, 2), (0, 5), "onex")]),
    ]);
    let target = json!({ "range": range((0, 0), (0, 3)), "placeholder": "one" });
    let answers = json!({ "textDocument/prepareRename": target, "textDocument/rename": edits });
    let setup = project("one two\n", &script(&answers)).file("lib/b.toy", "x one\r\ny one\r\n");
    let mut ide = trusted(setup.size(80, 24)).await;
    ide.keys("Right Alt-, k R").await;
    ide.wait_for_text("Rename to").await;
    assert!(ide.picture().contains("one"), "{}", ide.picture());
    // Typing replaces the old name.
    ide.type_in("onex").await;
    ide.keys("Enter").await;
    ide.wait_for_text("change 3 places in 2 files?").await;
    ide.headless.idle().await;
    ide.snap("rename_preview");
    assert_eq!(sent(&ide, "textDocument/rename")["newName"], "onex");
    assert_eq!(ide.text(), "one two\n", "nothing is changed before the user agrees");
    ide.keys("y").await;
    wait_for_message(&mut ide, "Changed 3 places in 2 files. Undo all of it: ").await;
    assert_eq!(ide.text(), "onex two\n");
    assert_eq!(ide.file_text("lib/b.toy"), "x onex\r\ny onex\r\n", "its line endings stay");
    assert_eq!(ide.file_text("a.toy"), "one two\n", "an open file stays unsaved");
    ide.keys("Alt-, s u").await;
    wait_for_message(&mut ide, "Undone in 2 files").await;
    assert_eq!(ide.text(), "one two\n");
    assert_eq!(ide.file_text("lib/b.toy"), "x one\r\ny one\r\n");
    // Nothing is changed where the user does not agree.
    rename(&mut ide, "x").await;
    ide.wait_for_text("change 3 places").await;
    ide.keys("n").await;
    ide.headless.idle().await;
    assert_eq!(
        (ide.text().as_str(), ide.file_text("lib/b.toy").as_str()),
        ("one two\n", "x one\r\ny one\r\n")
    );
}

/// Texts of many files, of different forms.
fn many_files() -> Vec<(String, &'static str)> {
    let texts = ["one two\n", "one\r\ntwo\r\n", "\u{feff}one", "one 𐍈\n\n\n", "one\r\ntwo\n"];
    (0..300).map(|n| (format!("lib/{}/f{n}.toy", n % 7), texts[n % texts.len()])).collect()
}

#[tokio::test]
async fn rename_over_300_files_is_one_step_that_undo_takes_back() {
    let files = many_files();
    let steps: Vec<Value> =
        files.iter().map(|(name, _)| document(name, &Value::Null, &[edit((0, 0), (0, 3), "onex")])).collect();
    let target = json!({ "range": range((0, 0), (0, 3)), "placeholder": "one" });
    let answers = json!({ "textDocument/prepareRename": target, "textDocument/rename": changes(&steps) });
    let mut setup = project("one two\n", &script(&answers)).size(100, 24);
    for (n, (name, text)) in files.iter().enumerate() {
        setup = if n < 5 { setup.with(name, text) } else { setup.file(name, text) };
    }
    let mut ide = trusted(setup).await;
    ide.keys("Ctrl-End").await;
    ide.type_in("unsaved").await;
    let unsaved = ide.current_file_name();
    let open = |ide: &mut TestIde| -> Vec<String> {
        ide.state().buffers.all().iter().map(|buffer| buffer.area.text().to_string()).collect()
    };
    let before = open(&mut ide);
    for _ in 0..2 {
        rename(&mut ide, "x").await;
        ide.wait_for_text("change 300 places in 300 files?").await;
        ide.headless.idle().await;
        ide.keys("y").await;
        wait_for_message(&mut ide, "Changed 300 places in 300 files. Undo all of it: ").await;
        let changed = files.iter().filter(|(name, text)| ide.file_text(name) == text.replace("one", "onex"));
        assert_eq!(changed.count(), 295, "open files stay unsaved");
        assert_eq!(open(&mut ide).iter().filter(|text| text.starts_with("onex")).count(), 5);
        ide.keys("Alt-, s u").await;
        wait_for_message(&mut ide, "Undone in 300 files").await;
        for (name, text) in &files {
            assert_eq!(ide.file_text(name), *text, "{name}");
        }
        assert_eq!(open(&mut ide), before);
        let left: Vec<String> = ide.state().buffers.unsaved().map(Buffer::name).collect();
        assert_eq!(left, [unsaved.as_str()], "what was saved is saved again");
    }
}

#[tokio::test]
async fn rename_box_keeps_the_old_name_where_the_caret_is_moved_first() {
    let target = json!({ "range": range((0, 0), (0, 3)), "placeholder": "one" });
    let answers = json!({ "textDocument/prepareRename": target, "textDocument/rename": null });
    let mut ide = trusted(project("one\n", &script(&answers))).await;
    for (keys, name) in [("End", "onex"), ("Right", "onex"), ("Home", "xone"), ("", "x")] {
        ide.keys("Alt-, k R").await;
        ide.wait_for_text("Rename to").await;
        if !keys.is_empty() {
            ide.keys(keys).await;
        }
        ide.type_in("x").await;
        ide.keys("Enter").await;
        wait_for_message(&mut ide, "Nothing to rename here").await;
        assert_eq!(sent(&ide, "textDocument/rename")["newName"], name, "{keys}");
    }
}

/// Presses the keys of "Rename symbol" and what is typed after them, before the server can answer.
fn rename_at_once(ide: &mut TestIde, typed: &str) {
    for key in ["Alt-,", "k", "R"] {
        ide.headless.press(key);
    }
    ide.type_without_settling(typed);
}

#[tokio::test]
async fn rename_box_takes_what_is_typed_before_the_server_answers() {
    let target = json!({ "range": range((0, 0), (0, 3)), "placeholder": "other" });
    let answers = json!({ "textDocument/prepareRename": target, "textDocument/rename": null });
    let mut ide = trusted(project("one\n", &script(&answers))).await;
    rename_at_once(&mut ide, "new");
    ide.headless.idle().await;
    assert!(ide.picture().contains("new") && !ide.picture().contains("other"), "{}", ide.picture());
    ide.keys("Enter").await;
    wait_for_message(&mut ide, "Nothing to rename here").await;
    assert_eq!(sent(&ide, "textDocument/rename")["newName"], "new");
    // Also where the name is accepted before.
    rename_at_once(&mut ide, "later");
    ide.headless.press("Enter");
    ide.headless.idle().await;
    wait_for_message(&mut ide, "Nothing to rename here").await;
    assert_eq!(sent(&ide, "textDocument/rename")["newName"], "later");
    assert_eq!(ide.text(), "one\n", "no key goes into the text");
}

#[tokio::test]
async fn rename_box_waits_for_the_server_until_it_is_closed() {
    let answers = json!({ "textDocument/prepareRename": { "never": true } });
    let mut ide = trusted(project("one\n", &script(&answers))).await;
    rename_at_once(&mut ide, "new");
    ide.headless.press("Enter");
    ide.wait_for_text("asking the language server").await;
    ide.type_without_settling("er");
    ide.wait_for_text("newer").await;
    ide.headless.press("Escape");
    // Nothing is waited for any more.
    ide.headless.idle().await;
    assert!(!ide.picture().contains("Rename to"), "{}", ide.picture());
    assert_eq!(ide.text(), "one\n");
}

/// Waits until the server was sent something, while it answers nothing.
async fn wait_for_request(ide: &mut TestIde, text: &str) {
    let limit = Instant::now() + Duration::from_secs(20);
    while !ide.file_text("../script.json.log").contains(text) {
        assert!(Instant::now() < limit, "{text}: {}", ide.picture());
        // The IDE is not idle while it waits for the server: the end of the time is expected.
        drop(tokio::time::timeout(Duration::from_millis(5), ide.headless.idle()).await);
    }
}

#[tokio::test]
async fn rename_box_stays_while_the_server_renames_and_escape_cancels() {
    let answers = json!({ "textDocument/prepareRename": { "defaultBehavior": true },
        "textDocument/rename": { "never": true } });
    let mut ide = trusted(project("one\n", &script(&answers))).await;
    ide.keys("Alt-, k R").await;
    ide.type_in("new").await;
    ide.headless.press("Enter");
    ide.wait_for_text("Renaming…").await;
    wait_for_request(&mut ide, "\"newName\": \"new\"").await;
    ide.type_without_settling("er");
    ide.wait_for_text("newer").await;
    // Another name is asked about in place of the first one.
    ide.headless.press("Enter");
    wait_for_request(&mut ide, "\"newName\": \"newer\"").await;
    ide.keys("Escape").await;
    assert!(!ide.picture().contains("Rename"), "{}", ide.picture());
    poll(&mut ide, |log| {
        std::fs::read_to_string(log).unwrap_or_default().matches("$/cancelRequest").count() == 2
    })
    .await;
    assert_eq!(ide.text(), "one\n", "no key goes into the text");
}

#[tokio::test]
async fn rename_box_takes_the_keys_until_the_preview_comes() {
    let edits = changes(&[document("a.toy", &Value::Null, &[edit((0, 0), (0, 3), "new")])]);
    let answers =
        json!({ "textDocument/prepareRename": { "defaultBehavior": true }, "textDocument/rename": edits });
    let mut ide = trusted(project("one\n", &script(&answers))).await;
    ide.keys("Alt-, k R").await;
    ide.type_in("new").await;
    ide.headless.press("Enter");
    ide.type_without_settling("zz");
    ide.wait_for_text("Rename to new: change 1 place in 1 file?").await;
    ide.headless.idle().await;
    assert!(!ide.picture().contains("Renaming"), "{}", ide.picture());
    // A key right after others that were meant for the box does not answer the question.
    ide.keys("y").await;
    assert_eq!(ide.text(), "one\n");
    ide.advance(Duration::from_secs(2));
    ide.keys("n").await;
    assert!(ide.picture().contains("newzzy"), "the box has what was typed: {}", ide.picture());
    ide.keys("Backspace Backspace Backspace").await;
    ide.headless.press("Enter");
    ide.type_without_settling("z");
    ide.wait_for_text("Rename to new: change 1 place in 1 file?").await;
    ide.advance(Duration::from_secs(2));
    ide.keys("y").await;
    wait_for_message(&mut ide, "Changed 1 place in 1 file").await;
    assert_eq!(ide.text(), "new\n");
    assert!(!ide.picture().contains("newz"), "the box is closed: {}", ide.picture());
}

#[tokio::test]
async fn rename_box_says_that_nothing_can_be_renamed_and_keeps_the_keys() {
    let refusal = json!({ "error": [-32602, "not this\u{7}"] });
    for (answer, reason) in
        [(Value::Null, "Nothing to rename here"), (refusal, "toy: rename failed: not this␇")]
    {
        let answers = json!({ "textDocument/prepareRename": answer });
        let mut ide = trusted(project("one\n", &script(&answers))).await;
        rename_at_once(&mut ide, "ne");
        ide.wait_for_text(reason).await;
        // What is typed after that goes into the box, too.
        ide.type_without_settling("w");
        ide.headless.press("Enter");
        assert!(ide.picture().contains("new") && ide.picture().contains(reason), "{}", ide.picture());
        ide.keys("Escape").await;
        assert!(!ide.picture().contains("Rename to"), "{}", ide.picture());
        assert_eq!(ide.text(), "one\n");
    }
}

#[tokio::test]
async fn rename_box_has_the_name_of_the_server_else_the_word_of_the_language() {
    let answers = json!({ "textDocument/prepareRename": range((0, 0), (0, 7)), "textDocument/rename": null });
    let mut ide = trusted(project("one-two\n", &script(&answers))).await;
    rename(&mut ide, "x").await;
    wait_for_message(&mut ide, "Nothing to rename here").await;
    assert_eq!(sent(&ide, "textDocument/rename")["newName"], "one-twox");
    let mut offered = editing();
    offered["renameProvider"] = json!(true);
    let script = json!({ "capabilities": offered, "answers": { "textDocument/rename": null } });
    // A server of CSS counts the sign of a class as a part of its name.
    for (text, name) in [("one-two {}\n", "one-twox"), (".one-two {}\n", ".one-twox"), ("#a {}\n", "#ax")] {
        let mut ide = trusted(project_in("css", "a.css", text, &script)).await;
        ide.keys("Right").await;
        rename(&mut ide, "x").await;
        wait_for_message(&mut ide, "Nothing to rename here").await;
        assert_eq!(sent(&ide, "textDocument/rename")["newName"], name);
    }
}

#[tokio::test]
async fn rename_without_an_answer_says_so() {
    let answers = json!({ "textDocument/rename": null });
    let mut capabilities = editing();
    capabilities["renameProvider"] = json!(true);
    let script_of = json!({ "capabilities": capabilities, "answers": answers });
    let mut ide = trusted(project("word \n", &script_of)).await;
    // A server that cannot be asked before renames the word.
    ide.keys("Alt-, k R").await;
    ide.wait_for_text("Rename to").await;
    assert!(ide.picture().contains("word"), "{}", ide.picture());
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "Name unchanged");
    rename(&mut ide, "s").await;
    wait_for_message(&mut ide, "Nothing to rename here").await;
    ide.keys("Ctrl-e Ctrl-j Alt-, k R").await;
    ide.wait_for_text("Nothing to rename here").await;
}

#[tokio::test]
async fn rename_refused_by_the_server_names_it() {
    let answers = json!({ "textDocument/prepareRename": { "error": [-32602, "no name\u{1b} here"] } });
    let mut ide = trusted(project("one\n", &script(&answers))).await;
    ide.keys("Alt-, k R").await;
    ide.wait_for_text("toy: rename failed: no name␛ here").await;
    let answers = json!({ "textDocument/prepareRename": { "defaultBehavior": true },
        "textDocument/rename": { "error": [-32803, "the name is taken"] } });
    let mut ide = trusted(project("one\n", &script(&answers))).await;
    rename(&mut ide, "x").await;
    wait_for_message(&mut ide, "toy: rename failed: the name is taken").await;
}

#[tokio::test]
async fn rename_of_a_text_that_changes_meanwhile_changes_nothing() {
    let edits = changes(&[
        document("a.toy", &json!(1), &[edit((0, 0), (0, 3), "onex")]),
        document("b.toy", &Value::Null, &[edit((0, 0), (0, 3), "onex")]),
    ]);
    let answers =
        json!({ "textDocument/prepareRename": { "defaultBehavior": true }, "textDocument/rename": edits });
    let mut ide = trusted(project("one\n", &script(&answers)).file("b.toy", "one\n")).await;
    rename(&mut ide, "x").await;
    ide.wait_for_text("change 2 places in 2 files?").await;
    // The agent writes into the open file while the user reads.
    let buffer = ide.state().buffers.current_mut().unwrap();
    buffer.area.edit(0, |text, _| {
        let end = text.end();
        bowline::text::transaction::Transaction::new(bowline::text::changes::ChangeSet::replace(
            end.0,
            [(end..end, "more\n".to_string())],
        ))
    });
    ide.state().damage.add_all();
    ide.keys("y").await;
    wait_for_message(&mut ide, "toy: the text has changed: a.toy").await;
    assert_eq!((ide.text().as_str(), ide.file_text("b.toy").as_str()), ("one\nmore\n", "one\n"));
    // The version that the server names is not the current one any more.
    rename(&mut ide, "x").await;
    wait_for_message(&mut ide, "toy: the text has changed: a.toy").await;
}

#[tokio::test]
async fn rename_that_cannot_be_written_changes_nothing() {
    let edits = changes(&[
        document("a.toy", &Value::Null, &[edit((0, 0), (0, 3), "onex")]),
        document("b.toy", &Value::Null, &[edit((0, 0), (0, 3), "onex")]),
        document("c.toy", &Value::Null, &[edit((0, 0), (0, 3), "onex")]),
    ]);
    let answers =
        json!({ "textDocument/prepareRename": { "defaultBehavior": true }, "textDocument/rename": edits });
    let setup = project("one\n", &script(&answers)).file("b.toy", "one\n").file("c.toy", "one\n");
    let mut ide = trusted(setup.unwritable("c.toy")).await;
    rename(&mut ide, "x").await;
    ide.wait_for_text("change 3 places in 3 files?").await;
    ide.keys("y").await;
    wait_for_message(&mut ide, "toy: c.toy: ").await;
    let all = [ide.text(), ide.file_text("b.toy"), ide.file_text("c.toy")];
    assert_eq!(all, ["one\n"; 3]);
    ide.keys("Alt-, s u").await;
    assert_eq!(ide.status_message(), "No applied results to undo");
}

#[tokio::test]
async fn rename_with_file_operations_is_one_step() {
    let edits = changes(&[
        document("a.toy", &json!(1), &[edit((0, 0), (0, 3), "two")]),
        json!({ "kind": "rename", "oldUri": "$ROOT/a.toy", "newUri": "$ROOT/lib/two.toy" }),
        json!({ "kind": "create", "uri": "$ROOT/new.toy" }),
        document("new.toy", &Value::Null, &[edit((0, 0), (0, 0), "made\n")]),
        json!({ "kind": "delete", "uri": "$ROOT/old", "options": { "recursive": true } }),
        json!({ "kind": "delete", "uri": "$ROOT/absent", "options": { "ignoreIfNotExists": true } }),
        json!({ "kind": "create", "uri": "$ROOT/there.toy", "options": { "ignoreIfExists": true } }),
    ]);
    let answers =
        json!({ "textDocument/prepareRename": { "defaultBehavior": true }, "textDocument/rename": edits });
    let setup = project("one\n", &script(&answers)).file("old/x", "x").file("there.toy", "there\n");
    let mut ide = trusted(setup.size(80, 24)).await;
    rename(&mut ide, "x").await;
    ide.wait_for_text("change 2 places in 2 files, 3 file operations?").await;
    ide.headless.idle().await;
    ide.snap("rename_with_file_operations");
    ide.keys("y").await;
    wait_for_message(&mut ide, "Changed 2 places").await;
    assert_eq!((ide.current_file_name().as_str(), ide.text().as_str()), ("two.toy", "two\n"));
    // Saved as before: on the disk it fits to the file operations.
    assert_eq!(
        (ide.file_text("lib/two.toy").as_str(), ide.file_text("new.toy").as_str()),
        ("two\n", "made\n")
    );
    assert!(!ide.path("a.toy").exists() && !ide.path("old").exists());
    assert_eq!(ide.file_text("there.toy"), "there\n");
    ide.keys("Alt-, s u").await;
    ide.headless.idle().await;
    assert_eq!((ide.current_file_name().as_str(), ide.text().as_str()), ("a.toy", "one\n"));
    assert_eq!((ide.file_text("a.toy").as_str(), ide.file_text("old/x").as_str()), ("one\n", "x"));
    assert!(!ide.path("new.toy").exists() && !ide.path("lib/two.toy").exists());
}

#[tokio::test]
async fn undo_of_a_step_deletes_a_created_file_that_was_opened_since() {
    let moved = changes(&[
        json!({ "kind": "create", "uri": "$ROOT/new.toy" }),
        document("new.toy", &Value::Null, &[edit((0, 0), (0, 0), "made\n")]),
        document("a.toy", &Value::Null, &[edit((0, 0), (0, 3), "")]),
    ]);
    let actions = json!([{ "title": "Move to a new file", "kind": "refactor", "edit": moved }]);
    let mut ide =
        trusted(project("one\n", &script(&json!({ "textDocument/codeAction": actions }))).size(80, 24)).await;
    choose(&mut ide, "Move").await;
    ide.wait_for_text("change 2 places in 2 files").await;
    ide.advance(Duration::from_secs(2));
    ide.keys("y").await;
    wait_for_message(&mut ide, "Changed 2 places").await;
    ide.keys("Alt-1 End Enter").await;
    assert_eq!((ide.current_file_name().as_str(), ide.text().as_str()), ("new.toy", "made\n"));
    ide.keys("Alt-, s u").await;
    wait_for_message(&mut ide, "Undone in 2 files").await;
    assert!(!ide.path("new.toy").exists());
    assert_eq!((ide.current_file_name().as_str(), ide.text().as_str()), ("a.toy", "one\n"));
    assert_eq!(ide.file_text("a.toy"), "one\n");
}

/// Chooses an action by its title.
async fn choose(ide: &mut TestIde, title: &str) {
    ide.keys("Alt-, k a").await;
    ide.wait_for_text("Code actions").await;
    ide.type_in(title).await;
    ide.headless.idle().await;
    // A command ends only after the user has answered the question about its edit.
    ide.headless.press("Enter");
}

/// A server with actions of each kind, one of whose commands changes another file.
fn acting() -> Value {
    let fix = changes(&[document("a.toy", &json!(1), &[edit((0, 0), (0, 3), "GOOD")])]);
    let actions = json!([
        { "title": "Off", "kind": "refactor", "disabled": { "reason": "not\u{7} here" } },
        { "title": "Run it", "command": "toy.run", "arguments": [7] },
        { "title": "Later", "kind": "quickfix", "data": 5 },
        { "title": "Fix", "kind": "quickfix", "isPreferred": true, "edit": fix,
          "command": { "title": "", "command": "toy.run" } },
    ]);
    let resolved = changes(&[document("a.toy", &Value::Null, &[edit((1, 0), (1, 1), "resolved")])]);
    let answers = json!({
        "textDocument/codeAction": actions,
        "codeAction/resolve": { "title": "Later", "edit": resolved },
        "workspace/executeCommand": null,
    });
    let requested = changes(&[document("b.toy", &Value::Null, &[edit((0, 0), (0, 0), "B")])]);
    json!({ "capabilities": editing(), "answers": answers, "edits": { "workspace/executeCommand": requested } })
}

#[tokio::test]
async fn code_actions_apply_edits_and_run_commands() {
    let setup = project("BAD\nx\n", &acting()).file("b.toy", "b\n");
    let mut ide = trusted(setup.size(80, 24)).await;
    ide.wait_for("1 error", |state| {
        state.buffers.current().unwrap().servers.diagnostics.counts().errors == 1
    })
    .await;
    ide.keys("Alt-, k a").await;
    ide.wait_for_text("Code actions").await;
    ide.headless.idle().await;
    ide.snap("code_actions_list");
    let context = sent(&ide, "textDocument/codeAction")["context"].clone();
    let diagnostic = &context["diagnostics"][0];
    assert_eq!((&diagnostic["code"], &diagnostic["data"]), (&json!("E1"), &json!({ "line": 0 })));
    ide.keys("Escape").await;
    choose(&mut ide, "Off").await;
    ide.headless.idle().await;
    assert_eq!(ide.status_message(), "toy: not␇ here");
    ide.keys("Escape").await;
    // An edit of the shown text needs no question; the command's edit reaches another file.
    choose(&mut ide, "Fix").await;
    ide.wait_for_text("an edit: change 1 place in 1 file?").await;
    assert_eq!(ide.text(), "GOOD\nx\n");
    // A key typed before the dialog was read is no answer.
    ide.advance(Duration::from_secs(2));
    ide.keys("y").await;
    wait_for_message(&mut ide, "Changed 1 place in 1 file").await;
    assert_eq!((ide.file_text("b.toy").as_str(), &edit_answer(&ide)["applied"]), ("Bb\n", &json!(true)));
    choose(&mut ide, "Later").await;
    wait_for_message(&mut ide, "Changed 1 place in 1 file").await;
    assert_eq!(ide.text(), "GOOD\nresolved\n");
    assert_eq!(sent(&ide, "codeAction/resolve")["data"], 5);
    choose(&mut ide, "Run it").await;
    ide.wait_for_text("an edit: change 1 place in 1 file?").await;
    ide.advance(Duration::from_secs(2));
    ide.keys("n").await;
    ide.headless.idle().await;
    assert_eq!(sent(&ide, "workspace/executeCommand")["arguments"], json!([7]));
    assert_eq!(edit_answer(&ide)["applied"], false);
    // Undo of the shown text takes back one action at a time.
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "GOOD\nx\n");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "BAD\nx\n");
}

/// Edits that are refused: their title, and why. Each begins with a part that is right.
fn bad_edits() -> Vec<(&'static str, Value, &'static str)> {
    let good = || document("a.toy", &Value::Null, &[edit((0, 0), (0, 0), "x")]);
    let text = |path: &str, edits: &[Value]| changes(&[good(), document(path, &Value::Null, edits)]);
    let operation = |step: Value| changes(&[good(), step]);
    let at_start = || edit((0, 0), (0, 0), "x");
    let overlapping = [edit((0, 1), (0, 3), "x"), edit((0, 2), (0, 4), "y")];
    let old_version = document("a.toy", &json!(9), &[at_start()]);
    let behind = [edit((9, 0), (9, 0), "x")];
    let within = [edit((0, 1), (0, 2), "x")];
    let unknown = json!({ "kind": "link", "uri": "$ROOT/a.toy" });
    let existing = json!({ "kind": "create", "uri": "$ROOT/b.toy" });
    let full = json!({ "kind": "delete", "uri": "$ROOT/lib" });
    let no_file = json!({ "kind": "delete", "uri": "untitled:1" });
    vec![
        ("overlap", text("a.toy", &overlapping), "edits overlap in line 1: a.toy"),
        ("behind", text("b.toy", &behind), "an edit is behind the end of the text, in line 10: b.toy"),
        ("within", text("b.toy", &within), "an edit begins or ends within a character of line 1: b.toy"),
        ("version", changes(&[old_version]), "the text has changed"),
        ("outside", text("../b.txt", &[at_start()]), "OUTSIDE"),
        ("missing", text("none.toy", &[at_start()]), "none.toy: is gone"),
        ("binary", text("c.bin", &[at_start()]), "c.bin: a binary file is shown, not edited"),
        ("unknown", operation(unknown), "the edit wants an unknown operation: link"),
        ("exists", operation(existing), "b.toy exists already"),
        ("full", operation(full), "the folder lib is not empty"),
        ("address", operation(no_file), "the edit is about untitled:1, which is not a file"),
    ]
}

#[tokio::test]
async fn code_actions_with_bad_edits_are_refused_with_one_message() {
    let cases = bad_edits();
    let actions = cases.iter().map(|(title, edit, _)| json!({ "title": title, "edit": edit }));
    let answers = json!({ "textDocument/codeAction": actions.collect::<Vec<_>>() });
    let setup = project("one two\n", &script(&answers)).file("b.toy", "🐚\n").file("c.bin", [0, 1, 2]);
    let mut ide = trusted(setup.file("lib/x", "x")).await;
    std::fs::write(ide.path("../b.txt"), "outside\n").unwrap();
    for (title, _, expected) in &cases {
        choose(&mut ide, title).await;
        ide.headless.idle().await;
        let message = ide.status_message();
        if *expected == "OUTSIDE" {
            let (begin, end) = ("toy: ", "b.txt is outside of this folder");
            assert!(message.starts_with(begin) && message.ends_with(end), "{message}");
        } else {
            assert_eq!(message, format!("toy: {expected}"), "{title}");
        }
        assert_eq!(ide.text(), "one two\n", "{title}");
        assert_eq!(ide.file_text("b.toy"), "🐚\n", "{title}");
    }
    assert_eq!(ide.file_text("../b.txt"), "outside\n");
}

#[tokio::test]
async fn server_edit_that_no_command_has_caused_is_refused() {
    let edit = changes(&[document("a.toy", &Value::Null, &[edit((0, 0), (0, 1), "x")])]);
    let request = json!({ "id": "edit", "method": "workspace/applyEdit", "params": { "edit": edit } });
    let script_of = json!({ "capabilities": editing(), "on": { "textDocument/didSave": [request] } });
    let mut ide = trusted(project("one\n", &script_of)).await;
    ide.keys("x Ctrl-s").await;
    wait_for_message(&mut ide, "toy: refused to change files").await;
    assert_eq!(ide.text(), "xone\n");
    let is_answered = |log: &Path| {
        let log = std::fs::read_to_string(log).unwrap_or_default();
        log.contains("\"applied\": false")
    };
    poll(&mut ide, is_answered).await;
}

#[tokio::test]
async fn format_keeps_the_caret_and_is_one_undo_step() {
    // Such servers replace the whole text; the lines of this file end with CRLF, the answer's do not.
    let whole = json!([edit((0, 0), (99, 0), "{\n  one\n  two\n}\n")]);
    let mut ide = trusted(project(
        "{\r\none\r\n    two\r\n}\r\n",
        &script(&json!({ "textDocument/formatting": whole })),
    ))
    .await;
    ide.keys("Down Down Right Right Right Right Right").await;
    assert_eq!(ide.cursor(), (3, 6));
    ide.keys("Alt-, k f").await;
    wait_for_message(&mut ide, "Formatted").await;
    assert_eq!(ide.text(), "{\r\n  one\r\n  two\r\n}\r\n");
    assert_eq!(ide.cursor(), (3, 4), "still behind the first letter of its word");
    let options = sent(&ide, "textDocument/formatting")["options"].clone();
    assert_eq!(options, json!({ "tabSize": 4, "insertSpaces": true }));
    ide.keys("Alt-, k f").await;
    wait_for_message(&mut ide, "Formatted already").await;
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "{\r\none\r\n    two\r\n}\r\n");
}

#[tokio::test]
async fn format_of_a_selection_asks_for_its_range() {
    let answers = json!({ "textDocument/rangeFormatting": [edit((0, 0), (0, 2), "")],
        "textDocument/formatting": { "error": [-32603, "broken\u{1b}"] } });
    let mut ide = trusted(project("  one\n  two\n", &script(&answers))).await;
    ide.keys("Shift-Down Alt-, k f").await;
    wait_for_message(&mut ide, "Formatted the selection").await;
    assert_eq!(ide.text(), "one\n  two\n");
    assert_eq!(sent(&ide, "textDocument/rangeFormatting")["range"], range((0, 0), (1, 0)));
    ide.keys("Ctrl-Home Alt-, k f").await;
    wait_for_message(&mut ide, "toy: formatting failed: broken").await;
    assert_eq!(ide.text(), "one\n  two\n");
}

#[tokio::test]
async fn format_on_save_formats_what_is_written() {
    let answers = json!({ "textDocument/formatting": [edit((0, 0), (0, 2), "")] });
    let setup = project("  one\n", &script(&answers)).config_file("settings.toml", "format-on-save = true\n");
    let mut ide = trusted(setup).await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    wait_for_message(&mut ide, "Saved a.toy").await;
    assert_eq!((ide.text().as_str(), ide.file_text("a.toy").as_str()), (" one\n", " one\n"));
}

#[tokio::test]
async fn format_on_save_with_a_slow_server_saves_as_it_is() {
    let answers = json!({ "textDocument/formatting": { "never": true } });
    let setup = project("  one\n", &script(&answers)).config_file("settings.toml", "format-on-save = true\n");
    let mut ide = trusted(setup).await;
    ide.type_in("x").await;
    ide.headless.press("Ctrl-s");
    assert_eq!(ide.file_text("a.toy"), "  one\n");
    ide.advance(Duration::from_millis(1_001));
    wait_for_message(&mut ide, "Saved a.toy unformatted. toy: no answer within 1 s").await;
    assert_eq!(ide.file_text("a.toy"), "x  one\n");
    assert!(!ide.state().buffers.current().unwrap().is_saving);
}
