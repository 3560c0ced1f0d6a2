//! Completions and signatures in the editor: from a server that does what each test wants, from the words of open files,
//! from paths and snippets.

use std::time::Duration;

use bowline::ide::core::keys::keymap::KeyContext;
use bowline::ide::core::state::State;
use bowline::ide::features::completion::state::COMPLETIONS;
use serde_json::{Value, json};

use crate::support::language_server::{poll, project, text_of, trusted};
use crate::support::test_ide::{IdeSetup, TestIde};

const VIM: &str = include_str!("../../keymaps/vim.toml");
const HELIX: &str = include_str!("../../keymaps/helix.toml");

fn capabilities() -> Value {
    json!({
        "textDocumentSync": { "openClose": true, "change": 2 },
        "completionProvider": { "triggerCharacters": ["."], "resolveProvider": true },
        "signatureHelpProvider": { "triggerCharacters": ["("], "retriggerCharacters": [","] },
    })
}

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } })
}

/// A project with a text, and a server with these completions.
fn with_items(text: &str, items: &Value) -> IdeSetup {
    let answers = json!({ "textDocument/completion": items,
        "completionItem/resolve": { "label": "x", "documentation": "All about *it*." } });
    project(text, &json!({ "capabilities": capabilities(), "answers": answers })).completions().size(80, 16)
}

fn shows(state: &State) -> bool {
    state.shows_editor_completions
}

async fn wait_for_list(ide: &mut TestIde) {
    ide.wait_for("the list is shown", shows).await;
    ide.headless.idle().await;
}

fn labels(ide: &mut TestIde) -> Vec<String> {
    let open = ide.state().slots[COMPLETIONS].open.as_ref().unwrap();
    open.matches.iter().map(|found| open.row(found.row).item.label.clone()).collect()
}

#[tokio::test]
async fn completion_is_shown_while_typing_narrowed_and_accepted() {
    let items = json!([
        { "label": "println", "kind": 3, "sortText": "b", "labelDetails": { "detail": "(text)" } },
        { "label": "print", "kind": 3, "sortText": "a", "detail": "fn print(text: str)" },
        { "label": "privacy", "kind": 6, "tags": [1] },
        { "label": "\u{1b}[31mprobe", "filterText": "probe" },
    ]);
    let mut ide = trusted(with_items("", &items)).await;
    ide.type_in("p").await;
    wait_for_list(&mut ide).await;
    assert_eq!(ide.state().key_context(), KeyContext::EditorCompletion);
    assert_eq!(labels(&mut ide).len(), 4);
    ide.advance(Duration::from_millis(200));
    ide.wait_for_text("All about").await;
    ide.headless.idle().await;
    ide.snap("completion_list");
    assert!(!ide.picture().contains('\u{1b}'));
    ide.type_in("rin").await;
    assert_eq!(labels(&mut ide), ["print", "println"]);
    ide.keys("Down Tab").await;
    assert_eq!(text_of(&mut ide), "println");
    assert!(!shows(ide.state()));
    ide.keys("Ctrl-z").await;
    assert_eq!(text_of(&mut ide), "prin", "one undo takes it back");
}

#[tokio::test]
async fn completion_enter_breaks_the_line_unless_it_completes_something() {
    let mut ide = trusted(with_items("", &json!([{ "label": "end" }, { "label": "endless" }]))).await;
    ide.type_in("end").await;
    wait_for_list(&mut ide).await;
    ide.keys("Enter").await;
    assert_eq!(text_of(&mut ide), "end\n", "what was typed is complete");
    ide.type_in("en").await;
    wait_for_list(&mut ide).await;
    ide.keys("Enter").await;
    assert_eq!(text_of(&mut ide), "end\nend");
}

