//! Rows that are not lines: long lines that go on below, folded lines; keys and the mouse go by
//! what is seen.

use bowline::text::inlay::Inlay;
use bowline::text::position::Byte;
use bowline::tui::input::{Button, MouseKind};

use crate::support::desk::{Desk, Plan};

const PROSE: &str = "A line that is much longer than the pane goes on in the next row, below its own words.\n    Indented text with 漢字 and é goes on below its indentation, as far as there is room for it.\nshort\n";
const CODE: &str = "fn one() {\n    if a {\n        b();\n    }\n    é();\n}\n\nfn two() {\n    c();\n}\n";

fn caret(desk: &mut Desk) -> (u16, u16) {
    desk.ide.app().frame();
    desk.ide.app().screen.cursor().unwrap()
}

#[tokio::test]
async fn long_lines_go_on_below() {
    let mut desk = Plan::new().with("a.txt", PROSE).size(40, 14).start().await;
    desk.keys("Alt-, w").await;
    desk.snap("wrap");
    let start = caret(&mut desk);
    desk.keys("Down Down").await;
    assert_eq!(desk.cursor().0, 1, "still the same line");
    assert_eq!(caret(&mut desk), (start.0, start.1 + 2));
    desk.keys("End").await;
    let end = caret(&mut desk);
    assert_eq!((desk.cursor().0, end.1), (1, start.1 + 2));
    desk.keys("Home").await;
    assert_eq!(caret(&mut desk).1, end.1);
    desk.keys("Home").await;
    assert_eq!(caret(&mut desk), start, "again: to the start of the line");
    let (x, y) = desk.find("goes on below");
    desk.click(x, y);
    assert_eq!(caret(&mut desk), (x, y));
    assert_eq!(desk.cursor().0, 2);
    desk.type_in("X").await;
    assert!(desk.text().contains("é Xgoes on below"));
    desk.ide.resize(20, 5);
    desk.ide.idle().await;
    desk.snap("wrap");
    desk.ide.resize(40, 14);
    desk.keys("Alt-, w").await;
    assert!(!desk.picture().contains('↪'));
}

#[tokio::test]
async fn a_page_is_a_page_of_rows() {
    let words = "many words in one line ".repeat(200);
    let mut desk = Plan::new().with("a.txt", format!("{words}\nlast\n")).size(40, 12).start().await;
    desk.keys("Alt-, w PageDown").await;
    assert_eq!(desk.cursor().0, 1, "{}", desk.picture());
    let top = desk.state().shown.clone().unwrap().rows[0].clone();
    assert!(!top.is_first);
    desk.keys("PageUp").await;
    assert!(desk.state().shown.clone().unwrap().rows[0].is_first);
    desk.mouse(MouseKind::ScrollDown, 10, 5);
    let rows = desk.state().shown.clone().unwrap().rows;
    assert!(!rows[0].is_first && rows[0].line.0 == 0, "the wheel scrolls by rows");
    desk.keys("Ctrl-End").await;
    assert_eq!(desk.cursor().0, 3);
    assert!(desk.picture().contains("last"));
}

#[tokio::test]
async fn one_line_of_megabytes_is_wrapped_and_typed_into() {
    let line = "words and more words in a line that never ends ".repeat(60_000);
    let mut desk = Plan::new().with("a.txt", line).start().await;
    desk.keys("Alt-, w Ctrl-End").await;
    desk.type_in("the end").await;
    assert!(desk.picture().contains("the end"), "{}", desk.picture());
    desk.keys("Up Up PageUp").await;
    let started = std::time::Instant::now();
    for _ in 0..20 {
        desk.keys("Up").await;
    }
    // Laid out from its start, each of these would take seconds.
    assert!(started.elapsed() < std::time::Duration::from_secs(10));
}

