//! What language servers know of names in the editor: symbols of a file and of the project, uses of the name at the caret,
//! hierarchies of calls and types, and what is around a selection. The server is a script that does what each test wants.

use std::time::Duration;

use bowline::ide::core::layers::picker::Picker;
use bowline::ide::features::language_servers::state::LANGUAGE_SERVERS;
use bowline::tui::theme::Theme;
use ratatui::style::Style;
use serde_json::{Value, json};

use crate::support::language_server::{methods, poll, project, project_in, trusted, wait_for_method};
use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

/// The caret has rested.
const REST: Duration = Duration::from_millis(250);

/// A server that offers these, and answers so.
fn script(offers: &[&str], answers: &Value) -> Value {
    let mut capabilities = json!({ "textDocumentSync": { "openClose": true, "change": 2 } });
    for name in offers {
        capabilities[*name] = json!(true);
    }
    json!({ "capabilities": capabilities, "answers": answers })
}

fn range(from: (u32, u32), to: (u32, u32)) -> Value {
    json!({ "start": { "line": from.0, "character": from.1 }, "end": { "line": to.0, "character": to.1 } })
}

fn symbol(name: &str, kind: u8, line: u32, children: &Value) -> Value {
    let range = range((line, 3), (line, 6));
    json!({ "name": name, "kind": kind, "range": range, "selectionRange": range, "children": children })
}

/// A symbol of a list.
fn listed(name: &str, file: &str, line: u32) -> Value {
    json!({ "name": name, "kind": 6, "containerName": "Point",
        "location": { "uri": format!("$ROOT/{file}"), "range": range((line, 2), (line, 4)) } })
}

/// The rows of the open list, with what is beside them.
fn rows(ide: &mut TestIde) -> Vec<String> {
    let picker = ide.state().layers.top::<Picker>().expect("a list is open");
    picker.rows(0, picker.matches()).map(|row| format!("{}|{}", row.text, row.detail)).collect()
}

fn selected(ide: &mut TestIde) -> String {
    let picker = ide.state().layers.top::<Picker>().expect("a list is open");
    picker.current().expect("a row is selected").text.trim().to_string()
}

/// How often the server was asked so.
fn count(ide: &TestIde, method: &str) -> usize {
    methods(ide).iter().filter(|sent| *sent == method).count()
}

/// What the server was sent by a method, the last time.
fn sent(ide: &TestIde, method: &str) -> Value {
    let log = ide.file_text("../script.json.log");
    let mut messages = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages.rfind(|message| message["method"] == method).expect(method)["params"].clone()
}

fn caret(ide: &mut TestIde) -> usize {
    ide.state().buffers.current().unwrap().area.caret().0
}

const RUST: &str = "fn one() {}\nfn two() {}\n";

#[tokio::test]
async fn symbols_of_a_file_are_those_of_its_server_in_any_order_of_answers() {
    let inner = json!([symbol("inner\u{1b}[31m", 8, 1, &Value::Null)]);
    let found = json!([symbol("one", 12, 0, &Value::Null), symbol("two", 12, 1, &inner)]);
    let script = script(&["documentSymbolProvider"], &json!({ "textDocument/documentSymbol": found }));
    with_task_orders(async || {
        let mut ide = trusted(project_in("rust", "a.rs", RUST, &script).size(120, 20)).await;
        ide.keys("Alt-, c s").await;
        ide.headless.idle().await;
        let rows = rows(&mut ide);
        assert_eq!((rows[0].as_str(), rows[1].as_str()), ("one|function 1", "two|function 2"));
        assert!(rows[2].starts_with("  inner") && rows[2].ends_with("|field 2"), "{rows:?}");
        assert!(!rows[2].contains('\u{1b}') && rows.len() == 3, "{rows:?}");
        ide.keys("Down Enter").await;
        assert_eq!(caret(&mut ide), "fn one() {}\nfn ".len());
    })
    .await;
}

