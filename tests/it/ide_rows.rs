//! Rows that are not lines: long lines that go on below, folded lines; keys and the mouse go by
//! what is seen.

use bowline::text::display::inlay::Inlay;
use bowline::text::position::Byte;
use bowline::tui::input::{Button, MouseKind};

use crate::support::test_ide::{IdeSetup, TestIde};

const PROSE: &str = "A line that is much longer than the pane goes on in the next row, below its own words.\n    Indented text with 漢字 and é goes on below its indentation, as far as there is room for it.\nshort\n";
const CODE: &str = "fn one() {\n    if a {\n        b();\n    }\n    é();\n}\n\nfn two() {\n    c();\n}\n";

fn screen_cursor(ide: &mut TestIde) -> (u16, u16) {
    ide.headless.app().frame();
    ide.headless.app().screen.cursor().unwrap()
}

#[tokio::test]
async fn soft_wrap_navigates_by_visual_rows() {
    let mut ide = IdeSetup::new().with("a.txt", PROSE).size(40, 14).start().await;
    ide.snap("wrap");
    let start = screen_cursor(&mut ide);
    ide.keys("Down Down").await;
    assert_eq!(ide.cursor().0, 1, "still the same line");
    assert_eq!(screen_cursor(&mut ide), (start.0, start.1 + 2));
    ide.keys("End").await;
    let end = screen_cursor(&mut ide);
    assert_eq!((ide.cursor().0, end.1), (1, start.1 + 2));
    ide.keys("Home").await;
    assert_eq!(screen_cursor(&mut ide).1, end.1);
    ide.keys("Home").await;
    assert_eq!(screen_cursor(&mut ide), start, "again: to the start of the line");
    let (x, y) = ide.find("goes on below");
    ide.click(x, y);
    assert_eq!(screen_cursor(&mut ide), (x, y));
    assert_eq!(ide.cursor().0, 2);
    ide.type_in("X").await;
    assert!(ide.text().contains("é Xgoes on below"));
    ide.headless.resize(20, 5);
    ide.headless.idle().await;
    ide.snap("wrap");
    ide.headless.resize(40, 14);
    ide.keys("Alt-, v w").await;
    assert!(!ide.picture().contains('↪'));
}

#[tokio::test]
async fn soft_wrap_is_for_prose_unless_the_setting_says_otherwise() {
    let long = "many words in one line ".repeat(20);
    let setup = IdeSetup::new().with("a.rs", &long).with("b.md", &long).size(60, 14);
    let mut ide = setup.start().await;
    let is_wrapped = |ide: &mut TestIde| ide.picture().contains('↪');
    assert!(!is_wrapped(&mut ide), "{}", ide.picture());
    ide.keys("Alt-PageDown").await;
    assert!(is_wrapped(&mut ide), "{}", ide.picture());
    ide.keys("Alt-, v w").await;
    assert_eq!((ide.status_message().as_str(), is_wrapped(&mut ide)), ("Word wrap: off", false));
    ide.keys("Alt-PageDown Alt-, v w").await;
    assert_eq!((ide.status_message().as_str(), is_wrapped(&mut ide)), ("Word wrap: on", true));
    ide.keys("Ctrl-,").await;
    ide.type_in("soft-wrap").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    ide.keys("Up Enter").await;
    ide.headless.idle().await;
    ide.keys("Escape").await;
    assert!(!is_wrapped(&mut ide), "the setting is off: {}", ide.picture());
}

#[tokio::test]
async fn soft_wrap_pages_and_scrolls_by_rows() {
    let words = "many words in one line ".repeat(200);
    let mut ide = IdeSetup::new().with("a.txt", format!("{words}\nlast\n")).size(40, 12).start().await;
    ide.keys("PageDown").await;
    assert_eq!(ide.cursor().0, 1, "{}", ide.picture());
    let top = ide.state().visible_rows.clone().unwrap().rows[0].clone();
    assert!(!top.is_first);
    ide.keys("PageUp").await;
    assert!(ide.state().visible_rows.clone().unwrap().rows[0].is_first);
    ide.mouse(MouseKind::ScrollDown, 10, 5);
    let rows = ide.state().visible_rows.clone().unwrap().rows;
    assert!(!rows[0].is_first && rows[0].line.0 == 0, "the wheel scrolls by rows");
    ide.keys("Ctrl-End").await;
    assert_eq!(ide.cursor().0, 3);
    assert!(ide.picture().contains("last"));
}

#[tokio::test]
async fn soft_wrap_of_huge_line_stays_fast() {
    let line = "words and more words in a line that never ends ".repeat(60_000);
    let mut ide = IdeSetup::new().with("a.txt", line).start().await;
    ide.keys("Ctrl-End").await;
    ide.type_in("the end").await;
    assert!(ide.picture().contains("the end"), "{}", ide.picture());
    ide.keys("Up Up PageUp").await;
    let started = std::time::Instant::now();
    for _ in 0..20 {
        ide.keys("Up").await;
    }
    // Laid out from its start, each of these would take seconds.
    assert!(started.elapsed() < std::time::Duration::from_secs(10));
}