#[tokio::test]
async fn folds_close_and_open() {
    let mut desk = Plan::new().with("a.rs", CODE).start().await;
    desk.keys("Down Down Alt-, f").await;
    desk.snap("fold_inner");
    assert_eq!(desk.cursor().0, 2, "the cursor goes to the line that is left");
    desk.keys("Down").await;
    assert_eq!(desk.cursor().0, 4);
    desk.keys("Up End Right").await;
    assert_eq!(desk.cursor(), (4, 1));
    desk.keys("Left").await;
    assert_eq!(desk.cursor(), (2, 11));
    desk.keys("Alt-, f").await;
    assert!(desk.picture().contains("b();"));
    desk.keys("Alt-, F").await;
    desk.snap("fold_all");
    desk.keys("Alt-, o").await;
    assert!(desk.picture().contains("b();") && desk.picture().contains("c();"));
    desk.keys("Alt-, 2").await;
    assert!(!desk.picture().contains("b();") && desk.picture().contains("c();"));
    desk.keys("Alt-, 1").await;
    assert!(!desk.picture().contains("if a") && !desk.picture().contains("c();"));
    desk.keys("Alt-, 3").await;
    assert_eq!(desk.message(), "Nothing to fold here");
}

#[tokio::test]
async fn searches_and_edits_open_folds() {
    let mut desk = Plan::new().with("a.rs", CODE).start().await;
    desk.keys("Alt-, F Ctrl-f").await;
    desk.type_in("b()").await;
    desk.keys("Enter").await;
    assert!(desk.picture().contains("b();") && !desk.picture().contains("c();"), "{}", desk.picture());
    assert_eq!(desk.selected(), ["b()"]);
    desk.keys("Ctrl-Home Alt-, F Ctrl-g").await;
    desk.type_in("9").await;
    desk.keys("Enter").await;
    assert!(desk.picture().contains("c();") && desk.cursor().0 == 9);
    desk.keys("Ctrl-Home Alt-, F End Enter").await;
    assert!(desk.picture().contains("é();"), "a new line behind the first one opens it: {}", desk.picture());
    desk.keys("Ctrl-z Ctrl-Home Alt-, F").await;
    desk.type_in("// ").await;
    assert!(desk.picture().contains("⋯"), "typing in the first line leaves it closed");
    desk.keys("Ctrl-Home Delete Delete Delete").await;
    assert_eq!(desk.text(), CODE);
}

#[tokio::test]
async fn the_mouse_opens_folds() {
    for (text, offset) in [("⋯ 4 lines", 2), ("▸fn one", 0)] {
        let mut desk = Plan::new().with("a.rs", CODE).start().await;
        desk.keys("Alt-, 1").await;
        let (x, y) = desk.find(text);
        desk.click(x + offset, y);
        assert!(desk.picture().contains("if a"), "{}", desk.picture());
        let (x, y) = desk.find("é();");
        desk.mouse(MouseKind::Down(Button::Left), x, y);
        assert_eq!(desk.cursor(), (5, 5));
    }
}

#[tokio::test]
async fn text_without_a_language_is_folded_by_its_indentation() {
    let mut desk = Plan::new().with("a.txt", "one\n  two\n  three\n\nfour\n").start().await;
    desk.keys("Down Alt-, f").await;
    let picture = desk.picture();
    assert!(picture.contains("one ⋯ 2 lines") && !picture.contains("three"), "{picture}");
    desk.keys("Down Down").await;
    assert_eq!(desk.cursor().0, 5);
}

#[tokio::test]
async fn what_is_shown_but_not_there_has_cells_and_no_places() {
    let mut desk = Plan::new().with("a.rs", "let a = 漢;\nlet b = 2;\n").start().await;
    let hint = Inlay { at: Byte(5), text: ": u8".into(), scope: "ui.inlay" };
    let told = Inlay { at: Byte(12), text: "  \u{1b}[31m!".into(), scope: "ui.inlay" };
    let buffer = desk.state().buffers.current_mut().unwrap();
    buffer.area.per_view.inlays.set("test", [hint, told]);
    desk.state().damage.all();
    let picture = desk.picture();
    assert!(picture.contains("let a: u8 = 漢;  ␛[31m!"), "{picture}");
    let (x, y) = desk.find(": u8");
    desk.click(x + 2, y);
    assert_eq!(caret(&mut desk), (x, y), "a cursor stands before it");
    desk.keys("Right").await;
    assert_eq!(caret(&mut desk), (x + 5, y), "and goes over it in one step");
    desk.keys("Down").await;
    assert_eq!(caret(&mut desk), (x + 5, y + 1), "down keeps the cell");
    desk.keys("Ctrl-Home").await;
    desk.type_in("é").await;
    assert!(desk.picture().contains("élet a: u8 = 漢;"), "it travels with the text");
    assert_eq!(desk.text(), "élet a = 漢;\nlet b = 2;\n");
}