#[tokio::test]
async fn completion_escape_closes_the_list_for_the_rest_of_the_word() {
    let mut ide = trusted(with_items("", &json!([{ "label": "alpha" }, { "label": "beta" }]))).await;
    ide.type_in("a").await;
    wait_for_list(&mut ide).await;
    ide.keys("Escape").await;
    assert!(!shows(ide.state()));
    ide.type_in("l").await;
    ide.headless.idle().await;
    assert!(!shows(ide.state()));
    ide.type_in(" b").await;
    wait_for_list(&mut ide).await;
    assert_eq!(labels(&mut ide), ["beta"]);
    ide.keys("Left").await;
    assert!(!shows(ide.state()), "the caret has left the word");
}

#[tokio::test]
async fn completion_replaces_and_changes_what_the_server_says_with_one_undo() {
    let edit = json!({ "insert": range(1, 0, 3), "replace": range(1, 0, 5), "newText": "HashMap" });
    let import = json!([{ "range": range(0, 0, 0), "newText": "use map;\n" }]);
    let items = json!([{ "label": "HashMap", "filterText": "Has", "textEdit": edit,
        "additionalTextEdits": import }]);
    let mut ide = trusted(with_items("first\nHaxx", &items)).await;
    ide.keys("Down Right Right").await;
    ide.type_in("s").await;
    wait_for_list(&mut ide).await;
    ide.keys("Tab").await;
    assert_eq!(text_of(&mut ide), "use map;\nfirst\nHashMapxx", "what is behind the caret stays");
    ide.keys("Ctrl-z").await;
    assert_eq!(text_of(&mut ide), "first\nHasxx");
}

#[tokio::test]
async fn completion_resolved_late_changes_the_rest_and_joins_the_step() {
    let import = json!([{ "range": range(0, 0, 0), "newText": "use map;\n" }]);
    let answers = json!({ "textDocument/completion": [{ "label": "HashMap" }],
        "completionItem/resolve": { "label": "HashMap", "additionalTextEdits": import } });
    let setup = project("", &json!({ "capabilities": capabilities(), "answers": answers })).completions();
    let mut ide = trusted(setup).await;
    ide.type_in("Ha").await;
    wait_for_list(&mut ide).await;
    ide.keys("Tab").await;
    let has_import =
        |state: &State| state.buffers.current().unwrap().area.text().to_string().starts_with("use");
    ide.wait_for("the import is there", has_import).await;
    assert_eq!(text_of(&mut ide), "use map;\nHashMap");
    ide.keys("Ctrl-z").await;
    assert_eq!(text_of(&mut ide), "Ha");
}

#[tokio::test]
async fn completion_snippet_has_stops_and_a_broken_one_changes_nothing() {
    let items = json!([{ "label": "call", "insertText": "call(${1:arg})$0", "insertTextFormat": 2 },
        { "label": "cut", "insertText": "cut(${1", "insertTextFormat": 2 }]);
    let mut ide = trusted(with_items("", &items)).await;
    ide.type_in("ca").await;
    wait_for_list(&mut ide).await;
    ide.keys("Tab").await;
    assert_eq!(text_of(&mut ide), "call(arg)");
    ide.type_in("x").await;
    ide.keys("Tab").await;
    ide.type_in(" cu").await;
    wait_for_list(&mut ide).await;
    ide.keys("Tab").await;
    assert_eq!(text_of(&mut ide), "call(x) cu");
    assert!(ide.status_message().contains("Cannot insert this completion"), "{}", ide.status_message());
}

#[tokio::test]
async fn completion_is_made_at_every_cursor() {
    let mut ide = trusted(with_items("\nabc\n", &json!([{ "label": "value" }]))).await;
    ide.keys("Ctrl-Alt-Down").await;
    ide.type_in("va").await;
    wait_for_list(&mut ide).await;
    ide.keys("Tab").await;
    assert_eq!(text_of(&mut ide), "value\nvalueabc\n");
}

