//! What happens to a text when it is saved or typed: programs that format, code actions on save, formatting on type and
//! linked names. The server is a script that does what each test wants.

use std::time::Duration;

use bowline::ide::features::language_servers::state::LANGUAGE_SERVERS;
use serde_json::{Value, json};

use crate::support::language_server::{
    capabilities, methods, project, project_with, range, sent, settle_until_sent, trust, trusted,
    wait_for_method,
};
use crate::support::test_ide::{IdeSetup, TestIde};

/// A program that writes everything in capital letters.
const CAPITALS: &str = "formatter = { command = \"tr\", args = [\"a-z\", \"A-Z\"] }\n";

fn script(more: &[(&str, Value)], answers: &Value) -> Value {
    let mut all = capabilities();
    for (name, options) in more {
        all[*name] = options.clone();
    }
    json!({ "capabilities": all, "answers": answers })
}

fn formatting(answer: &Value) -> Value {
    script(&[("documentFormattingProvider", json!(true))], &json!({ "textDocument/formatting": answer }))
}

fn edit(from: (u32, u32), to: (u32, u32), text: &str) -> Value {
    json!({ "range": range(from, to), "newText": text })
}

/// An edit of one file.
fn changes(path: &str, edits: &[Value]) -> Value {
    json!({ "documentChanges": [{ "textDocument": { "uri": format!("$ROOT/{path}"), "version": null }, "edits": edits }] })
}

async fn wait_for_message(ide: &mut TestIde, begin: &str) {
    let begin = begin.to_string();
    ide.wait_for(&begin, |state| state.status.message.starts_with(&begin)).await;
    ide.headless.idle().await;
}

/// A project whose language has a program that formats, and no server.
fn without_server(text: &str, keys: &str) -> IdeSetup {
    let table = format!("[[language]]\nname = \"toy\"\nfile-types = [\"toy\"]\nroots = []\n{keys}\n");
    IdeSetup::new().with("a.toy", text).language_servers().config_file("servers.toml", &table)
}

/// Starts it, waits until the table is read, and trusts the folder when its formatter asks for that.
async fn start_trusted(setup: IdeSetup) -> TestIde {
    let mut ide = setup.start().await;
    wait_for_table(&mut ide).await;
    ide.keys("Alt-, k f").await;
    trust(&mut ide).await;
    wait_for_message(&mut ide, "Project is trusted").await;
    ide
}

/// Waits until the table is read.
async fn wait_for_table(ide: &mut TestIde) {
    ide.wait_for("the table", |state| state.slots[LANGUAGE_SERVERS].table.is_some()).await;
    ide.headless.idle().await;
}

#[tokio::test]
async fn formatter_goes_before_the_server_and_keeps_the_caret() {
    let never = formatting(&json!({ "never": true }));
    let mut ide = trusted(project_with("one\r\ntwo three\r\n", &never, CAPITALS)).await;
    ide.keys("Down Right Right Right Right Alt-, k f").await;
    wait_for_message(&mut ide, "Formatted").await;
    assert_eq!((ide.text().as_str(), ide.cursor()), ("ONE\r\nTWO THREE\r\n", (2, 5)));
    assert!(!methods(&ide).contains(&"textDocument/formatting".to_string()));
    ide.keys("Alt-, k f").await;
    wait_for_message(&mut ide, "Formatted already").await;
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "one\r\ntwo three\r\n", "one step");
}

#[tokio::test]
async fn formatter_that_is_not_installed_leaves_it_to_the_server() {
    let absent = "formatter = { command = \"no-such-program-here\" }\n";
    let server = formatting(&json!([edit((0, 0), (0, 2), "")]));
    let mut ide = trusted(project_with("  one\n", &server, absent)).await;
    ide.keys("Alt-, k f").await;
    wait_for_message(&mut ide, "no-such-program-here is not installed; toy has formatted").await;
    assert_eq!(ide.text(), "one\n");
    ide.keys("Home").await;
    ide.type_in("  ").await;
    ide.keys("Alt-, k f").await;
    wait_for_message(&mut ide, "Formatted").await;
    assert_eq!(ide.text(), "one\n", "said once");
    let mut ide = without_server("one\n", absent).start().await;
    wait_for_table(&mut ide).await;
    ide.keys("Alt-, k f").await;
    wait_for_message(&mut ide, "Not formatted: no-such-program-here is not installed").await;
}

