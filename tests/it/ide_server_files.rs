//! What language servers hear of files: created, moved and deleted from the tree, saved, and changed on the disk by the agent
//! or another program. The server is a script that does what each test wants.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use bowline::exec::{EnvError, Environment as _};
use bowline::ide::core::state::State;
use bowline::ide::features::files::jobs::FILE_JOBS;
use bowline::ide::features::language_servers::state::LANGUAGE_SERVERS;
use bowline::ide::features::language_servers::watched_files;
use bowline::ide::model::buffers::Buffer;
use bowline::llm::providers::scripted::Turn;
use bowline::tools::Mode;
use serde_json::{Value, json};

use crate::support::language_server::{
    capabilities, methods, poll, project, project_of_two, range, sent, server_text, trusted, wait_for_end,
    wait_for_method,
};
use crate::support::test_ide::TestIde;
use crate::support::written_by_agent::{environment, serve};

/// A server that hears of all operations on `.toy` files and on folders.
fn operating() -> Value {
    let filters = json!({ "filters": [
        { "scheme": "file", "pattern": { "glob": "**/*.toy", "matches": "file" } },
        { "scheme": "file", "pattern": { "glob": "**", "matches": "folder" } },
    ] });
    let mut all = capabilities();
    for name in ["willCreate", "didCreate", "willRename", "didRename", "willDelete", "didDelete"] {
        all["workspace"]["fileOperations"][name] = filters.clone();
    }
    all
}

fn replace(from: (u32, u32), to: (u32, u32), text: &str) -> Value {
    json!({ "range": range(from, to), "newText": text })
}

/// A script whose server registers for changes of `.toy` files and of lists of them once it runs.
fn watching(answers: &Value) -> Value {
    let watchers = json!([
        { "globPattern": "**/*.toy" },
        { "globPattern": { "baseUri": "$ROOT", "pattern": "*.list" }, "kind": 4 },
    ]);
    let registration = json!({ "id": "w", "method": "workspace/didChangeWatchedFiles",
        "registerOptions": { "watchers": watchers } });
    let register = json!({ "id": "register", "method": "client/registerCapability",
        "params": { "registrations": [registration] } });
    json!({ "capabilities": capabilities(), "answers": answers, "on": { "initialized": [register] } })
}

/// Waits for a message that begins so.
async fn wait_for_message(ide: &mut TestIde, begin: &str) {
    let begin = begin.to_string();
    ide.wait_for(&begin, |state: &State| state.status.message.starts_with(&begin)).await;
    ide.headless.idle().await;
}

/// Moves the selected row of the tree.
async fn move_to(ide: &mut TestIde, path: &str) {
    ide.keys("Alt-1 r End Ctrl-u").await;
    ide.type_in(path).await;
    ide.headless.press("Enter");
}

/// The ends of the addresses that the server was sent by a method, the last time.
fn names(ide: &TestIde, method: &str, list: &str, field: &str) -> Vec<String> {
    let root = format!("file://{}/", ide.path("").display()).replace("//", "/");
    let all = sent(ide, method)[list].as_array().unwrap().clone();
    let name = |one: &Value| one[field].as_str().unwrap().replace("//", "/").replace(&root, "");
    all.iter().map(name).collect()
}

/// The changes of which the server heard, in order: the kind and the end of the address.
fn heard_changes(ide: &TestIde) -> Vec<(u64, String)> {
    let log = std::fs::read_to_string(ide.path("../script.json.log")).unwrap_or_default();
    let messages = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let sent = messages.filter(|message| message["method"] == "workspace/didChangeWatchedFiles");
    let all = sent.flat_map(|message| message["params"]["changes"].as_array().unwrap().clone());
    let one = |change: Value| {
        let uri = change["uri"].as_str().unwrap().to_string();
        (change["type"].as_u64().unwrap(), uri.rsplit('/').next().unwrap().to_string())
    };
    all.map(one).collect()
}

/// Whether the server has heard of a change.
fn has_heard(log: &Path, kind: u64, name: &str) -> bool {
    let wanted = format!("\"type\": {kind}");
    let log = std::fs::read_to_string(log).unwrap_or_default();
    let is_it = |line: &str| {
        line.contains("didChangeWatchedFiles")
            && line.split('{').any(|one| one.contains(name) && one.contains(&wanted))
    };
    log.lines().any(is_it)
}

/// Waits until the server has heard of a change.
async fn wait_for_change(ide: &mut TestIde, kind: u64, name: &'static str) {
    poll(ide, move |log| has_heard(log, kind, name)).await;
}

