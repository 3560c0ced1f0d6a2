//! The mouse in a text, the terminal's own cursor, and scripts that run from right to left.

use bowline::tui::input::{Button, Input, Mods, Mouse, MouseKind};

use crate::support::test_ide::{IdeSetup, TestIde};

const TEXT: &str = "one two three\nfour five\n\tsix 漢字 seven\n";

async fn ide() -> TestIde {
    IdeSetup::new().with("a.txt", TEXT).start().await
}

fn click_with(ide: &mut TestIde, mods: Mods, col: u16, row: u16) {
    for kind in [MouseKind::Down(Button::Left), MouseKind::Up(Button::Left)] {
        ide.headless.input(Input::Mouse(Mouse { kind, col, row, mods }));
    }
}

#[tokio::test]
async fn mouse_clicks_select_words_and_lines() {
    let mut ide = ide().await;
    let (x, y) = ide.find("two");
    ide.click(x + 1, y);
    assert_eq!(ide.cursor(), (1, 6));
    ide.click(x + 1, y);
    assert_eq!(ide.selected_texts(), ["two"]);
    ide.click(x + 1, y);
    assert_eq!(ide.selected_texts(), ["one two three\n"]);
    ide.click(x + 1, y);
    assert_eq!(ide.selected_texts(), [""]);
}

#[tokio::test]
async fn mouse_drag_extends_by_character_word_or_line() {
    let mut ide = ide().await;
    let (x, y) = ide.find("two");
    ide.mouse(MouseKind::Down(Button::Left), x + 1, y);
    ide.mouse(MouseKind::Drag(Button::Left), x + 5, y);
    assert_eq!(ide.selected_texts(), ["wo t"]);
    ide.mouse(MouseKind::Drag(Button::Left), x - 1, y);
    assert_eq!(ide.selected_texts(), [" t"]);
    ide.mouse(MouseKind::Up(Button::Left), x - 1, y);
    // Twice: by words, in both directions, the first word always in it.
    ide.click(x + 1, y);
    ide.mouse(MouseKind::Down(Button::Left), x + 1, y);
    ide.mouse(MouseKind::Drag(Button::Left), x + 6, y);
    assert_eq!(ide.selected_texts(), ["two three"]);
    ide.mouse(MouseKind::Drag(Button::Left), x - 3, y);
    assert_eq!(ide.selected_texts(), ["one two"]);
    ide.mouse(MouseKind::Up(Button::Left), x - 3, y);
    ide.keys("Right").await;
    // Three times: by lines.
    for _ in 0..2 {
        ide.click(x + 1, y);
    }
    ide.mouse(MouseKind::Down(Button::Left), x + 1, y);
    ide.mouse(MouseKind::Drag(Button::Left), x, y + 1);
    assert_eq!(ide.selected_texts(), ["one two three\nfour five\n"]);
}

#[tokio::test]
async fn mouse_drag_continues_from_cursor_after_typing() {
    let mut ide = ide().await;
    let (x, y) = ide.find("seven");
    ide.mouse(MouseKind::Down(Button::Left), x, y);
    ide.keys("Ctrl-Shift-Home").await;
    ide.type_in("é").await;
    ide.mouse(MouseKind::Drag(Button::Left), x, 1);
    ide.type_in("a").await;
    assert_eq!(ide.text(), "éa\n", "from where the cursor was");
}

#[tokio::test]
async fn mouse_shift_extends_and_alt_adds_cursor() {
    let mut ide = ide().await;
    let (x, y) = ide.find("two");
    ide.click(x, y);
    click_with(&mut ide, Mods::SHIFT, x + 3, y);
    assert_eq!(ide.selected_texts(), ["two"]);
    ide.click(x, y);
    click_with(&mut ide, Mods::ALT, x, y + 1);
    ide.type_in("é").await;
    assert_eq!(ide.text(), "one étwo three\nfouré five\n\tsix 漢字 seven\n");
}

#[tokio::test]
async fn mouse_drag_beyond_edge_scrolls() {
    let text = (0..100).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let mut ide = IdeSetup::new().with("a.txt", text).start().await;
    let (x, y) = ide.find("line 5");
    ide.mouse(MouseKind::Down(Button::Left), x, y);
    for _ in 0..10 {
        ide.mouse(MouseKind::Drag(Button::Left), x, 23);
    }
    assert!(ide.state().visible_rows.clone().unwrap().rows[0].line.0 >= 10, "{}", ide.picture());
    ide.mouse(MouseKind::Up(Button::Left), x, 23);
    assert!(ide.selected_texts()[0].starts_with("line 5\n"));
}

#[tokio::test]
async fn terminal_cursor_matches_text_position() {
    let mut ide = ide().await;
    let caret = |ide: &mut TestIde| {
        ide.headless.app().frame();
        ide.headless.app().screen.cursor().unwrap()
    };
    let (x, y) = ide.find("字");
    ide.click(x, y);
    assert_eq!(caret(&mut ide), (x, y), "a wide character has two cells");
    ide.advance(std::time::Duration::from_secs(1));
    ide.click(x + 1, y);
    assert_eq!(caret(&mut ide), (x, y));
    ide.keys("Home").await;
    assert_eq!(caret(&mut ide).0, ide.find("six").0);
    ide.keys("Home").await;
    assert_eq!(caret(&mut ide).0, ide.find("six").0 - 4, "before the tab");
    ide.keys("Ctrl-f").await;
    let shown = ide.state().visible_rows.clone().unwrap().area;
    assert!(
        !shown.contains(caret(&mut ide).into()) || ide.picture().contains("Find in file"),
        "questions have it"
    );
}

#[tokio::test]
async fn right_to_left_text_keeps_logical_order() {
    let text = "let שלום = \"مرحبا\"; // \u{202e}gnirts\n";
    let mut ide = IdeSetup::new().with("a.rs", text).size(120, 24).start().await;
    let picture = ide.picture();
    assert!(picture.contains("שלום") && picture.contains("مرحبا"), "in the order of the text: {picture}");
    assert!(picture.contains("<U+202E>gnirts") && !picture.contains('\u{202e}'), "{picture}");
    ide.keys("End").await;
    ide.type_in("!").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("a.rs"), text.replace('\n', "!\n"));
    ide.keys("Ctrl-Right").await;
    ide.keys("Ctrl-Home Ctrl-Right Ctrl-Right").await;
    assert_eq!(ide.cursor(), (1, 9), "one cell a letter, as the terminal counts");
}