#[tokio::test]
async fn formatter_that_is_not_installed_is_named_once_on_save() {
    let absent = "auto-format = true\nformatter = { command = \"no-such-program-here\" }\n";
    let server = formatting(&json!([edit((0, 0), (0, 1), "")]));
    let mut with_server = trusted(project_with("one\n", &server, absent)).await;
    let mut alone = without_server("one\n", absent).start().await;
    wait_for_table(&mut alone).await;
    for (ide, first, saved) in [
        (
            &mut with_server,
            "Saved a.toy. no-such-program-here is not installed; toy has formatted",
            ["one\n", "ne\n"],
        ),
        (&mut alone, "Saved a.toy unformatted. no-such-program-here is not installed", ["xone\n", "xxone\n"]),
    ] {
        ide.type_in("x").await;
        ide.keys("Ctrl-s").await;
        wait_for_message(ide, first).await;
        assert_eq!(ide.file_text("a.toy"), saved[0]);
        ide.keys("Home").await;
        if saved[1].starts_with('x') {
            ide.type_in("x").await;
        } else {
            ide.keys("End").await;
        }
        ide.keys("Ctrl-s").await;
        ide.headless.idle().await;
        wait_for_message(ide, "Saved a.toy").await;
        assert_eq!(
            (ide.status_message().as_str(), ide.file_text("a.toy").as_str()),
            ("Saved a.toy", saved[1])
        );
    }
}

#[tokio::test]
async fn formatter_of_the_user_needs_trust_but_no_server() {
    let mut ide = without_server("one\n", CAPITALS).start().await;
    wait_for_table(&mut ide).await;
    ide.keys("Alt-, k f").await;
    ide.wait_for_text("Trust this project?").await;
    assert_eq!(ide.text(), "one\n");
    trust(&mut ide).await;
    wait_for_message(&mut ide, "Project is trusted").await;
    ide.keys("Alt-, k f").await;
    wait_for_message(&mut ide, "Formatted").await;
    assert_eq!(ide.text(), "ONE\n");
}

#[tokio::test]
async fn formatter_of_the_project_runs_once_the_folder_is_trusted() {
    let setup = without_server("one\n", "");
    let table = setup.workspace_dir().join(".bowline/servers.toml");
    std::fs::create_dir_all(table.parent().unwrap()).unwrap();
    std::fs::write(&table, format!("[[language]]\nname = \"toy\"\nauto-format = true\n{CAPITALS}")).unwrap();
    let mut ide = setup.start().await;
    wait_for_table(&mut ide).await;
    ide.keys("Alt-, k f").await;
    wait_for_message(&mut ide, "Formatting needs a trusted folder. Trust it: ").await;
    ide.wait_for_text("Trust this project?").await;
    let shown = ide.picture();
    assert!(shown.contains("Formatters run settings and plugins") && shown.contains("tr a-z A-Z"), "{shown}");
    assert!(!shown.contains("Language servers run"), "{shown}");
    assert_eq!(ide.text(), "one\n");
    trust(&mut ide).await;
    wait_for_message(&mut ide, "Project is trusted").await;
    ide.keys("Alt-, k f").await;
    wait_for_message(&mut ide, "Formatted").await;
    assert_eq!(ide.text(), "ONE\n");
}

#[tokio::test]
async fn format_on_save_is_decided_by_the_language_before_the_setting() {
    for (setting, auto, expected) in [("false", "true", "XONE\n"), ("true", "false", "xone\n")] {
        let keys = format!("{CAPITALS}auto-format = {auto}\n");
        let setting = format!("format-on-save = {setting}\n");
        let setup = without_server("one\n", &keys).config_file("settings.toml", &setting);
        let mut ide = start_trusted(setup).await;
        ide.type_in("x").await;
        ide.keys("Ctrl-s").await;
        wait_for_message(&mut ide, "Saved a.toy").await;
        assert_eq!((ide.text().as_str(), ide.file_text("a.toy").as_str()), (expected, expected));
    }
}