#[tokio::test]
async fn symbols_of_a_file_start_at_the_one_around_the_cursor() {
    let found = json!([symbol("one", 12, 0, &Value::Null), symbol("two", 12, 1, &Value::Null)]);
    for answer in [found, Value::Null] {
        let script = script(&["documentSymbolProvider"], &json!({ "textDocument/documentSymbol": answer }));
        let mut ide = trusted(project_in("rust", "a.rs", RUST, &script).size(120, 20)).await;
        ide.keys("Down Alt-, c s").await;
        ide.headless.idle().await;
        ide.keys("Enter").await;
        assert_eq!(caret(&mut ide), "fn one() {}\nfn ".len());
        ide.keys("End Alt-, c s").await;
        ide.headless.idle().await;
        ide.keys("Up Enter").await;
        assert_eq!(caret(&mut ide), "fn ".len());
    }
}

#[tokio::test]
async fn symbols_of_a_file_in_the_flat_form_have_their_container() {
    let found = json!([listed("y", "a.toy", 1), listed("x", "a.toy", 0)]);
    let script = script(&["documentSymbolProvider"], &json!({ "textDocument/documentSymbol": found }));
    let mut ide = trusted(project("é🐚x\né🐚y\n", &script).size(120, 20)).await;
    ide.keys("Alt-, c s").await;
    ide.headless.idle().await;
    assert_eq!(rows(&mut ide), ["x|method 1 in Point", "y|method 2 in Point"]);
    ide.type_in("y").await;
    ide.keys("Enter").await;
    assert_eq!(caret(&mut ide), "é🐚x\né".len(), "columns are UTF-16, one within a character is its start");
}

#[tokio::test]
async fn symbols_of_a_file_are_those_of_the_tree_until_the_server_answers() {
    let script =
        script(&["documentSymbolProvider"], &json!({ "textDocument/documentSymbol": { "never": true } }));
    let mut ide = trusted(project_in("rust", "a.rs", RUST, &script).size(120, 20)).await;
    ide.headless.press("Alt-, c s");
    ide.wait_for("the rows of the tree", |state| {
        state.layers.top::<Picker>().is_some_and(|picker| picker.matches() == 2)
    })
    .await;
    assert_eq!(rows(&mut ide), ["one|function 1", "two|function 2"]);
    // Closing the list ends the question.
    ide.keys("Down Enter").await;
    assert_eq!(caret(&mut ide), "fn one() {}\nfn ".len());
    poll(&mut ide, |log| std::fs::read_to_string(log).unwrap_or_default().contains("cancelRequest")).await;
}

#[tokio::test]
async fn symbols_of_a_file_stay_those_of_the_tree_where_the_server_has_none() {
    for answer in [Value::Null, json!([]), json!({ "error": [-32603, "no"] })] {
        let script = script(&["documentSymbolProvider"], &json!({ "textDocument/documentSymbol": answer }));
        let mut ide = trusted(project_in("rust", "a.rs", RUST, &script).size(120, 20)).await;
        ide.keys("Alt-, c s").await;
        ide.headless.idle().await;
        assert_eq!(rows(&mut ide), ["one|function 1", "two|function 2"]);
        assert_eq!(count(&ide, "textDocument/documentSymbol"), 1);
    }
}

#[tokio::test]
async fn symbols_of_the_project_are_searched_by_servers_once_typing_rests() {
    let later = json!({ "name": "later", "kind": 5, "location": { "uri": "$ROOT/lib/b.toy" } });
    let found = json!([listed("xa", "a.toy", 0), later]);
    let resolved = json!({ "name": "later", "kind": 5,
        "location": { "uri": "$ROOT/lib/b.toy", "range": range((1, 3), (1, 4)) } });
    let answers = json!({ "workspace/symbol": found, "workspaceSymbol/resolve": resolved });
    let mut script = script(&[], &answers);
    script["capabilities"]["workspaceSymbolProvider"] = json!({ "resolveProvider": true });
    let setup = project("one\n", &script).file("lib/b.toy", "first\né🐚second\n");
    let mut ide = trusted(setup.size(120, 20)).await;
    ide.keys("Alt-, c S").await;
    ide.headless.idle().await;
    assert_eq!(rows(&mut ide), ["xa|method a.toy:1 in Point", "later|class lib/b.toy"]);
    assert_eq!(sent(&ide, "workspace/symbol"), json!({ "query": "" }));
    // The list is not idle before it has asked.
    ide.type_without_settling("qu");
    assert_eq!(rows(&mut ide), [""; 0], "what was found for another query is not chosen");
    ide.advance(Duration::from_millis(150));
    ide.headless.idle().await;
    assert_eq!(rows(&mut ide).len(), 2);
    let log = ide.file_text("../script.json.log");
    let messages = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let asked = messages.filter(|message| message["method"] == "workspace/symbol");
    let queries: Vec<Value> = asked.map(|message| message["params"]["query"].clone()).collect();
    assert_eq!(queries, ["", "qu"], "nothing is asked while the query is typed");
    ide.keys("Down Enter").await;
    ide.wait_for("the file is shown", |state| state.buffers.current().unwrap().name() == "b.toy").await;
    ide.headless.idle().await;
    assert_eq!(caret(&mut ide), "first\né🐚".len());
}

