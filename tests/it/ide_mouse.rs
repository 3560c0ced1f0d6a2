//! The mouse in a text, the terminal's own cursor, and scripts that run from right to left.

use bowline::tui::input::{Button, Input, Mods, Mouse, MouseKind};

use crate::support::desk::{Desk, Plan};

const TEXT: &str = "one two three\nfour five\n\tsix 漢字 seven\n";

async fn desk() -> Desk {
    Plan::new().with("a.txt", TEXT).start().await
}

fn with(desk: &mut Desk, mods: Mods, col: u16, row: u16) {
    for kind in [MouseKind::Down(Button::Left), MouseKind::Up(Button::Left)] {
        desk.ide.input(Input::Mouse(Mouse { kind, col, row, mods }));
    }
}

#[tokio::test]
async fn presses_select_by_characters_words_and_lines() {
    let mut desk = desk().await;
    let (x, y) = desk.find("two");
    desk.click(x + 1, y);
    assert_eq!(desk.cursor(), (1, 6));
    desk.click(x + 1, y);
    assert_eq!(desk.selected(), ["two"]);
    desk.click(x + 1, y);
    assert_eq!(desk.selected(), ["one two three\n"]);
    desk.click(x + 1, y);
    assert_eq!(desk.selected(), [""]);
}

#[tokio::test]
async fn a_drag_goes_on_by_what_was_pressed() {
    let mut desk = desk().await;
    let (x, y) = desk.find("two");
    desk.mouse(MouseKind::Down(Button::Left), x + 1, y);
    desk.mouse(MouseKind::Drag(Button::Left), x + 5, y);
    assert_eq!(desk.selected(), ["wo t"]);
    desk.mouse(MouseKind::Drag(Button::Left), x - 1, y);
    assert_eq!(desk.selected(), [" t"]);
    desk.mouse(MouseKind::Up(Button::Left), x - 1, y);
    // Twice: by words, in both directions, the first word always in it.
    desk.click(x + 1, y);
    desk.mouse(MouseKind::Down(Button::Left), x + 1, y);
    desk.mouse(MouseKind::Drag(Button::Left), x + 6, y);
    assert_eq!(desk.selected(), ["two three"]);
    desk.mouse(MouseKind::Drag(Button::Left), x - 3, y);
    assert_eq!(desk.selected(), ["one two"]);
    desk.mouse(MouseKind::Up(Button::Left), x - 3, y);
    desk.keys("Right").await;
    // Three times: by lines.
    for _ in 0..2 {
        desk.click(x + 1, y);
    }
    desk.mouse(MouseKind::Down(Button::Left), x + 1, y);
    desk.mouse(MouseKind::Drag(Button::Left), x, y + 1);
    assert_eq!(desk.selected(), ["one two three\nfour five\n"]);
}

#[tokio::test]
async fn a_drag_outlives_what_is_typed_meanwhile() {
    let mut desk = desk().await;
    let (x, y) = desk.find("seven");
    desk.mouse(MouseKind::Down(Button::Left), x, y);
    desk.keys("Ctrl-Shift-Home").await;
    desk.type_in("é").await;
    desk.mouse(MouseKind::Drag(Button::Left), x, 1);
    desk.type_in("a").await;
    assert_eq!(desk.text(), "éa\n", "from where the cursor was");
}

#[tokio::test]
async fn shift_extends_and_alt_adds() {
    let mut desk = desk().await;
    let (x, y) = desk.find("two");
    desk.click(x, y);
    with(&mut desk, Mods::SHIFT, x + 3, y);
    assert_eq!(desk.selected(), ["two"]);
    desk.click(x, y);
    with(&mut desk, Mods::ALT, x, y + 1);
    desk.type_in("é").await;
    assert_eq!(desk.text(), "one étwo three\nfouré five\n\tsix 漢字 seven\n");
}

#[tokio::test]
async fn a_drag_beyond_the_edge_scrolls() {
    let text = (0..100).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let mut desk = Plan::new().with("a.txt", text).start().await;
    let (x, y) = desk.find("line 5");
    desk.mouse(MouseKind::Down(Button::Left), x, y);
    for _ in 0..10 {
        desk.mouse(MouseKind::Drag(Button::Left), x, 23);
    }
    assert!(desk.state().shown.clone().unwrap().rows[0].line.0 >= 10, "{}", desk.picture());
    desk.mouse(MouseKind::Up(Button::Left), x, 23);
    assert!(desk.selected()[0].starts_with("line 5\n"));
}

#[tokio::test]
async fn the_terminals_cursor_is_where_the_text_is() {
    let mut desk = desk().await;
    let caret = |desk: &mut Desk| {
        desk.ide.app().frame();
        desk.ide.app().screen.cursor().unwrap()
    };
    let (x, y) = desk.find("字");
    desk.click(x, y);
    assert_eq!(caret(&mut desk), (x, y), "a wide character has two cells");
    desk.wait(std::time::Duration::from_secs(1));
    desk.click(x + 1, y);
    assert_eq!(caret(&mut desk), (x, y));
    desk.keys("Home").await;
    assert_eq!(caret(&mut desk).0, desk.find("six").0);
    desk.keys("Home").await;
    assert_eq!(caret(&mut desk).0, desk.find("six").0 - 4, "before the tab");
    desk.keys("Ctrl-f").await;
    let shown = desk.state().shown.clone().unwrap().area;
    assert!(
        !shown.contains(caret(&mut desk).into()) || desk.picture().contains("Find in file"),
        "questions have it"
    );
}

#[tokio::test]
async fn text_from_right_to_left_is_kept_and_cannot_turn_the_line_around() {
    let text = "let שלום = \"مرحبا\"; // \u{202e}gnirts\n";
    let mut desk = Plan::new().with("a.rs", text).start().await;
    let picture = desk.picture();
    assert!(picture.contains("שלום") && picture.contains("مرحبا"), "in the order of the text: {picture}");
    assert!(picture.contains("<U+202E>gnirts") && !picture.contains('\u{202e}'), "{picture}");
    desk.keys("End").await;
    desk.type_in("!").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.disk("a.rs"), text.replace('\n', "!\n"));
    desk.keys("Ctrl-Right").await;
    desk.keys("Ctrl-Home Ctrl-Right Ctrl-Right").await;
    assert_eq!(desk.cursor(), (1, 9), "one cell a letter, as the terminal counts");
}