#[tokio::test]
async fn formatter_that_fails_on_save_is_named_and_the_text_saved() {
    let failing = "auto-format = true\n\
        formatter = { command = \"sh\", args = [\"-c\", \"cat >/dev/null; echo bad >&2; exit 3\"] }\n";
    let mut ide = start_trusted(without_server("one\n", failing)).await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    wait_for_message(&mut ide, "Saved a.toy unformatted. sh: bad (exit 3)").await;
    assert_eq!(ide.file_text("a.toy"), "xone\n");
    let slow = "auto-format = true\nformatter = { command = \"sleep\", args = [\"100\"] }\n";
    let mut ide = start_trusted(without_server("one\n", slow)).await;
    ide.type_in("x").await;
    ide.headless.press("Ctrl-s");
    ide.advance(Duration::from_millis(1_001));
    wait_for_message(&mut ide, "Saved a.toy unformatted. sleep: no answer within 1 s").await;
    assert_eq!(ide.file_text("a.toy"), "xone\n");
}

/// A server with these code actions.
fn acting(actions: &Value, resolved: &Value) -> Value {
    let answers = json!({ "textDocument/codeAction": actions, "codeAction/resolve": resolved });
    script(&[("codeActionProvider", json!({ "resolveProvider": true }))], &answers)
}

#[tokio::test]
async fn code_actions_on_save_run_in_order_before_formatting() {
    let insert = |text: &str| changes("a.toy", &[edit((0, 0), (0, 0), text)]);
    let command = json!({ "title": "run", "command": "toy.run" });
    let kind = "source.organizeImports";
    let organized = json!({ "title": "o", "kind": kind, "edit": insert("o"), "command": command });
    let actions = json!([
        { "title": "fix", "kind": "source.fixAll.toy", "edit": insert("f") },
        { "title": "o", "kind": "source.organizeImports", "data": 1 },
        { "title": "quick", "kind": "quickfix", "edit": insert("q") },
    ]);
    let keys = "code-actions-on-save = [\"source.organizeImports\", \"source.fixAll\"]\nauto-format = true\n";
    let mut ide =
        trusted(project_with("one\n", &acting(&actions, &organized), &format!("{keys}{CAPITALS}"))).await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    wait_for_message(&mut ide, "Saved a.toy").await;
    assert_eq!((ide.text().as_str(), ide.file_text("a.toy").as_str()), ("FOXONE\n", "FOXONE\n"));
    let context = sent(&ide, "textDocument/codeAction")["context"].clone();
    assert_eq!((&context["only"], &context["triggerKind"]), (&json!(["source.fixAll"]), &json!(2)));
    assert!(!methods(&ide).contains(&"workspace/executeCommand".to_string()));
    let log = &ide.state().slots[LANGUAGE_SERVERS].servers[0].log;
    assert!(log.iter().any(|line| line.contains("the command of \"o\" is not run")), "{log:?}");
}

#[tokio::test]
async fn code_actions_on_save_change_no_other_files() {
    let other = changes("b.toy", &[edit((0, 0), (0, 0), "x")]);
    let actions = json!([{ "title": "o", "kind": "source.organizeImports", "edit": other }]);
    let keys = "code-actions-on-save = [\"source.organizeImports\"]\n";
    let setup = project_with("one\n", &acting(&actions, &Value::Null), keys).file("b.toy", "b\n");
    let mut ide = trusted(setup).await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    let refused = "Saved a.toy. toy: source.organizeImports on save wants to change other files";
    wait_for_message(&mut ide, refused).await;
    assert_eq!((ide.file_text("a.toy").as_str(), ide.file_text("b.toy").as_str()), ("xone\n", "b\n"));
    ide.type_in("y").await;
    ide.keys("Ctrl-s").await;
    ide.wait_for("said once", |state| state.status.message == "Saved a.toy").await;
    ide.headless.idle().await;
    assert_eq!(ide.file_text("a.toy"), "xyone\n");
}