#[tokio::test]
async fn completion_after_a_trigger_character_is_asked_for_with_it() {
    let items = json!({ "isIncomplete": true, "items": [{ "label": "len" }] });
    let mut ide = trusted(with_items("", &items)).await;
    ide.type_in("5.").await;
    wait_for_list(&mut ide).await;
    let log = |wanted: &'static str| {
        move |log: &std::path::Path| std::fs::read_to_string(log).unwrap_or_default().contains(wanted)
    };
    poll(&mut ide, log(r#""triggerKind": 2"#)).await;
    ide.headless.press("l");
    assert!(shows(ide.state()), "what is shown stays while the server is asked again");
    assert_eq!(labels(&mut ide), ["len"]);
    wait_for_list(&mut ide).await;
    poll(&mut ide, log(r#""triggerKind": 3"#)).await;
    assert_eq!(labels(&mut ide), ["len"], "once");
    // Nothing is typed of a name: Enter means a new line.
    ide.keys("Backspace Backspace").await;
    ide.type_in(".").await;
    wait_for_list(&mut ide).await;
    ide.keys("Enter").await;
    assert_eq!(text_of(&mut ide), "5.\n");
}

#[tokio::test]
async fn completion_commit_character_accepts_what_is_selected_and_is_typed() {
    let items = json!([{ "label": "console", "commitCharacters": ["."] }, { "label": "const" }]);
    let mut ide = trusted(with_items("", &items)).await;
    ide.type_in("con").await;
    wait_for_list(&mut ide).await;
    ide.keys("Down Up").await;
    ide.type_in(".").await;
    assert_eq!(text_of(&mut ide), "console.");
    ide.type_in(" conso").await;
    wait_for_list(&mut ide).await;
    ide.type_in(".").await;
    assert_eq!(text_of(&mut ide), "console. conso.", "not what the user has neither selected nor typed");
}

#[tokio::test]
async fn completion_that_is_no_list_or_never_comes_disturbs_nothing() {
    let odd_edit = json!({ "range": range(77, 1, 9), "newText": "n" });
    let answers = [
        json!(null),
        json!("x"),
        json!({ "error": [-32603, "trouble"] }),
        json!({ "never": true }),
        json!([{ "label": 5 }, { "label": "other" }, { "label": "wi", "textEdit": odd_edit }]),
    ];
    for answer in answers {
        let mut ide = trusted(with_items("", &answer)).await;
        ide.type_in("wi").await;
        ide.headless.idle().await;
        ide.keys("Escape Enter").await;
        assert_eq!(text_of(&mut ide), "wi\n", "{answer}");
    }
}

#[tokio::test]
async fn completion_signature_follows_the_parameter_and_closes() {
    let signature = json!({ "label": "print(text: str, times: int)", "documentation": "Prints.",
        "parameters": [{ "label": "text: str", "documentation": "What to print." }, { "label": "times: int" }] });
    let answers = json!({ "textDocument/completion": [],
        "textDocument/signatureHelp": { "signatures": [signature, { "label": "print()" }],
            "activeParameter": 0 } });
    let script = json!({ "capabilities": capabilities(), "answers": answers });
    let mut ide = trusted(project("\n\n", &script).completions().size(80, 16)).await;
    ide.keys("Down").await;
    ide.type_in("print(").await;
    ide.wait_for_text("print(text: str, times: int)").await;
    ide.headless.idle().await;
    ide.snap("signature_of_a_call");
    let asked = ide.state().slots[COMPLETIONS].last_signature;
    ide.keys("Left").await;
    assert!(ide.state().slots[COMPLETIONS].last_signature > asked, "it is asked for again");
    ide.keys("Escape").await;
    assert!(ide.state().slots[COMPLETIONS].signature.is_none());
}

#[tokio::test]
async fn completion_without_a_server_has_words_paths_and_snippets() {
    let snippets =
        r#"{ "loop": { "prefix": "forall", "body": "for $1 in $2 {}", "description": "A loop." } }"#;
    let setup = IdeSetup::new()
        .completions()
        .with("a.rs", "let forward = format();\n")
        .file("src/main.rs", "fn main() {}\n")
        .config_file("snippets/rust.json", snippets)
        .size(80, 16);
    let mut ide = setup.start().await;
    let sorted = |mut found: Vec<String>| {
        found.sort();
        found
    };
    ide.keys("Ctrl-End").await;
    ide.type_in("fo").await;
    wait_for_list(&mut ide).await;
    assert_eq!(sorted(labels(&mut ide)), ["forall"], "two letters are too few to look for words");
    ide.keys("Escape Alt-, k c").await;
    wait_for_list(&mut ide).await;
    assert_eq!(sorted(labels(&mut ide)), ["forall", "format", "forward"]);
    ide.keys("Escape").await;
    ide.type_in(" \"src/").await;
    wait_for_list(&mut ide).await;
    assert_eq!(labels(&mut ide), ["main.rs"]);
    ide.keys("Tab").await;
    assert!(text_of(&mut ide).contains("fo \"src/main.rs"), "{}", text_of(&mut ide));
}

#[tokio::test]
async fn completion_can_be_switched_off_and_still_asked_for() {
    let setup = with_items("", &json!([{ "label": "alpha" }]));
    let mut ide = trusted(setup.config_file("settings.toml", "auto-completion = false\n")).await;
    ide.type_in("al").await;
    ide.headless.idle().await;
    assert!(!shows(ide.state()));
    ide.keys("Alt-, k c").await;
    wait_for_list(&mut ide).await;
    ide.keys("Tab").await;
    assert_eq!(text_of(&mut ide), "alpha");
}

#[tokio::test]
async fn completion_list_stays_where_it_is_when_documentation_comes_below_it() {
    let items = json!([{ "label": "print" }, { "label": "private" }]);
    let before = "a line with the name behind it: ";
    let mut ide = trusted(with_items(before, &items).size(60, 20)).await;
    ide.keys("Alt-, w o End").await;
    ide.type_in("p").await;
    wait_for_list(&mut ide).await;
    let place = ide.find("private");
    assert!(!ide.picture().contains("All about"), "{}", ide.picture());
    ide.advance(Duration::from_millis(200));
    ide.wait_for_text("All about").await;
    assert_eq!(ide.find("private"), place, "{}", ide.picture());
}

#[tokio::test]
async fn completion_list_stays_above_its_line_while_it_gets_shorter() {
    let items: Vec<_> = (0..9).map(|n| json!({ "label": format!("alpha{n}") })).collect();
    let items = [items, vec![json!({ "label": "alphabet" })]].concat();
    let before = format!("{}the name: ", "line\n".repeat(13));
    let mut ide = trusted(with_items(&before, &json!(items)).size(60, 20)).await;
    ide.keys("Alt-, w o Ctrl-End").await;
    ide.type_in("al").await;
    wait_for_list(&mut ide).await;
    let is_above = |ide: &mut TestIde| {
        let shown = ide.picture();
        let at = |text: &str| shown.lines().position(|line| line.contains(text));
        at("alphabet").unwrap_or_else(|| panic!("{shown}")) < at("the name: al").unwrap()
    };
    assert!(is_above(&mut ide), "there is more room: {}", ide.picture());
    ide.type_in("phab").await;
    ide.headless.idle().await;
    assert!(is_above(&mut ide), "{}", ide.picture());
    ide.keys("Backspace").await;
    ide.headless.idle().await;
    assert!(is_above(&mut ide), "{}", ide.picture());
}

#[tokio::test]
async fn completion_list_goes_above_its_line_once_there_is_too_little_room_below() {
    let items: Vec<_> = (0..9).map(|n| json!({ "label": format!("alpha{n}") })).collect();
    let items = [items, vec![json!({ "label": "alphabet" })]].concat();
    let before = format!("{}the name: alphabe\nend\n", "line\n".repeat(30));
    let mut ide = trusted(with_items(&before, &json!(items)).size(60, 20)).await;
    ide.keys("Alt-, w o Ctrl-End Up Up End").await;
    ide.type_in("t").await;
    wait_for_list(&mut ide).await;
    let rows = |ide: &mut TestIde| {
        let shown = ide.picture();
        let line = shown.lines().position(|line| line.contains("the name: ")).unwrap();
        let is_row = |line: &&str| line.contains(" alpha");
        let above = shown.lines().take(line).filter(is_row).count();
        (above, shown.lines().skip(line + 1).filter(is_row).count())
    };
    assert_eq!(rows(&mut ide), (0, 1), "{}", ide.picture());
    ide.keys("Backspace Backspace Backspace").await;
    ide.headless.idle().await;
    assert_eq!(rows(&mut ide), (10, 0), "{}", ide.picture());
    ide.type_in("bet").await;
    ide.headless.idle().await;
    assert_eq!(rows(&mut ide), (1, 0), "it stays there: {}", ide.picture());
}

#[tokio::test]
async fn completion_in_modal_maps_is_accepted_only_if_selected() {
    for (name, keymap, keys, expected) in [
        ("vim", VIM, "Enter", "al\n"),
        ("vim", VIM, "Ctrl-n Enter", "alpine"),
        ("vim", VIM, "Ctrl-y", "alpha"),
        ("helix", HELIX, "Tab Enter", "alpine"),
        ("helix", HELIX, "Enter", "al\n"),
    ] {
        let setup = with_items("", &json!([{ "label": "alpha" }, { "label": "alpine" }])).keymap(keymap);
        let mut ide = trusted(setup).await;
        ide.keys("i").await;
        ide.type_in("al").await;
        wait_for_list(&mut ide).await;
        ide.keys(keys).await;
        assert_eq!(text_of(&mut ide), expected, "{name} {keys}");
        ide.keys("Escape").await;
        assert!(!shows(ide.state()), "{name}: Escape ends the typing");
    }
}

#[tokio::test]
async fn completion_list_closes_where_the_caret_goes_elsewhere() {
    let mut ide = trusted(with_items("first\n", &json!([{ "label": "len" }]))).await;
    ide.keys("Down").await;
    ide.type_in("  foo.").await;
    wait_for_list(&mut ide).await;
    ide.keys("Home").await;
    assert!(!shows(ide.state()));
    ide.keys("Tab").await;
    assert!(!text_of(&mut ide).contains("len"), "{}", text_of(&mut ide));
}

#[tokio::test]
async fn completion_is_repeated_as_text_in_modal_maps() {
    let setup = with_items("\n\n", &json!([{ "label": "alpha" }, { "label": "alpine" }])).keymap(VIM);
    let mut ide = trusted(setup).await;
    ide.keys("i").await;
    ide.type_in("al").await;
    wait_for_list(&mut ide).await;
    ide.keys("Ctrl-y").await;
    ide.type_in("-x").await;
    ide.keys("Escape j .").await;
    ide.headless.idle().await;
    assert_eq!(text_of(&mut ide), "alpha-x\nalpha-x\n");
}

#[tokio::test]
async fn completion_of_words_comes_with_the_third_letter() {
    let setup = IdeSetup::new().completions().with("a.rs", "let forward = format();\n").size(80, 16);
    let mut ide = setup.start().await;
    ide.keys("Ctrl-End").await;
    ide.type_in("fo").await;
    ide.headless.idle().await;
    assert!(!shows(ide.state()));
    ide.type_in("r").await;
    wait_for_list(&mut ide).await;
    let mut found = labels(&mut ide);
    found.sort();
    assert_eq!(found, ["format", "forward"]);
}

#[tokio::test]
async fn completion_is_announced_to_screen_readers() {
    let items = json!([{ "label": "alpha", "kind": 3 }, { "label": "alpine" }]);
    let mut ide = trusted(with_items("", &items).accessible(true)).await;
    ide.type_in("al").await;
    wait_for_list(&mut ide).await;
    assert_eq!(ide.status_message(), "alpha function, 1 of 2");
    ide.keys("Down").await;
    assert_eq!(ide.status_message(), "alpine, 2 of 2");
}
