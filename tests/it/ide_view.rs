//! What the editor shows beside the text: numbers, brackets, blanks, guides, rulers, the
//! scrollbar; and that typing draws no more than what differs.

use bowline::ide::model::display::Blanks;
use bowline::tui::input::{Input, MouseKind};
use bowline::tui::theme::Theme;
use ratatui::style::Style;

use crate::support::desk::{Desk, Plan};

const CODE: &str =
    "fn main() {\n\tlet text = \"(\";\n\n    if text.len() > (1 + 2) {  \n        漢(text);\n    }\n}\n";

/// The style of the cell where a text begins on the screen, with an offset.
fn style(desk: &mut Desk, text: &str, offset: u16) -> Style {
    let (x, y) = desk.find(text);
    desk.ide.app().frame();
    desk.ide.app().screen.buffer()[(x + offset, y)].style()
}

fn scope(name: &'static str) -> Style {
    Theme::builtin().style(name)
}

fn is_marked(desk: &mut Desk, text: &str, offset: u16) -> bool {
    style(desk, text, offset).add_modifier == scope("ui.bracket").add_modifier
}

#[tokio::test]
async fn numbers_are_absolute_relative_or_gone() {
    let mut desk = Plan::new().with("a.rs", CODE).start().await;
    desk.keys("Alt-, r Down Down").await;
    desk.snap("view_relative");
    desk.keys("Alt-, n").await;
    assert!(desk.picture().contains("│ fn main() {"), "{}", desk.picture());
    assert_eq!(desk.message(), "line numbers: off");
    desk.keys("Alt-, n Alt-, r").await;
    assert!(desk.picture().contains("  1 fn main() {"), "{}", desk.picture());
}

#[tokio::test]
async fn blanks_guides_and_rulers() {
    let mut desk = Plan::new().with("a.rs", CODE).size(60, 12).start().await;
    desk.keys("Alt-, v Alt-, g").await;
    assert_eq!(desk.state().look.blanks, Blanks::Trailing);
    desk.snap("view_trailing_guides");
    desk.keys("Alt-, v").await;
    desk.snap("view_blanks");
    desk.keys("Alt-, u").await;
    let ruler = scope("ui.ruler").bg;
    // The text begins behind the gutter of six cells; the desk wraps at 40.
    desk.ide.app().frame();
    let column = |desk: &mut Desk, x: u16| desk.ide.app().screen.buffer()[(x, 9)].style().bg;
    assert_eq!(column(&mut desk, 6 + 40), ruler);
    assert_ne!(column(&mut desk, 6 + 39), ruler);
    desk.keys("Alt-, u").await;
    assert_ne!(column(&mut desk, 6 + 40), ruler);
}

#[tokio::test]
async fn blanks_of_long_lines_are_drawn_whatever_stands_beyond_the_edge() {
    for shift in 0..4 {
        let line = format!("{} {}\n", "a".repeat(40 + shift), "漢\u{fffd}é".repeat(200));
        let mut desk = Plan::new().with("a.txt", line).size(60, 12).start().await;
        desk.state().look.wrap = false;
        desk.keys("Alt-, v Alt-, v").await;
        assert_eq!(desk.state().look.blanks, Blanks::All);
        for cols in 20..70 {
            desk.ide.resize(cols, 12);
        }
        assert!(desk.picture().contains("aaa·漢"), "{}", desk.picture());
    }
}

#[tokio::test]
async fn what_is_longer_than_wanted_is_marked() {
    let mut desk = Plan::new().with("a.txt", "12345678901234\n漢漢漢漢漢漢\nshort\n").start().await;
    desk.state().look.line_max = 10;
    desk.state().damage.all();
    let red = scope("ui.overlong").fg;
    assert_eq!(style(&mut desk, "12345678901234", 10).fg, red);
    assert_ne!(style(&mut desk, "12345678901234", 9).fg, red);
    assert_eq!(style(&mut desk, "漢漢漢漢漢漢", 10).fg, red);
    assert_ne!(style(&mut desk, "short", 4).fg, red);
}

#[tokio::test]
async fn brackets_have_their_partners_as_the_code_means_them() {
    let mut desk = Plan::new().with("a.rs", CODE).start().await;
    // At `(1`, whose partner is `)` before ` {`.
    desk.keys("Down Down Down End").await;
    for _ in 0..11 {
        desk.keys("Left").await;
    }
    assert!(is_marked(&mut desk, "(1 + 2)", 0) && is_marked(&mut desk, "(1 + 2)", 6));
    desk.keys("Left").await;
    assert!(!is_marked(&mut desk, "(1 + 2)", 0) && !is_marked(&mut desk, "(1 + 2)", 6));
    // The bracket in the text is none that another line could close.
    desk.keys("Ctrl-Home Down End Left Left Left").await;
    assert!(!is_marked(&mut desk, "(\";", 0));
    desk.keys("Ctrl-Home End").await;
    assert!(is_marked(&mut desk, "{", 0), "the bracket before the cursor counts, too");
    let (x, y) = desk.find("main");
    desk.ide.app().frame();
    let last = desk.ide.app().screen.buffer()[(x - 3, y + 6)].style();
    assert_eq!(last.add_modifier, scope("ui.bracket").add_modifier, "its partner is the last line");
    desk.keys("Alt-, b").await;
    assert!(!is_marked(&mut desk, "{", 0));
}

