//! Snippets of the user's own: offered by language, put in at every cursor, gone through.

use crate::support::test_ide::{IdeSetup, TestIde};

const RUST: &str = r#"{
    // As Visual Studio Code keeps them.
    "Loop": {"prefix": "for", "body": ["for ${1:x} in $2 {", "\t$0", "}"], "description": "a loop"},
    "Pair": {"prefix": "pair", "body": "let ${1|a,é|} = $1;$0"},
    "Head": {"prefix": "head", "body": "// $TM_FILENAME_BASE: ${2:$TM_SELECTED_TEXT}"},
    "Torn": {"prefix": "torn", "body": "${1:"},
}"#;

async fn ide(text: &str) -> TestIde {
    let ide = IdeSetup::new().config_file("snippets/rust.json", RUST).with("größe.rs", text);
    ide.start().await
}

async fn insert_snippet(ide: &mut TestIde, name: &str) {
    ide.keys("Alt-8 s").await;
    ide.type_in(name).await;
    ide.keys("Enter").await;
}

#[tokio::test]
async fn snippet_insert_navigates_tab_stops() {
    let mut ide = ide("fn f() {\n    \n}\n").await;
    ide.keys("Down End Alt-8 s").await;
    ide.snap("snippets");
    ide.type_in("loop").await;
    ide.keys("Enter").await;
    assert_eq!(ide.selected_texts(), ["x"]);
    ide.type_in("ü").await;
    ide.keys("Tab").await;
    ide.type_in("0..9").await;
    ide.keys("Shift-Tab").await;
    assert_eq!(ide.selected_texts(), ["ü"]);
    ide.keys("Tab Tab").await;
    ide.type_in("g();").await;
    assert_eq!(ide.text(), "fn f() {\n    for ü in 0..9 {\n        g();\n    }\n}\n");
    ide.keys("Tab").await;
    assert!(ide.text().contains("g();    \n"), "at the last stop a tab is a tab again");
}

#[tokio::test]
async fn snippet_mirrors_work_with_multiple_cursors() {
    let before = "\n\n";
    let mut ide = ide(before).await;
    ide.keys("Ctrl-Alt-Down").await;
    assert_eq!(ide.selected_texts().len(), 2);
    insert_snippet(&mut ide, "pair").await;
    assert_eq!(ide.text(), "let a = a;\nlet a = a;\n");
    assert_eq!(ide.selected_texts(), ["a", "a", "a", "a"]);
    assert_eq!(ide.status_message(), "One of: a, é");
    ide.keys("Alt-8 c").await;
    assert_eq!(ide.text(), "let é = é;\nlet é = é;\n");
    ide.type_in("漢").await;
    ide.keys("Tab").await;
    ide.type_in("!").await;
    assert_eq!(ide.text(), "let 漢 = 漢;!\nlet 漢 = 漢;!\n");
    ide.keys("Ctrl-z Ctrl-z Ctrl-z Ctrl-z").await;
    assert_eq!(ide.text(), before, "what was put in is one step");
}

#[tokio::test]
async fn snippet_fills_variables_and_ends_on_leaving() {
    let mut ide = ide("word\nend\n").await;
    ide.keys("Shift-End").await;
    insert_snippet(&mut ide, "head").await;
    assert_eq!(ide.text(), "// größe: word\nend\n");
    assert_eq!(ide.selected_texts(), ["word"]);
    ide.keys("Down End Tab").await;
    assert_eq!(ide.text(), "// größe: word\nend \n", "elsewhere a tab is a tab");
    ide.keys("Ctrl-Home").await;
    insert_snippet(&mut ide, "loop").await;
    ide.keys("Escape Tab").await;
    assert!(ide.text().starts_with("for "), "{}", ide.text());
    assert!(ide.state().buffers.current().unwrap().area.per_view.snippet_stops.is_none());
}

#[tokio::test]
async fn snippet_errors_are_reported() {
    let mut ide = ide("x\n").await;
    insert_snippet(&mut ide, "torn").await;
    assert!(ide.status_message().contains("the `${` at character 1 has no `}`"), "{}", ide.status_message());
    assert_eq!(ide.text(), "x\n");
    ide.keys("Alt-8 n").await;
    assert_eq!(ide.status_message(), "No active snippet");
    ide.keys("Alt-8 c").await;
    assert_eq!(ide.status_message(), "No snippet choice here");
    let mut ide = IdeSetup::new().with("a.py", "").start().await;
    ide.keys("Alt-8 s").await;
    assert!(ide.status_message().contains("No snippets for python in "), "{}", ide.status_message());
    ide.keys("Escape Alt-3 F1").await;
    ide.type_in("snippet.insert").await;
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "Snippets need an open file");
}

#[tokio::test]
async fn snippet_insert_in_search_results_keeps_locations() {
    let everywhere = r#"{"Long": {"prefix": "long", "body": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa$1"}}"#;
    let plan = IdeSetup::new().config_file("snippets/all.code-snippets", everywhere).with("é.txt", "é one\n");
    let mut ide = plan.start().await;
    ide.keys("Alt-6 s Ctrl-u").await;
    ide.type_in("one").await;
    ide.keys("Enter Ctrl-Home Right").await;
    let list = ide.text();
    insert_snippet(&mut ide, "long").await;
    assert_eq!(ide.text(), list, "names of places stay");
    ide.type_in("x").await;
    assert_eq!(ide.text(), list);
    ide.keys("Ctrl-End Left").await;
    insert_snippet(&mut ide, "long").await;
    assert!(ide.text().contains("aaaa"), "behind them it is text: {}", ide.text());
}