/// A server that formats what is typed.
fn typing(answer: &Value) -> Value {
    let options = json!({ "firstTriggerCharacter": "}", "moreTriggerCharacter": ["\n"] });
    script(
        &[("documentOnTypeFormattingProvider", options)],
        &json!({ "textDocument/onTypeFormatting": answer }),
    )
}

const ON_TYPE: &str = "format-on-type = true\nauto-pairs = false\n";

#[tokio::test]
async fn format_on_type_formats_after_the_characters_of_the_server() {
    let unindent = json!([edit((0, 0), (0, 2), "")]);
    let mut ide = trusted(project("  a\n", &typing(&unindent)).config_file("settings.toml", ON_TYPE)).await;
    ide.keys("End").await;
    ide.type_in("b").await;
    assert!(!methods(&ide).contains(&"textDocument/onTypeFormatting".to_string()));
    ide.type_in("}").await;
    ide.wait_for("formatted", |state| state.buffers.current().unwrap().area.text().to_string() == "ab}\n")
        .await;
    assert_eq!(ide.cursor(), (1, 4));
    let asked = sent(&ide, "textDocument/onTypeFormatting");
    assert_eq!((&asked["ch"], &asked["position"]["character"]), (&json!("}"), &json!(5)));
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "  ab}\n", "a step of its own");
    ide.keys("Enter").await;
    settle_until_sent(&mut ide, "textDocument/onTypeFormatting", 2).await;
    assert_eq!(sent(&ide, "textDocument/onTypeFormatting")["ch"], "\n");
}

#[tokio::test]
async fn format_on_type_drops_an_answer_about_an_older_text() {
    let unindent = json!([edit((0, 0), (0, 2), "")]);
    let mut ide = trusted(project("  a\n", &typing(&unindent)).config_file("settings.toml", ON_TYPE)).await;
    ide.keys("End").await;
    ide.headless.press("}");
    ide.headless.press("x");
    wait_for_method(&mut ide, "textDocument/onTypeFormatting").await;
    ide.headless.idle().await;
    assert_eq!(ide.text(), "  a}x\n");
}

#[tokio::test]
async fn format_on_type_is_off_unless_the_user_wants_it() {
    let mut ide = trusted(project("  a\n", &typing(&json!([])))).await;
    ide.type_in("}").await;
    ide.keys("Ctrl-s").await;
    wait_for_method(&mut ide, "textDocument/didSave").await;
    assert!(!methods(&ide).contains(&"textDocument/onTypeFormatting".to_string()));
}

/// Lets the caret rest until names are linked.
async fn link(ide: &mut TestIde) {
    ide.headless.idle().await;
    ide.advance(Duration::from_millis(201));
    ide.wait_for("names are linked", |state| state.slots[LANGUAGE_SERVERS].linked.is_linked()).await;
}

#[tokio::test]
async fn linked_names_are_changed_together_in_one_undo_step() {
    let ranges = json!({ "ranges": [range((0, 1), (0, 3)), range((0, 6), (0, 8))] });
    let server = script(
        &[("linkedEditingRangeProvider", json!(true))],
        &json!({ "textDocument/linkedEditingRange": ranges }),
    );
    let setup = project("<ab></ab>\n", &server).config_file("settings.toml", "linked-editing = true\n");
    let mut ide = trusted(setup).await;
    ide.keys("Right Right").await;
    link(&mut ide).await;
    ide.type_in("xy").await;
    assert_eq!((ide.text().as_str(), ide.cursor()), ("<axyb></axyb>\n", (1, 5)));
    ide.keys("Backspace").await;
    assert_eq!(ide.text(), "<axb></axb>\n");
    while ide.text() != "<ab></ab>\n" {
        ide.keys("Ctrl-z").await;
        let text = ide.text();
        let (first, second) = text.trim().trim_matches(['<', '>']).split_once("></").unwrap();
        assert_eq!(first, second, "no step leaves them different");
    }
    // In the second one, and what is no name.
    ide.keys("Home Right Right Right Right Right Right Right").await;
    link(&mut ide).await;
    ide.type_in("z").await;
    assert_eq!((ide.text().as_str(), ide.cursor()), ("<azb></azb>\n", (1, 10)));
    ide.type_in(" ").await;
    assert_eq!(ide.text(), "<azb></az b>\n");
}
