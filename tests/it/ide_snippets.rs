//! Snippets of the user's own: offered by language, put in at every cursor, gone through.

use crate::support::desk::{Desk, Plan};

const RUST: &str = r#"{
    // As Visual Studio Code keeps them.
    "Loop": {"prefix": "for", "body": ["for ${1:x} in $2 {", "\t$0", "}"], "description": "a loop"},
    "Pair": {"prefix": "pair", "body": "let ${1|a,é|} = $1;$0"},
    "Head": {"prefix": "head", "body": "// $TM_FILENAME_BASE: ${2:$TM_SELECTED_TEXT}"},
    "Torn": {"prefix": "torn", "body": "${1:"},
}"#;

async fn desk(text: &str) -> Desk {
    let desk = Plan::new().config("snippets/rust.json", RUST).with("größe.rs", text);
    desk.start().await
}

async fn put(desk: &mut Desk, name: &str) {
    desk.keys("Alt-8 s").await;
    desk.type_in(name).await;
    desk.keys("Enter").await;
}

#[tokio::test]
async fn a_snippet_is_put_in_and_gone_through() {
    let mut desk = desk("fn f() {\n    \n}\n").await;
    desk.keys("Down End Alt-8 s").await;
    desk.snap("snippets");
    desk.type_in("loop").await;
    desk.keys("Enter").await;
    assert_eq!(desk.selected(), ["x"]);
    desk.type_in("ü").await;
    desk.keys("Tab").await;
    desk.type_in("0..9").await;
    desk.keys("Shift-Tab").await;
    assert_eq!(desk.selected(), ["ü"]);
    desk.keys("Tab Tab").await;
    desk.type_in("g();").await;
    assert_eq!(desk.text(), "fn f() {\n    for ü in 0..9 {\n        g();\n    }\n}\n");
    desk.keys("Tab").await;
    assert!(desk.text().contains("g();    \n"), "at the last stop a tab is a tab again");
}

#[tokio::test]
async fn many_cursors_and_mirrors_are_typed_at_once_and_undone_at_once() {
    let before = "\n\n";
    let mut desk = desk(before).await;
    desk.keys("Ctrl-Alt-Down").await;
    assert_eq!(desk.selected().len(), 2);
    put(&mut desk, "pair").await;
    assert_eq!(desk.text(), "let a = a;\nlet a = a;\n");
    assert_eq!(desk.selected(), ["a", "a", "a", "a"]);
    assert_eq!(desk.message(), "one of: a, é");
    desk.keys("Alt-8 c").await;
    assert_eq!(desk.text(), "let é = é;\nlet é = é;\n");
    desk.type_in("漢").await;
    desk.keys("Tab").await;
    desk.type_in("!").await;
    assert_eq!(desk.text(), "let 漢 = 漢;!\nlet 漢 = 漢;!\n");
    desk.keys("Ctrl-z Ctrl-z Ctrl-z Ctrl-z").await;
    assert_eq!(desk.text(), before, "what was put in is one step");
}

#[tokio::test]
async fn variables_are_filled_in_and_leaving_ends_it() {
    let mut desk = desk("word\nend\n").await;
    desk.keys("Shift-End").await;
    put(&mut desk, "head").await;
    assert_eq!(desk.text(), "// größe: word\nend\n");
    assert_eq!(desk.selected(), ["word"]);
    desk.keys("Down End Tab").await;
    assert_eq!(desk.text(), "// größe: word\nend \n", "elsewhere a tab is a tab");
    desk.keys("Ctrl-Home").await;
    put(&mut desk, "loop").await;
    desk.keys("Escape Tab").await;
    assert!(desk.text().starts_with("for "), "{}", desk.text());
    assert!(desk.state().buffers.current().unwrap().area.per_view.stops.is_none());
}

#[tokio::test]
async fn what_is_wrong_with_snippets_is_told() {
    let mut desk = desk("x\n").await;
    put(&mut desk, "torn").await;
    assert!(desk.message().contains("the `${` at character 1 has no `}`"), "{}", desk.message());
    assert_eq!(desk.text(), "x\n");
    desk.keys("Alt-8 n").await;
    assert_eq!(desk.message(), "No active snippet");
    desk.keys("Alt-8 c").await;
    assert_eq!(desk.message(), "No snippet choice here");
    let mut desk = Plan::new().with("a.py", "").start().await;
    desk.keys("Alt-8 s").await;
    assert!(desk.message().contains("No snippets for python in "), "{}", desk.message());
    desk.keys("Escape Alt-3 F1").await;
    desk.type_in("snippet.insert").await;
    desk.keys("Enter").await;
    assert_eq!(desk.message(), "Snippets need an open file");
}

#[tokio::test]
async fn a_list_of_places_is_no_text_to_go_through_stops_in() {
    let everywhere = r#"{"Long": {"prefix": "long", "body": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa$1"}}"#;
    let plan = Plan::new().config("snippets/all.code-snippets", everywhere).with("é.txt", "é one\n");
    let mut desk = plan.start().await;
    desk.keys("Alt-6 s Ctrl-u").await;
    desk.type_in("one").await;
    desk.keys("Enter Ctrl-Home Right").await;
    let list = desk.text();
    put(&mut desk, "long").await;
    assert_eq!(desk.text(), list, "names of places stay");
    desk.type_in("x").await;
    assert_eq!(desk.text(), list);
    desk.keys("Ctrl-End Left").await;
    put(&mut desk, "long").await;
    assert!(desk.text().contains("aaaa"), "behind them it is text: {}", desk.text());
}