#[tokio::test]
async fn symbols_of_the_project_are_asked_of_all_servers_where_the_file_has_none() {
    let answers = json!({ "workspace/symbol": [listed("xa", "a.toy", 0), listed("xb", "a.toy", 1)] });
    let script = script(&["workspaceSymbolProvider"], &answers);
    let mut ide = trusted(project("one\ntwo\n", &script).file("notes.txt", "text\n").size(120, 20)).await;
    ide.keys("Ctrl-p").await;
    ide.type_in("notes").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(ide.current_file_name(), "notes.txt");
    ide.keys("Alt-, c S").await;
    ide.headless.idle().await;
    assert_eq!(rows(&mut ide), ["xa|method a.toy:1 in Point", "xb|method a.toy:2 in Point"]);
    // Marked rows are opened together.
    ide.keys("Tab Tab Enter").await;
    ide.wait_for("the file is shown", |state| state.buffers.current().unwrap().name() == "a.toy").await;
    ide.headless.idle().await;
    assert_eq!(ide.cursor(), (2, 3));
}

#[tokio::test]
async fn symbols_of_the_project_are_read_from_files_where_no_server_has_them() {
    let setup = project("one\n", &script(&[], &json!({}))).file("b.rs", RUST);
    let mut ide = trusted(setup.size(120, 20)).await;
    ide.keys("Alt-, c S").await;
    ide.headless.idle().await;
    assert_eq!(rows(&mut ide), ["one|function b.rs:1", "two|function b.rs:2"]);
    assert_eq!(count(&ide, "workspace/symbol"), 0);
}

fn highlighting(answer: &Value) -> IdeSetup {
    let script = script(&["documentHighlightProvider"], &json!({ "textDocument/documentHighlight": answer }));
    project("name = name\nother\n", &script).size(80, 12)
}

fn uses() -> Value {
    json!([{ "range": range((0, 0), (0, 4)), "kind": 3 }, { "range": range((0, 7), (0, 11)), "kind": 2 }])
}

/// The style of a cell of the text that is `offset` behind the begin of `name = name`.
fn style_at(ide: &mut TestIde, offset: u16) -> Style {
    let (x, y) = ide.find("name = name");
    ide.headless.app().frame();
    ide.headless.app().screen.buffer()[(x + offset, y)].style()
}

fn is_marked(ide: &mut TestIde) -> bool {
    !ide.state().buffers.current().unwrap().servers.occurrences.is_empty()
}

/// Lets the caret rest, and what is asked then be answered.
async fn rest(ide: &mut TestIde) {
    ide.advance(REST);
    ide.headless.idle().await;
}