fn bar(desk: &mut Desk) -> String {
    desk.ide.app().frame();
    let shown = desk.state().shown.clone().unwrap();
    let x = shown.area.right() - 1;
    let buffer = desk.ide.app().screen.buffer();
    (shown.area.top()..shown.area.bottom()).map(|y| buffer[(x, y)].symbol().to_string()).collect()
}

#[tokio::test]
async fn the_scrollbar_shows_where_things_are() {
    let text: String = (0..100).map(|n| if n % 50 == 30 { "a wanted line\n" } else { "a line\n" }).collect();
    let mut desk = Plan::new().with("a.txt", text).size(60, 12).start().await;
    assert_eq!(bar(&mut desk), "─         ");
    desk.keys("Ctrl-f").await;
    desk.type_in("wanted").await;
    desk.keys("Enter").await;
    assert_eq!(bar(&mut desk), "  ─    •  ", "the cursor covers the match where it is");
    let thumb = |desk: &mut Desk| {
        desk.state().shown.clone().unwrap().bar.iter().map(|cell| cell.is_thumb).collect::<Vec<_>>()
    };
    assert_eq!(thumb(&mut desk).iter().filter(|is| **is).count(), 2);
    desk.keys("Escape").await;
    assert!(!bar(&mut desk).contains('•'));
    desk.keys("Alt-, s").await;
    assert!(desk.state().shown.clone().unwrap().bar.is_empty());
    let mut short = Plan::new().with("a.txt", "one\n").start().await;
    assert!(short.state().shown.clone().unwrap().bar.is_empty());
}

/// Bytes that the terminal gets for each character of a text.
fn bytes_per_key(desk: &mut Desk, text: &str) -> Vec<usize> {
    desk.ide.app().frame();
    let mut bytes = Vec::new();
    for c in text.chars() {
        let key = bowline::tui::input::Key::char(c);
        desk.ide.app().handle(bowline::ide::core::event::Event::Input(bowline::tui::input::Input::Key(key)));
        bytes.push(desk.ide.app().frame().len());
    }
    bytes
}

#[tokio::test]
async fn typing_sends_no_more_with_everything_shown() {
    let mut bytes = Vec::new();
    for extras in ["", "Alt-, r Alt-, g Alt-, u"] {
        let mut desk = Plan::new().with("a.rs", CODE.repeat(40)).start().await;
        desk.keys("Ctrl-f").await;
        desk.type_in("text").await;
        desk.keys("Enter").await;
        desk.keys(extras).await;
        desk.keys("Ctrl-Home Down Down").await;
        desk.type_in("x").await;
        bytes.push(bytes_per_key(&mut desk, "abc def"));
    }
    assert_eq!(bytes[0], bytes[1]);
    assert!(bytes[0].iter().all(|bytes| *bytes <= 60), "{bytes:?}");
}

#[tokio::test]
async fn the_margin_is_a_setting_and_the_wheel_leaves_the_cursor() {
    let text = (0..100).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let mut desk = Plan::new().with("a.txt", text).size(60, 12).start().await;
    desk.state().look.margin = 0;
    desk.keys("Down Down Down Down Down Down Down Down Down").await;
    assert!(desk.picture().contains("line 0\n") || desk.picture().contains("line 0 "), "{}", desk.picture());
    desk.state().look.margin = 5;
    desk.keys("Down").await;
    assert!(!desk.picture().contains(" line 3 "), "{}", desk.picture());
    let top = desk.state().shown.clone().unwrap().rows[0].line.0;
    desk.mouse(MouseKind::ScrollDown, 20, 5);
    assert_eq!(desk.state().shown.clone().unwrap().rows[0].line.0, top + 3);
    assert_eq!(desk.cursor().0, 11);
    desk.keys("Right").await;
    assert_eq!(desk.state().shown.clone().unwrap().caret.0, 10);
    assert!(desk.state().shown.clone().unwrap().rows.iter().any(|row| row.line.0 == 10));
}

#[tokio::test]
async fn guides_of_a_blank_line_follow_what_is_typed_above_it() {
    // Every key is drawn anew and compared.
    let mut desk = Plan::new().with("a.rs", "fn main() {\na\n\n\n    two();\n}\n").start().await;
    desk.keys("Alt-, g Down Down").await;
    for keys in ["Space", "Space", "Space", "Space", "(", "Backspace", "x", "Home", "Space"] {
        desk.keys(keys).await;
    }
}

#[tokio::test]
async fn guides_of_a_blank_line_follow_a_mark_behind_the_blanks_below_it() {
    let mut desk = Plan::new().with("a.rs", "\ta\n\nfn main() {}\n").start().await;
    desk.keys("Alt-, g Down Down Space").await;
    desk.ide.input(Input::Paste("\u{bc6}".to_string()));
    desk.keys("Left").await;
    desk.keys("Backspace").await;
}