#[tokio::test]
async fn folds_close_and_open_by_keys() {
    let mut ide = IdeSetup::new().with("a.rs", CODE).start().await;
    ide.keys("Down Down Alt-, z f").await;
    ide.snap("fold_inner");
    assert_eq!(ide.cursor().0, 2, "the cursor goes to the line that is left");
    ide.keys("Down").await;
    assert_eq!(ide.cursor().0, 4);
    ide.keys("Up End Right").await;
    assert_eq!(ide.cursor(), (4, 1));
    ide.keys("Left").await;
    assert_eq!(ide.cursor(), (2, 11));
    ide.keys("Alt-, z f").await;
    assert!(ide.picture().contains("b();"));
    ide.keys("Alt-, z F").await;
    ide.snap("fold_all");
    ide.keys("Alt-, z o").await;
    assert!(ide.picture().contains("b();") && ide.picture().contains("c();"));
    ide.keys("Alt-, z 2").await;
    assert!(!ide.picture().contains("b();") && ide.picture().contains("c();"));
    ide.keys("Alt-, z 1").await;
    assert!(!ide.picture().contains("if a") && !ide.picture().contains("c();"));
    ide.keys("Alt-, z 3").await;
    assert_eq!(ide.status_message(), "Nothing to fold here");
}

#[tokio::test]
async fn folds_open_on_search_and_edit() {
    let mut ide = IdeSetup::new().with("a.rs", CODE).start().await;
    ide.keys("Alt-, z F Ctrl-f").await;
    ide.type_in("b()").await;
    ide.keys("Escape").await;
    assert!(ide.picture().contains("b();") && !ide.picture().contains("c();"), "{}", ide.picture());
    ide.keys("Ctrl-Home Alt-, z F Ctrl-g").await;
    ide.type_in("9").await;
    ide.keys("Enter").await;
    assert!(ide.picture().contains("c();") && ide.cursor().0 == 9);
    ide.keys("Ctrl-Home Alt-, z F End Enter").await;
    assert!(ide.picture().contains("é();"), "a new line behind the first one opens it: {}", ide.picture());
    ide.keys("Ctrl-z Ctrl-Home Alt-, z F").await;
    ide.type_in("// ").await;
    assert!(ide.picture().contains("⋯"), "typing in the first line leaves it closed");
    ide.keys("Ctrl-Home Delete Delete Delete").await;
    assert_eq!(ide.text(), CODE);
}

#[tokio::test]
async fn folds_open_on_mouse_click() {
    for (text, offset) in [("⋯ 4 lines", 2), ("▸fn one", 0)] {
        let mut ide = IdeSetup::new().with("a.rs", CODE).start().await;
        ide.keys("Alt-, z 1").await;
        let (x, y) = ide.find(text);
        ide.click(x + offset, y);
        assert!(ide.picture().contains("if a"), "{}", ide.picture());
        let (x, y) = ide.find("é();");
        ide.mouse(MouseKind::Down(Button::Left), x, y);
        assert_eq!(ide.cursor(), (5, 5));
    }
}

#[tokio::test]
async fn fold_of_plain_text_uses_indentation() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n  two\n  three\n\nfour\n").start().await;
    ide.keys("Down Alt-, z f").await;
    let picture = ide.picture();
    assert!(picture.contains("one ⋯ 2 lines") && !picture.contains("three"), "{picture}");
    ide.keys("Down Down").await;
    assert_eq!(ide.cursor().0, 5);
}

#[tokio::test]
async fn inlay_hints_take_cells_but_no_cursor_positions() {
    let mut ide = IdeSetup::new().with("a.rs", "let a = 漢;\nlet b = 2;\n").start().await;
    let hint = Inlay { at: Byte(5), text: ": u8".into(), scope: "ui.inlay", ..Inlay::default() };
    let told = Inlay { at: Byte(12), text: "  \u{1b}[31m!".into(), scope: "ui.inlay", ..Inlay::default() };
    let buffer = ide.state().buffers.current_mut().unwrap();
    buffer.area.per_view.inlays.set("test", [hint, told]);
    ide.state().damage.add_all();
    let picture = ide.picture();
    assert!(picture.contains("let a: u8 = 漢;  ␛[31m!"), "{picture}");
    let (x, y) = ide.find(": u8");
    ide.click(x + 2, y);
    assert_eq!(screen_cursor(&mut ide), (x, y), "a cursor stands before it");
    ide.keys("Right").await;
    assert_eq!(screen_cursor(&mut ide), (x + 5, y), "and goes over it in one step");
    ide.keys("Down").await;
    assert_eq!(screen_cursor(&mut ide), (x + 5, y + 1), "down keeps the cell");
    ide.keys("Ctrl-Home").await;
    ide.type_in("é").await;
    assert!(ide.picture().contains("élet a: u8 = 漢;"), "it travels with the text");
    assert_eq!(ide.text(), "élet a = 漢;\nlet b = 2;\n");
}