#[tokio::test]
async fn uses_of_a_name_are_marked_once_the_caret_rests_and_until_it_leaves() {
    const METHOD: &str = "textDocument/documentHighlight";
    let mut ide = trusted(highlighting(&uses())).await;
    ide.keys("Right").await;
    ide.headless.idle().await;
    assert_eq!(count(&ide, METHOD), 0, "not before the caret has rested");
    rest(&mut ide).await;
    assert_eq!(count(&ide, METHOD), 1);
    let scope = |name: &'static str| Theme::builtin().style(name);
    assert_eq!(style_at(&mut ide, 8).bg, scope("ui.highlight").bg);
    assert_ne!(style_at(&mut ide, 5).bg, scope("ui.highlight").bg);
    let written = style_at(&mut ide, 0);
    assert!(written.add_modifier.contains(scope("ui.highlight.write").add_modifier), "{written:?}");
    // Within the name they stay, and nothing is asked.
    ide.keys("Right End Left").await;
    rest(&mut ide).await;
    assert!(is_marked(&mut ide) && count(&ide, METHOD) == 1);
    ide.keys("Down").await;
    assert!(!is_marked(&mut ide), "the caret has left");
    assert_ne!(style_at(&mut ide, 8).bg, scope("ui.highlight").bg);
}

#[tokio::test]
async fn uses_of_a_name_go_with_an_edit_and_are_not_asked_for_while_typing() {
    const METHOD: &str = "textDocument/documentHighlight";
    let mut ide = trusted(highlighting(&uses())).await;
    ide.keys("Right").await;
    rest(&mut ide).await;
    assert!(is_marked(&mut ide));
    for letter in ["a", "b", "c"] {
        ide.type_in(letter).await;
        assert!(!is_marked(&mut ide));
        ide.advance(Duration::from_millis(150));
        ide.headless.idle().await;
    }
    assert_eq!(count(&ide, METHOD), 1);
    rest(&mut ide).await;
    assert_eq!((count(&ide, METHOD), is_marked(&mut ide)), (2, true));
    // Not at a place without a name, and never again while nothing moves.
    ide.keys("End Space Space").await;
    rest(&mut ide).await;
    rest(&mut ide).await;
    assert_eq!(count(&ide, METHOD), 2);
}

#[tokio::test]
async fn uses_of_a_name_are_asked_of_a_server_that_offers_them_late() {
    let registration = json!({ "id": "h", "method": "textDocument/documentHighlight" });
    let late = json!({ "id": 7, "method": "client/registerCapability",
        "params": { "registrations": [registration] } });
    let mut script = script(&[], &json!({ "textDocument/documentHighlight": uses() }));
    script["on"] = json!({ "initialized": [late] });
    let mut ide = trusted(project("name = name\nother\n", &script).size(80, 12)).await;
    ide.wait_for("it is offered", |state| {
        state.slots[LANGUAGE_SERVERS].servers[0].offers("textDocument/documentHighlight")
    })
    .await;
    ide.keys("Right").await;
    rest(&mut ide).await;
    assert!(is_marked(&mut ide));
    // What a server has found goes with it.
    ide.keys("Alt-, k s Delete").await;
    ide.wait_for("no marks", |state| state.buffers.current().unwrap().servers.occurrences.is_empty()).await;
}

#[tokio::test]
async fn uses_of_a_name_are_selected_else_those_of_the_tree() {
    let mut ide = trusted(highlighting(&uses())).await;
    ide.keys("Right Alt-, k o").await;
    ide.wait_for("a message", |state| state.status.message == "2 occurrences").await;
    assert_eq!(ide.selected_texts(), ["name", "name"]);
    let code = "fn one(a: u8) -> u8 {\n    a + a\n}\n";
    let offers = ["documentHighlightProvider"];
    for script in [script(&[], &json!({})), script(&offers, &json!({ "textDocument/documentHighlight": [] }))]
    {
        let mut ide = trusted(project_in("rust", "a.rs", code, &script)).await;
        ide.keys("Down End Alt-, k o").await;
        ide.wait_for("a message", |state| state.status.message == "3 occurrences").await;
        assert_eq!(ide.selected_texts(), ["a", "a", "a"]);
    }
}

fn item(name: &str, file: &str, line: u32) -> Value {
    let range = range((line, 0), (line, 3));
    json!({ "name": name, "kind": 12, "uri": format!("$ROOT/{file}"), "range": range, "selectionRange": range,
        "data": name })
}