/// Waits until the server has heard of a change that another program has made: whenever something is seen, time passes.
async fn wait_for_change_on_disk(ide: &mut TestIde, kind: u64, name: &str) {
    let log = ide.path("../script.json.log");
    let limit = Instant::now() + Duration::from_secs(20);
    while !has_heard(&log, kind, name) {
        assert!(Instant::now() < limit, "{:?}", heard_changes(ide));
        if watched_files::deadline(ide.state()).is_some() {
            ide.advance(watched_files::PAUSE);
        }
        ide.headless.idle().await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until the server has registered.
async fn wait_for_registration(ide: &mut TestIde) {
    poll(ide, |log| std::fs::read_to_string(log).unwrap_or_default().contains("\"id\": \"register\"")).await;
    ide.wait_for("the registration", |state| {
        let servers = &state.slots[LANGUAGE_SERVERS].servers;
        servers.iter().any(|server| server.offers("workspace/didChangeWatchedFiles"))
    })
    .await;
}

#[tokio::test]
async fn tree_rename_with_edits_of_the_server_is_one_step() {
    let edit = json!({ "changes": { "$ROOT/b.toy": [replace((0, 4), (0, 5), "c")] } });
    let script = json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": edit } });
    let mut ide = trusted(project("a\n", &script).file("b.toy", "use a\n").size(80, 24)).await;
    ide.type_in("x").await;
    move_to(&mut ide, "c.toy").await;
    ide.wait_for_text("Rename a.toy to c.toy: change 1 place in 1 file").await;
    assert!(ide.path("a.toy").exists(), "nothing is done before the user agrees");
    ide.advance(Duration::from_secs(2));
    ide.keys("y").await;
    wait_for_message(&mut ide, "Changed 1 place in 1 file, 1 file operation. Undo all of it: ").await;
    assert_eq!((ide.file_text("c.toy").as_str(), ide.file_text("b.toy").as_str()), ("a\n", "use c\n"));
    assert_eq!((ide.current_file_name().as_str(), ide.text().as_str()), ("c.toy", "xa\n"));
    wait_for_method(&mut ide, "workspace/didRenameFiles").await;
    assert_eq!(names(&ide, "workspace/didRenameFiles", "files", "newUri"), ["c.toy"]);
    // The open text goes on at the servers under its new name.
    poll(&mut ide, |log| std::fs::read_to_string(log).unwrap().matches("textDocument/didOpen").count() == 2)
        .await;
    assert!(sent(&ide, "textDocument/didOpen")["textDocument"]["uri"].as_str().unwrap().ends_with("/c.toy"));
    assert!(methods(&ide).contains(&"textDocument/didClose".to_string()));
    ide.keys("Alt-, s u").await;
    ide.headless.idle().await;
    assert_eq!((ide.file_text("a.toy").as_str(), ide.file_text("b.toy").as_str()), ("a\n", "use a\n"));
    assert_eq!((ide.current_file_name().as_str(), ide.text().as_str()), ("a.toy", "xa\n"));
}

#[tokio::test]
async fn tree_undo_takes_back_a_rename_with_edits_of_the_server_as_one_step() {
    let edit = json!({ "changes": { "$ROOT/b.toy": [replace((0, 4), (0, 5), "c")] } });
    let script = json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": edit } });
    let mut ide = trusted(project("a\n", &script).file("b.toy", "use a\n").size(80, 24)).await;
    for undo in ["Alt-1 u", "Alt-, s u"] {
        move_to(&mut ide, "c.toy").await;
        ide.wait_for_text("Rename a.toy to c.toy: change 1 place in 1 file").await;
        ide.advance(Duration::from_secs(2));
        ide.keys("y").await;
        wait_for_message(&mut ide, "Changed 1 place in 1 file, 1 file operation").await;
        ide.keys(undo).await;
        wait_for_message(&mut ide, "Undone in 1 file").await;
        assert_eq!((ide.file_text("a.toy").as_str(), ide.file_text("b.toy").as_str()), ("a\n", "use a\n"));
        assert!(!ide.path("c.toy").exists());
        // Neither of the two has it any more.
        ide.keys("Alt-1 u").await;
        assert_eq!(ide.status_message(), "No file operation to undo");
        ide.keys("Alt-, s u").await;
        assert_eq!(ide.status_message(), "No applied results to undo");
    }
}

#[tokio::test]
async fn tree_rename_saves_open_files_that_were_saved_before_and_so_does_its_undo() {
    let edit = json!({ "changes": {
        "$ROOT/b.toy": [replace((0, 4), (0, 5), "c")], "$ROOT/d.toy": [replace((0, 4), (0, 5), "c")],
    } });
    let script = json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": edit } });
    let setup = project("a\n", &script).with("b.toy", "use a\n").with("d.toy", "use a\n").size(80, 24);
    let mut ide = trusted(setup).await;
    while ide.current_file_name() != "d.toy" {
        ide.state().buffers.cycle(1);
    }
    ide.keys("Ctrl-End").await;
    ide.type_in("x").await;
    ide.keys("Alt-1 Home").await;
    move_to(&mut ide, "c.toy").await;
    ide.wait_for_text("b.toy: 1 place (open, is saved)").await;
    assert!(ide.picture().contains("d.toy: 1 place (open, stays unsaved)"), "{}", ide.picture());
    ide.advance(Duration::from_secs(2));
    ide.keys("y").await;
    wait_for_message(&mut ide, "Changed 2 places in 2 files, 1 file operation. Undo all of it: ").await;
    assert_eq!((ide.file_text("b.toy").as_str(), ide.file_text("d.toy").as_str()), ("use c\n", "use a\n"));
    assert_eq!(ide.text(), "use c\nx");
    ide.keys("Alt-1 u").await;
    wait_for_message(&mut ide, "Undone in 2 files").await;
    assert_eq!((ide.file_text("b.toy").as_str(), ide.file_text("d.toy").as_str()), ("use a\n", "use a\n"));
    assert_eq!(ide.text(), "use a\nx");
    assert!(ide.path("a.toy").exists() && !ide.path("c.toy").exists());
    let unsaved: Vec<String> = ide.state().buffers.unsaved().map(Buffer::name).collect();
    assert_eq!(unsaved, ["d.toy"]);
}

#[tokio::test]
async fn tree_undo_while_another_undo_runs_keeps_the_step() {
    let script = json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": fifth("b.toy", "c") } });
    let mut ide = trusted(project("a\n", &script).file("b.toy", "use a\n").size(80, 24)).await;
    ide.keys("Alt-1 Home").await;
    for (path, answer, done) in
        [("c.toy", "w", "Done: moved to c.toy"), ("d.toy", "y", "Changed 1 place in 1 file")]
    {
        move_to(&mut ide, path).await;
        ide.wait_for_text(&format!("to {path}: change 1 place")).await;
        ide.advance(Duration::from_secs(2));
        ide.keys(answer).await;
        wait_for_message(&mut ide, done).await;
    }
    ide.keys("Alt-1").await;
    ide.headless.press("u");
    // The first undo reads the files that it changes.
    for keys in ["u", "d"] {
        ide.headless.press(keys);
        assert_eq!(ide.status_message(), "File changes are running already", "{keys}");
    }
    wait_for_message(&mut ide, "Undone in 1 file").await;
    assert!(ide.path("c.toy").exists() && !ide.path("d.toy").exists());
    assert_eq!(ide.file_text("b.toy"), "use a\n");
    ide.keys("u").await;
    wait_for_message(&mut ide, "Undone: moved to a.toy").await;
    assert!(ide.path("a.toy").exists() && !ide.path("c.toy").exists());
}

#[tokio::test]
async fn tree_rename_saves_open_files_as_they_are_so_that_its_undo_fits() {
    let mut offered = operating();
    offered["documentFormattingProvider"] = json!(true);
    let answers = json!({
        "workspace/willRenameFiles": fifth("b.toy", "c"),
        "textDocument/formatting": [replace((0, 0), (0, 0), "// ")],
    });
    let setup = project("a\n", &json!({ "capabilities": offered, "answers": answers }));
    // Not tidy: there is a space at its end.
    let setup =
        setup.with("b.toy", "use a \n").file(".editorconfig", "[*]\ntrim_trailing_whitespace = true\n");
    let mut ide = trusted(setup.config_file("settings.toml", "format-on-save = true\n").size(80, 24)).await;
    ide.keys("Alt-1 End Up").await;
    let first = ide.path("a.toy");
    while ide.state().files.current().unwrap().path != first {
        ide.keys("Up").await;
    }
    move_to(&mut ide, "c.toy").await;
    ide.wait_for_text("b.toy: 1 place (open, is saved)").await;
    ide.advance(Duration::from_secs(2));
    ide.keys("y").await;
    wait_for_message(&mut ide, "Changed 1 place in 1 file, 1 file operation. Undo all of it: ").await;
    assert_eq!(ide.file_text("b.toy"), "use c \n");
    ide.keys("Alt-1 u").await;
    wait_for_message(&mut ide, "Undone in 1 file").await;
    assert_eq!(ide.file_text("b.toy"), "use a \n");
    assert!(ide.path("a.toy").exists() && !ide.path("c.toy").exists());
    assert!(!methods(&ide).contains(&"textDocument/formatting".to_string()));
}

#[tokio::test]
async fn tree_undo_of_a_part_saves_the_open_files_that_it_undoes() {
    let edit = json!({ "changes": {
        "$ROOT/b.toy": [replace((0, 4), (0, 5), "c")], "$ROOT/d.toy": [replace((0, 4), (0, 5), "c")],
    } });
    let script = json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": edit } });
    let setup = project("a\n", &script).with("b.toy", "use a\n").file("d.toy", "use a\n").size(80, 24);
    let mut ide = trusted(setup).await;
    ide.keys("Alt-1 Home").await;
    move_to(&mut ide, "c.toy").await;
    ide.wait_for_text("b.toy: 1 place (open, is saved)").await;
    ide.advance(Duration::from_secs(2));
    ide.keys("y").await;
    wait_for_message(&mut ide, "Changed 2 places in 2 files, 1 file operation").await;
    ide.write_file("d.toy", "other\n");
    ide.keys("Alt-1 u").await;
    ide.wait_for_text("Unchanged").await;
    ide.headless.idle().await;
    assert_eq!((ide.file_text("b.toy").as_str(), ide.file_text("d.toy").as_str()), ("use a\n", "other\n"));
    assert_eq!(ide.state().buffers.unsaved().count(), 0);
    // The rest of the step is tried again once that is possible.
    ide.write_file("d.toy", "use c\n");
    ide.keys("Escape Alt-1 u").await;
    wait_for_message(&mut ide, "Undone in 1 file").await;
    assert_eq!(ide.file_text("d.toy"), "use a\n");
    assert!(ide.path("a.toy").exists() && !ide.path("c.toy").exists());
}

#[tokio::test]
async fn tree_undo_whose_move_back_fails_is_tried_once_more() {
    for is_free_then in [true, false] {
        let script = json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": fifth("b.toy", "c") } });
        let mut ide = trusted(project("a\n", &script).file("b.toy", "use a\n").size(80, 24)).await;
        ide.keys("Alt-1 Home").await;
        move_to(&mut ide, "c.toy").await;
        ide.wait_for_text("to c.toy: change 1 place").await;
        ide.advance(Duration::from_secs(2));
        ide.keys("y").await;
        wait_for_message(&mut ide, "Changed 1 place in 1 file").await;
        ide.write_file("a.toy", "another\n");
        ide.keys("Alt-1 u").await;
        wait_for_message(&mut ide, "Not undone: a.toy: ").await;
        assert!(!ide.status_message().contains("skipped"), "{}", ide.status_message());
        assert_eq!(
            (ide.file_text("a.toy").as_str(), ide.file_text("b.toy").as_str()),
            ("another\n", "use c\n"),
            "nothing is undone before all of it can be"
        );
        if is_free_then {
            std::fs::remove_file(ide.path("a.toy")).unwrap();
            ide.keys("u").await;
            wait_for_message(&mut ide, "Undone in 1 file").await;
            assert_eq!(
                (ide.file_text("a.toy").as_str(), ide.file_text("b.toy").as_str()),
                ("a\n", "use a\n")
            );
            assert!(!ide.path("c.toy").exists());
        } else {
            // A second failure must not block the steps before.
            ide.keys("u").await;
            ide.wait_for("the end", |state: &State| state.status.message.ends_with("; step skipped")).await;
            assert_eq!(
                (ide.file_text("c.toy").as_str(), ide.file_text("b.toy").as_str()),
                ("a\n", "use a\n")
            );
        }
        ide.keys("u").await;
        assert_eq!(ide.status_message(), "No file operation to undo");
    }
}

#[tokio::test]
async fn tree_undo_after_a_task_panic_is_tried_again() {
    let script = json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": fifth("b.toy", "c") } });
    let is_undone = |ide: &TestIde| {
        let there = ["a.toy", "new/c.toy"].map(|name| ide.path(name).exists());
        there == [true, false] && ide.file_text("b.toy") == "use a\n"
    };
    let mut struck = 0;
    for nth in 1..20 {
        let mut ide = trusted(project("a\n", &script).file("b.toy", "use a\n").size(80, 24)).await;
        ide.keys("Alt-1 Home").await;
        move_to(&mut ide, "new/c.toy").await;
        ide.wait_for_text("to new/c.toy: change 1 place").await;
        ide.advance(Duration::from_secs(2));
        ide.keys("y").await;
        wait_for_message(&mut ide, "Changed 1 place in 1 file").await;
        ide.headless.app().tasks().panic_in_task(nth);
        ide.keys("Alt-1 u").await;
        if ide.headless.app().tasks().is_panic_pending() {
            break;
        }
        struck += 1;
        for _ in 0..3 {
            if !is_undone(&ide) {
                ide.keys("Escape Alt-1 u").await;
            }
        }
        assert!(is_undone(&ide), "task {nth}: {}", ide.status_message());
        ide.keys("Escape Alt-1 u").await;
        assert_eq!(ide.status_message(), "No file operation to undo", "task {nth}");
    }
    assert!((3..19).contains(&struck), "check, texts and operations: {struck}");
}

/// The edit of `path` that puts a letter in place of the fifth one.
fn fifth(path: &str, letter: &str) -> Value {
    json!({ "changes": { format!("$ROOT/{path}"): [replace((0, 4), (0, 5), letter)] } })
}

#[tokio::test]
async fn tree_rename_applies_the_edits_of_all_servers_that_fit_together() {
    for (second, places, b, d, left_out) in [
        (fifth("d.toy", "c"), "2 places in 2 files", "use c\n", "use c\n", None),
        (fifth("b.toy", "c"), "1 place in 1 file", "use c\n", "use a\n", None),
        (
            fifth("b.toy", "z"),
            "1 place in 1 file",
            "use c\n",
            "use a\n",
            Some("edits overlap in line 1: b.toy"),
        ),
        (fifth("none.toy", "z"), "1 place in 1 file", "use c\n", "use a\n", Some("none.toy")),
    ] {
        let answering = |edit: &Value| json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": edit } });
        let setup = project_of_two("a\n", &answering(&fifth("b.toy", "c")), &answering(&second));
        let setup = setup.file("b.toy", "use a\n").file("d.toy", "use a\n").size(100, 24);
        let mut ide = trusted(setup).await;
        let all_run = |state: &State| {
            let servers = &state.slots[LANGUAGE_SERVERS].servers;
            servers.len() == 2 && servers.iter().all(|server| server.offers("workspace/willRenameFiles"))
        };
        ide.wait_for("both servers", all_run).await;
        move_to(&mut ide, "c.toy").await;
        ide.wait_for_text(&format!("change {places}, 1 file operation?")).await;
        let shown = ide.picture();
        assert_eq!(shown.contains("The edits of other are left out: "), left_out.is_some(), "{shown}");
        assert!(shown.contains(left_out.unwrap_or_default()), "{shown}");
        ide.advance(Duration::from_secs(2));
        ide.keys("y").await;
        wait_for_message(&mut ide, "Changed ").await;
        assert_eq!((ide.file_text("b.toy").as_str(), ide.file_text("d.toy").as_str()), (b, d));
    }
}

#[tokio::test]
async fn text_saved_as_a_new_file_is_heard_by_servers_as_created() {
    let mut ide =
        trusted(project("a\n", &json!({ "capabilities": operating() })).file("old.toy", "o\n")).await;
    for (name, is_created) in [("new.toy", true), ("old.toy", false)] {
        ide.keys("Alt-x").await;
        ide.type_in("file.save-as").await;
        ide.keys("Enter End Ctrl-u").await;
        ide.type_in(name).await;
        ide.keys("Enter").await;
        if !is_created {
            ide.wait_for_text("exists already").await;
            ide.keys("o").await;
        }
        wait_for_message(&mut ide, &format!("Saved {name}")).await;
        wait_for_method(&mut ide, "workspace/didCreateFiles").await;
    }
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    wait_for_message(&mut ide, "Saved old.toy").await;
    wait_for_method(&mut ide, "textDocument/didSave").await;
    let created = methods(&ide).iter().filter(|method| *method == "workspace/didCreateFiles").count();
    assert_eq!(created, 1, "neither a file that was there nor one that is saved again");
    assert_eq!(names(&ide, "workspace/didCreateFiles", "files", "uri"), ["new.toy"]);
}

#[tokio::test]
async fn tree_rename_can_be_done_without_the_edits_or_not_at_all() {
    let edit = json!({ "changes": { "$ROOT/b.toy": [replace((0, 4), (0, 5), "c")] } });
    let script = json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": edit } });
    let mut ide = trusted(project("a\n", &script).file("b.toy", "use a\n").size(80, 24)).await;
    move_to(&mut ide, "c.toy").await;
    ide.wait_for_text("Rename a.toy to c.toy: change").await;
    ide.advance(Duration::from_secs(2));
    ide.keys("n").await;
    assert!(ide.path("a.toy").exists() && !ide.path("c.toy").exists());
    move_to(&mut ide, "c.toy").await;
    ide.wait_for_text("Rename a.toy to c.toy: change").await;
    ide.advance(Duration::from_secs(2));
    ide.keys("w").await;
    wait_for_message(&mut ide, "Done: moved to c.toy").await;
    assert_eq!((ide.file_text("c.toy").as_str(), ide.file_text("b.toy").as_str()), ("a\n", "use a\n"));
}

#[tokio::test]
async fn tree_rename_with_an_edit_that_is_refused_is_done_without_it() {
    let edit = json!({ "changes": { "$ROOT/none.toy": [replace((0, 4), (0, 5), "c")] } });
    let script = json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": edit } });
    let mut ide = trusted(project("a\n", &script)).await;
    move_to(&mut ide, "c.toy").await;
    wait_for_message(
        &mut ide,
        "Done: moved to c.toy. Undo: u in the tree. The edits of toy are left out: none.toy",
    )
    .await;
    assert!(ide.path("c.toy").exists());
}

#[tokio::test]
async fn tree_rename_does_not_wait_longer_than_the_limit() {
    let script =
        json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": { "never": true } } });
    let mut ide = trusted(project("a\n", &script)).await;
    move_to(&mut ide, "c.toy").await;
    assert!(ide.path("a.toy").exists());
    ide.advance(Duration::from_millis(2_001));
    wait_for_message(&mut ide, "Done: moved to c.toy. Undo: u in the tree. toy: no answer within 2 s").await;
    assert!(ide.path("c.toy").exists());
    wait_for_method(&mut ide, "workspace/didRenameFiles").await;
}

#[tokio::test]
async fn tree_create_and_delete_are_heard_by_servers_that_want_to() {
    let answers = json!({ "workspace/willCreateFiles": null, "workspace/willDeleteFiles": null });
    let script = json!({ "capabilities": operating(), "answers": answers });
    let mut ide = trusted(project("a\n", &script).file("old/x.toy", "x\n")).await;
    ide.keys("Alt-1 a Ctrl-u").await;
    ide.type_in("new.toy").await;
    ide.headless.press("Enter");
    wait_for_method(&mut ide, "workspace/didCreateFiles").await;
    wait_for_message(&mut ide, "Done: created new.toy").await;
    assert_eq!(ide.current_file_name(), "new.toy");
    assert_eq!(names(&ide, "workspace/willCreateFiles", "files", "uri"), ["new.toy"]);
    assert_eq!(names(&ide, "workspace/didCreateFiles", "files", "uri"), ["new.toy"]);
    // A folder, with what is in it.
    ide.keys("Alt-1 Home d y").await;
    wait_for_method(&mut ide, "workspace/didDeleteFiles").await;
    assert_eq!(names(&ide, "workspace/willDeleteFiles", "files", "uri"), ["old"]);
    assert_eq!(names(&ide, "workspace/didDeleteFiles", "files", "uri"), ["old"]);
    // What is not meant by a pattern is done without a word to the server.
    let before = methods(&ide).len();
    ide.keys("a Ctrl-u").await;
    ide.type_in("notes.md").await;
    ide.keys("Enter").await;
    wait_for_message(&mut ide, "Done: created notes.md").await;
    assert!(!methods(&ide)[before..].iter().any(|method| method.contains("Files")), "{:?}", methods(&ide));
}

#[tokio::test]
async fn tree_delete_with_edits_of_the_server_is_one_step() {
    let edit = json!({ "changes": { "$ROOT/b.toy": [replace((0, 0), (0, 5), "")] } });
    let script = json!({ "capabilities": operating(), "answers": { "workspace/willDeleteFiles": edit } });
    let mut ide = trusted(project("a\n", &script).file("b.toy", "use a\n").size(80, 24)).await;
    ide.keys("Alt-1 Home").await;
    ide.headless.press("d");
    ide.wait_for_text("Delete a.toy: change 1 place in 1 file").await;
    ide.advance(Duration::from_secs(2));
    ide.keys("y").await;
    wait_for_message(&mut ide, "Changed 1 place in 1 file, 1 file operation").await;
    assert!(!ide.path("a.toy").exists());
    assert_eq!(ide.file_text("b.toy"), "\n");
    ide.keys("Alt-, s u").await;
    ide.headless.idle().await;
    assert_eq!((ide.file_text("a.toy").as_str(), ide.file_text("b.toy").as_str()), ("a\n", "use a\n"));
}

#[tokio::test]
async fn moved_folder_opens_its_texts_at_the_servers_under_their_new_names() {
    let mut ide =
        trusted(project("a\n", &json!({ "capabilities": operating() })).with("lib/b.toy", "b\n")).await;
    poll(&mut ide, |log| std::fs::read_to_string(log).unwrap().contains("lib/b.toy")).await;
    ide.keys("Alt-1 Home").await;
    move_to(&mut ide, "code").await;
    poll(&mut ide, |log| std::fs::read_to_string(log).unwrap().contains("code/b.toy")).await;
    assert!(
        sent(&ide, "textDocument/didOpen")["textDocument"]["uri"].as_str().unwrap().ends_with("code/b.toy")
    );
    assert!(
        sent(&ide, "textDocument/didClose")["textDocument"]["uri"].as_str().unwrap().ends_with("lib/b.toy")
    );
}

#[tokio::test]
async fn server_that_wants_to_edit_before_a_save_does_as_one_undo_step() {
    let mut offered = capabilities();
    offered["textDocumentSync"]["willSave"] = json!(true);
    offered["textDocumentSync"]["willSaveWaitUntil"] = json!(true);
    let answers = json!({ "textDocument/willSaveWaitUntil": [replace((0, 0), (0, 0), "// ")] });
    let mut ide = trusted(project("one\n", &json!({ "capabilities": offered, "answers": answers }))).await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    wait_for_message(&mut ide, "Saved a.toy").await;
    assert_eq!((ide.text().as_str(), ide.file_text("a.toy").as_str()), ("// xone\n", "// xone\n"));
    wait_for_method(&mut ide, "textDocument/didSave").await;
    assert_eq!(sent(&ide, "textDocument/willSave")["reason"], 1);
    let order = methods(&ide);
    let at = |method: &str| order.iter().position(|sent| sent == method).expect(method);
    assert!(at("textDocument/willSave") < at("textDocument/willSaveWaitUntil"), "{order:?}");
    assert!(at("textDocument/willSaveWaitUntil") < at("textDocument/didSave"), "{order:?}");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "xone\n", "one undo step");
    ide.headless.idle().await;
    poll(&mut ide, |log| std::fs::read_to_string(log.with_extension("text")).is_ok()).await;
    assert!(!server_text(&ide).is_empty());
}

#[tokio::test]
async fn server_that_takes_too_long_before_a_save_is_not_waited_for() {
    let mut offered = capabilities();
    offered["textDocumentSync"]["willSaveWaitUntil"] = json!(true);
    let answers = json!({ "textDocument/willSaveWaitUntil": { "never": true } });
    let mut ide = trusted(project("one\n", &json!({ "capabilities": offered, "answers": answers }))).await;
    ide.type_in("x").await;
    ide.headless.press("Ctrl-s");
    assert_eq!(ide.file_text("a.toy"), "one\n");
    ide.advance(Duration::from_millis(1_001));
    wait_for_message(&mut ide, "Saved a.toy without the edits of its server. toy: no answer within 1 s")
        .await;
    assert_eq!(ide.file_text("a.toy"), "xone\n");
    assert!(!methods(&ide).contains(&"textDocument/willSave".to_string()), "what it does not offer");
}

#[tokio::test]
async fn watched_files_are_sent_as_created_changed_and_deleted() {
    let mut ide =
        trusted(project("one\n", &watching(&json!({}))).file("b.list", "b\n").file("lib/c.toy", "c\n")).await;
    wait_for_registration(&mut ide).await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    wait_for_change(&mut ide, 2, "a.toy").await;
    ide.keys("Alt-1 End d").await;
    wait_for_change(&mut ide, 3, "b.list").await;
    // What is in a folder that is moved is new at the new path.
    ide.keys("Home").await;
    move_to(&mut ide, "code").await;
    wait_for_change(&mut ide, 1, "code/c.toy").await;
    // And it is gone from the old one, as it is where the folder is deleted.
    wait_for_change(&mut ide, 3, "lib/c.toy").await;
    ide.keys("Alt-1 Home d y").await;
    wait_for_change(&mut ide, 3, "code/c.toy").await;
    let all = heard_changes(&ide);
    assert!(
        !all.iter().any(|(_, name)| name == "code" || name == "lib"),
        "no pattern means folders: {all:?}"
    );
}

#[tokio::test]
async fn watched_files_that_the_agent_or_another_program_changes_are_sent() {
    let write = |path: &str| Turn::call("c1", "write", json!({ "path": path, "content": "new\n" }));
    let turns = [write("new.toy"), Turn::text("all done")];
    let setup = project("one\n", &watching(&json!({}))).turns(turns).policy(Mode::Full);
    let mut ide = trusted(setup).await;
    wait_for_registration(&mut ide).await;
    ide.send_prompt("write").await;
    wait_for_end(&mut ide).await;
    wait_for_change(&mut ide, 1, "new.toy").await;
    ide.write_file("a.toy", "two\n");
    ide.focus_window().await;
    wait_for_change(&mut ide, 2, "a.toy").await;
    // Also of files that are not open, in folders that are new.
    ide.wait_for("the watch", |state| state.slots[LANGUAGE_SERVERS].tree_watch.is_some()).await;
    ide.headless.idle().await;
    ide.write_file("other.toy", "new\n");
    wait_for_change_on_disk(&mut ide, 1, "other.toy").await;
    std::fs::create_dir(ide.path("fresh")).unwrap();
    ide.write_file("fresh/deep.toy", "new\n");
    wait_for_change_on_disk(&mut ide, 1, "deep.toy").await;
}

#[tokio::test]
async fn watched_files_that_other_programs_change_are_sent_after_a_pause() {
    let mut ide = trusted(project("one\n", &watching(&json!({})))).await;
    wait_for_registration(&mut ide).await;
    ide.wait_for("the watch", |state| state.slots[LANGUAGE_SERVERS].tree_watch.is_some()).await;
    ide.headless.idle().await;
    ide.write_file("other.toy", "new\n");
    ide.wait_for("a change", |state| watched_files::deadline(state).is_some()).await;
    ide.headless.idle().await;
    assert_eq!(heard_changes(&ide), [], "more may follow");
    ide.advance(watched_files::PAUSE);
    wait_for_change(&mut ide, 1, "other.toy").await;
}

#[tokio::test]
async fn watched_files_of_a_folder_that_the_agent_moves_are_sent() {
    let question = json!({ "action": "rename_file", "file": "lib", "new_name": "code" });
    let turns = [Turn::call("c1", "lsp", question), Turn::text("all done")];
    let setup = project("one\n", &watching(&json!({}))).file("lib/c.toy", "c\n");
    let mut ide = trusted(setup.turns(turns).tools(&["lsp"]).policy(Mode::Full)).await;
    wait_for_registration(&mut ide).await;
    ide.send_prompt("move it").await;
    wait_for_end(&mut ide).await;
    wait_for_change(&mut ide, 3, "lib/c.toy").await;
    wait_for_change(&mut ide, 1, "code/c.toy").await;
}

#[tokio::test]
async fn watched_files_of_a_folder_that_another_program_moves_are_sent_one_by_one() {
    let setup =
        project("one\n", &watching(&json!({}))).file("lib/deep/c.toy", "c\n").file("lib/d.toy", "d\n");
    let mut ide = trusted(setup).await;
    wait_for_registration(&mut ide).await;
    ide.wait_for("the watch", |state| state.slots[LANGUAGE_SERVERS].tree_watch.is_some()).await;
    ide.headless.idle().await;
    std::fs::rename(ide.path("lib"), ide.path("code")).unwrap();
    for name in ["lib/deep/c.toy", "lib/d.toy"] {
        wait_for_change_on_disk(&mut ide, 3, name).await;
    }
    for name in ["code/deep/c.toy", "code/d.toy"] {
        wait_for_change_on_disk(&mut ide, 1, name).await;
    }
}

#[tokio::test]
async fn watched_files_of_a_folder_that_is_moved_and_made_again_are_gone() {
    let mut ide = trusted(project("one\n", &watching(&json!({}))).file("lib/d.toy", "d\n")).await;
    wait_for_registration(&mut ide).await;
    ide.wait_for("the watch", |state| state.slots[LANGUAGE_SERVERS].tree_watch.is_some()).await;
    ide.headless.idle().await;
    std::fs::rename(ide.path("lib"), ide.path("code")).unwrap();
    std::fs::create_dir(ide.path("lib")).unwrap();
    wait_for_change_on_disk(&mut ide, 3, "lib/d.toy").await;
    wait_for_change_on_disk(&mut ide, 1, "code/d.toy").await;
}

#[tokio::test]
async fn agent_move_waits_for_no_other_job_on_files_and_is_refused() {
    let mut ide = trusted(project("one\n", &watching(&json!({})))).await;
    let (env, mut events) = environment(&ide);
    let (from, to) = (ide.path("a.toy"), ide.path("b.toy"));
    ide.state().slots[FILE_JOBS].is_tree_running = true;
    let moved = serve(&mut ide, &mut events, env.rename(&from, &to, false), |_| {}).await;
    assert!(matches!(&moved, Err(EnvError::Refused(reason)) if reason.contains("try again")), "{moved:?}");
    assert!(from.exists() && !to.exists());
    ide.state().slots[FILE_JOBS].is_tree_running = false;
    let mut was_busy = false;
    let watch = |ide: &mut TestIde| was_busy |= ide.state().slots[FILE_JOBS].is_busy();
    serve(&mut ide, &mut events, env.rename(&from, &to, false), watch).await.unwrap();
    assert!(was_busy && !ide.state().slots[FILE_JOBS].is_busy(), "other jobs wait for the agent's");
    assert_eq!((ide.current_file_name().as_str(), from.exists()), ("b.toy", false));
}

#[tokio::test]
async fn agent_that_moves_an_open_file_keeps_its_unsaved_text_history_and_mode() {
    let question = json!({ "action": "rename_file", "file": "a.toy", "new_name": "lib/c.toy" });
    let turns = [Turn::call("c1", "lsp", question), Turn::text("all done")];
    let script = json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": null } });
    let setup = project("one\n", &script).turns(turns).tools(&["lsp"]).policy(Mode::Full);
    let file = setup.workspace_dir().join("a.toy");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut ide = trusted(setup).await;
    ide.type_in("x").await;
    ide.send_prompt("move it").await;
    wait_for_end(&mut ide).await;
    assert!(!ide.path("a.toy").exists());
    assert_eq!(ide.current_file_name(), "c.toy");
    assert_eq!((ide.text().as_str(), ide.file_text("lib/c.toy").as_str()), ("xone\n", "one\n"));
    let mode = std::fs::metadata(ide.path("lib/c.toy")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    ide.keys("Alt-2 Ctrl-z").await;
    assert_eq!(ide.text(), "one\n", "its history is that of before");
    ide.type_in("y").await;
    ide.keys("Ctrl-s").await;
    wait_for_message(&mut ide, "Saved c.toy").await;
    assert!(ide.file_text("lib/c.toy").contains('y') && !ide.path("a.toy").exists());
}

#[tokio::test]
async fn agent_move_is_undone_by_a_restore() {
    let question = json!({ "action": "rename_file", "file": "a.toy", "new_name": "c.toy" });
    let turns = [Turn::call("c1", "lsp", question), Turn::text("all done")];
    let script = json!({ "capabilities": operating(), "answers": { "workspace/willRenameFiles": null } });
    let setup = project("one\n", &script).turns(turns).tools(&["lsp"]).policy(Mode::Full).checkpoints();
    let mut ide = trusted(setup).await;
    ide.send_prompt("move it").await;
    wait_for_end(&mut ide).await;
    assert!(ide.path("c.toy").exists() && !ide.path("a.toy").exists());
    ide.keys("Alt-x").await;
    ide.type_in("session.undo-turn").await;
    ide.keys("Enter").await;
    ide.wait_for_text("Undo file changes of turn").await;
    ide.keys("Enter").await;
    ide.wait_for_text("Restored").await;
    assert_eq!(ide.file_text("a.toy"), "one\n");
}