fn hierarchies() -> IdeSetup {
    let calls = [range((1, 4), (1, 7)), range((2, 0), (2, 3))];
    let incoming = json!([{ "from": item("caller\u{1b}", "lib/b.toy", 0), "fromRanges": calls }]);
    let answers = json!({
        "textDocument/prepareCallHierarchy": [item("one", "a.toy", 0)],
        "callHierarchy/incomingCalls": incoming,
        "callHierarchy/outgoingCalls": [{ "to": item("callee", "lib/b.toy", 2), "fromRanges": [calls[0]] }],
        "textDocument/prepareTypeHierarchy": [item("One", "a.toy", 0)],
        "typeHierarchy/supertypes": [item("Base", "lib/b.toy", 2)],
        "typeHierarchy/subtypes": [],
    });
    let script = script(&["callHierarchyProvider", "typeHierarchyProvider"], &answers);
    project("one\n", &script).file("lib/b.toy", "def caller\n    one\none\n").size(120, 20)
}

fn title(ide: &mut TestIde, text: &str) -> bool {
    ide.picture().contains(text)
}

#[tokio::test]
async fn callers_are_listed_followed_and_gone_to() {
    const METHOD: &str = "callHierarchy/incomingCalls";
    let mut ide = trusted(hierarchies()).await;
    ide.keys("Alt-, k h").await;
    ide.wait_for_text("callers of one").await;
    ide.headless.idle().await;
    ide.snap("callers_list");
    let shown = rows(&mut ide).remove(0);
    assert!(shown.ends_with("|function  lib/b.toy:2  2 calls  one") && !shown.contains('\u{1b}'), "{shown}");
    assert_eq!(sent(&ide, METHOD)["item"]["data"], "one");
    // Each step is one question, also where they go around in a circle.
    ide.type_in("call").await;
    ide.keys("Alt-Down").await;
    ide.headless.idle().await;
    assert!(title(&mut ide, "callers of caller"), "{}", ide.picture());
    assert_eq!((count(&ide, METHOD), rows(&mut ide).len()), (2, 1));
    assert_eq!(sent(&ide, METHOD)["item"]["data"], "caller\u{1b}");
    let query = |ide: &mut TestIde| ide.state().layers.top::<Picker>().unwrap().query.text().to_string();
    assert_eq!(query(&mut ide), "", "the query was about the list before");
    ide.keys("Alt-Up").await;
    assert!(title(&mut ide, "callers of one"), "{}", ide.picture());
    ide.keys("Alt-Up").await;
    assert_eq!(ide.status_message(), "This is the first list");
    assert!(selected(&mut ide).starts_with("caller"));
    ide.keys("Enter").await;
    ide.wait_for("the file is shown", |state| state.buffers.current().unwrap().name() == "b.toy").await;
    ide.headless.idle().await;
    assert_eq!(ide.cursor(), (2, 5), "the first call");
    assert_eq!(count(&ide, METHOD), 2);
}

#[tokio::test]
async fn callees_and_supertypes_lead_to_their_names() {
    for (key, text) in [("H", "callees of one"), ("y", "supertypes of One")] {
        let mut ide = trusted(hierarchies()).await;
        ide.keys(&format!("Alt-, k {key}")).await;
        ide.wait_for_text(text).await;
        ide.keys("Enter").await;
        ide.wait_for("the file is shown", |state| state.buffers.current().unwrap().name() == "b.toy").await;
        ide.headless.idle().await;
        assert_eq!(ide.cursor(), (3, 1));
    }
}

#[tokio::test]
async fn hierarchies_without_an_answer_say_what_was_asked() {
    let mut ide = trusted(hierarchies()).await;
    ide.keys("Alt-, k Y").await;
    ide.wait_for("a message", |state| state.status.message == "No subtypes of One").await;
    assert!(ide.state().layers.is_empty());
    ide.keys("Alt-, k s Alt-Down").await;
    assert_eq!(ide.status_message(), "No call or type hierarchy is shown", "in another list");
    ide.keys("Escape").await;
    let script = script(&["callHierarchyProvider"], &json!({ "textDocument/prepareCallHierarchy": null }));
    let mut ide = trusted(project("one\n", &script)).await;
    ide.keys("Alt-, k h").await;
    ide.wait_for("a message", |state| state.status.message == "No function at the cursor").await;
    ide.keys("Alt-, k y").await;
    ide.wait_for("a message", |state| state.status.message == "No type at the cursor").await;
}

#[tokio::test]
async fn selection_expands_by_server_where_there_is_no_tree() {
    let parent = json!({ "range": range((0, 0), (0, 9)), "parent": { "range": range((0, 0), (1, 3)) } });
    let around = json!([{ "range": range((0, 4), (0, 7)), "parent": parent }]);
    let offers = ["selectionRangeProvider"];
    let answers = json!({ "textDocument/selectionRange": around });
    let mut ide = trusted(project("(a, bcd)x\nend\n", &script(&offers, &answers))).await;
    ide.keys("Right Right Right Right Right Alt-v").await;
    ide.wait_for("a word", |state| state.buffers.current().unwrap().area.selected() == ["bcd"]).await;
    ide.keys("Alt-v").await;
    ide.wait_for("a line", |state| state.buffers.current().unwrap().area.selected() == ["(a, bcd)x"]).await;
    ide.keys("Alt-v").await;
    ide.wait_for("all", |state| state.buffers.current().unwrap().area.selected() == ["(a, bcd)x\nend"]).await;
    ide.keys("Alt-v").await;
    ide.wait_for("a message", |state| state.status.message == "No more of them here").await;
    assert_eq!(count(&ide, "textDocument/selectionRange"), 4);
    ide.keys("Alt-Shift-v Alt-Shift-v").await;
    assert_eq!(ide.selected_texts(), ["bcd"]);
    // The tree goes before the server.
    let mut ide = trusted(project_in("rust", "a.rs", RUST, &script(&offers, &answers))).await;
    ide.keys("Alt-v").await;
    ide.headless.idle().await;
    assert_eq!(count(&ide, "textDocument/selectionRange"), 0);
    assert_ne!(ide.selected_texts(), [""]);
    // Without either the reason is said.
    let mut ide = trusted(project("one\n", &script(&[], &answers))).await;
    ide.keys("Alt-v").await;
    assert_eq!(ide.status_message(), "No syntax tree for this file");
}

#[tokio::test]
async fn servers_are_asked_only_for_the_features_of_their_row() {
    let answers = json!({ "textDocument/documentSymbol": [symbol("x", 12, 0, &Value::Null)],
        "workspace/symbol": [listed("x", "a.toy", 0)], "textDocument/documentHighlight": uses(),
        "textDocument/selectionRange": [{ "range": range((0, 0), (0, 3)) }] });
    let offers = [
        "documentSymbolProvider",
        "workspaceSymbolProvider",
        "documentHighlightProvider",
        "selectionRangeProvider",
        "callHierarchyProvider",
        "typeHierarchyProvider",
    ];
    let setup = project("name = name\n", &script(&offers, &answers)).size(120, 20);
    let file = "[language-server.toy]\nexcept-features = [\"document-symbols\", \"workspace-symbols\", \
                \"document-highlight\", \"selection-range\", \"call-hierarchy\", \"type-hierarchy\"]\n";
    let table = setup.workspace_dir().join(".bowline/servers.toml");
    std::fs::create_dir_all(table.parent().unwrap()).unwrap();
    std::fs::write(&table, file).unwrap();
    let mut ide = trusted(setup).await;
    ide.keys("Right").await;
    rest(&mut ide).await;
    ide.keys("Alt-, c s Escape Alt-, c S Escape Alt-v").await;
    for (key, feature) in [("h", "call-hierarchy"), ("Y", "type-hierarchy")] {
        ide.keys(&format!("Alt-, k {key}")).await;
        let message = format!("No language server of this file is asked for {feature}");
        assert_eq!(ide.status_message(), message);
    }
    // It runs before it has noted that.
    wait_for_method(&mut ide, "initialized").await;
    let asked: Vec<String> = methods(&ide).into_iter().filter(|sent| !sent.contains("did")).collect();
    assert_eq!(asked, ["initialize", "initialized"]);
}
