//! What the editor shows beside the text: numbers, brackets, blanks, guides, rulers, the
//! scrollbar; and that typing draws no more than what differs.

use bowline::ide::model::view::display::{SoftWrap, WhitespaceDisplay};
use bowline::tui::input::{Input, MouseKind};
use bowline::tui::theme::Theme;
use ratatui::style::Style;

use crate::support::test_ide::{IdeSetup, TestIde};

const CODE: &str =
    "fn main() {\n\tlet text = \"(\";\n\n    if text.len() > (1 + 2) {  \n        漢(text);\n    }\n}\n";

/// The style of the cell where a text begins on the screen, with an offset.
fn style_at(ide: &mut TestIde, text: &str, offset: u16) -> Style {
    let (x, y) = ide.find(text);
    ide.headless.app().frame();
    ide.headless.app().screen.buffer()[(x + offset, y)].style()
}

fn scope_style(name: &'static str) -> Style {
    Theme::builtin().style(name)
}

fn is_marked(ide: &mut TestIde, text: &str, offset: u16) -> bool {
    style_at(ide, text, offset).add_modifier == scope_style("ui.bracket").add_modifier
}

#[tokio::test]
async fn line_numbers_toggle_absolute_relative_or_off() {
    let mut ide = IdeSetup::new().with("a.rs", CODE).start().await;
    ide.keys("Alt-, v r Down Down").await;
    ide.snap("view_relative");
    ide.keys("Alt-, v n").await;
    assert!(ide.picture().contains("│ fn main() {"), "{}", ide.picture());
    assert_eq!(ide.status_message(), "line numbers: off");
    ide.keys("Alt-, v n Alt-, v r").await;
    assert!(ide.picture().contains("  1 fn main() {"), "{}", ide.picture());
}

#[tokio::test]
async fn whitespace_guides_and_ruler_are_drawn() {
    let mut ide = IdeSetup::new().with("a.rs", CODE).size(60, 12).start().await;
    ide.keys("Alt-, v v Alt-, v g").await;
    assert_eq!(ide.state().display.whitespace, WhitespaceDisplay::Trailing);
    ide.snap("view_trailing_guides");
    ide.keys("Alt-, v v").await;
    ide.snap("view_blanks");
    ide.keys("Alt-, v u").await;
    let ruler = scope_style("ui.ruler").bg;
    // The text begins behind the gutter of six cells; the ide wraps at 40.
    ide.headless.app().frame();
    let column = |ide: &mut TestIde, x: u16| ide.headless.app().screen.buffer()[(x, 9)].style().bg;
    assert_eq!(column(&mut ide, 6 + 40), ruler);
    assert_ne!(column(&mut ide, 6 + 39), ruler);
    ide.keys("Alt-, v u").await;
    assert_ne!(column(&mut ide, 6 + 40), ruler);
}

#[tokio::test]
async fn whitespace_of_long_lines_is_drawn_at_any_width() {
    for shift in 0..4 {
        let line = format!("{} {}\n", "a".repeat(40 + shift), "漢\u{fffd}é".repeat(200));
        let mut ide = IdeSetup::new().with("a.txt", line).size(60, 12).start().await;
        ide.state().display.wrap = SoftWrap::Off;
        ide.keys("Alt-, v v Alt-, v v").await;
        assert_eq!(ide.state().display.whitespace, WhitespaceDisplay::All);
        for cols in 20..70 {
            ide.headless.resize(cols, 12);
        }
        assert!(ide.picture().contains("aaa·漢"), "{}", ide.picture());
    }
}

#[tokio::test]
async fn overlong_lines_are_highlighted() {
    let mut ide = IdeSetup::new().with("a.txt", "12345678901234\n漢漢漢漢漢漢\nshort\n").start().await;
    ide.state().display.line_max = 10;
    ide.state().damage.add_all();
    let red = scope_style("ui.overlong").fg;
    assert_eq!(style_at(&mut ide, "12345678901234", 10).fg, red);
    assert_ne!(style_at(&mut ide, "12345678901234", 9).fg, red);
    assert_eq!(style_at(&mut ide, "漢漢漢漢漢漢", 10).fg, red);
    assert_ne!(style_at(&mut ide, "short", 4).fg, red);
}

#[tokio::test]
async fn matching_brackets_follow_syntax() {
    let mut ide = IdeSetup::new().with("a.rs", CODE).start().await;
    // At `(1`, whose partner is `)` before ` {`.
    ide.keys("Down Down Down End").await;
    for _ in 0..11 {
        ide.keys("Left").await;
    }
    assert!(is_marked(&mut ide, "(1 + 2)", 0) && is_marked(&mut ide, "(1 + 2)", 6));
    ide.keys("Left").await;
    assert!(!is_marked(&mut ide, "(1 + 2)", 0) && !is_marked(&mut ide, "(1 + 2)", 6));
    // The bracket in the text is none that another line could close.
    ide.keys("Ctrl-Home Down End Left Left Left").await;
    assert!(!is_marked(&mut ide, "(\";", 0));
    ide.keys("Ctrl-Home End").await;
    assert!(is_marked(&mut ide, "{", 0), "the bracket before the cursor counts, too");
    let (x, y) = ide.find("main");
    ide.headless.app().frame();
    let last = ide.headless.app().screen.buffer()[(x - 3, y + 6)].style();
    assert_eq!(last.add_modifier, scope_style("ui.bracket").add_modifier, "its partner is the last line");
    ide.keys("Alt-, v b").await;
    assert!(!is_marked(&mut ide, "{", 0));
}

fn scrollbar(ide: &mut TestIde) -> String {
    ide.headless.app().frame();
    let shown = ide.state().visible_rows.clone().unwrap();
    let x = shown.area.right() - 1;
    let buffer = ide.headless.app().screen.buffer();
    (shown.area.top()..shown.area.bottom()).map(|y| buffer[(x, y)].symbol().to_string()).collect()
}

#[tokio::test]
async fn scrollbar_marks_cursor_and_matches() {
    let text: String = (0..100).map(|n| if n % 50 == 30 { "a wanted line\n" } else { "a line\n" }).collect();
    let mut ide = IdeSetup::new().with("a.txt", text).size(60, 12).start().await;
    assert_eq!(scrollbar(&mut ide), "─         ");
    ide.keys("Ctrl-f").await;
    ide.type_in("wanted").await;
    ide.keys("Enter Shift-Enter Escape").await;
    assert_eq!(scrollbar(&mut ide), "  ─    •  ", "the cursor covers the match where it is");
    let thumb = |ide: &mut TestIde| {
        ide.state().visible_rows.clone().unwrap().bar.iter().map(|cell| cell.is_thumb).collect::<Vec<_>>()
    };
    assert_eq!(thumb(&mut ide).iter().filter(|is| **is).count(), 2);
    ide.keys("Escape").await;
    assert!(!scrollbar(&mut ide).contains('•'));
    ide.keys("Alt-, v s").await;
    assert!(ide.state().visible_rows.clone().unwrap().bar.is_empty());
    let mut short = IdeSetup::new().with("a.txt", "one\n").start().await;
    assert!(short.state().visible_rows.clone().unwrap().bar.is_empty());
}

/// Bytes that the terminal gets for each character of a text.
fn bytes_per_key(ide: &mut TestIde, text: &str) -> Vec<usize> {
    ide.headless.app().frame();
    let mut bytes = Vec::new();
    for c in text.chars() {
        let key = bowline::tui::input::Key::char(c);
        ide.headless
            .app()
            .handle(bowline::ide::core::event::Event::Input(bowline::tui::input::Input::Key(key)));
        bytes.push(ide.headless.app().frame().len());
    }
    bytes
}

#[tokio::test]
async fn typing_with_all_decorations_sends_no_extra_bytes() {
    let mut bytes = Vec::new();
    for extras in ["", "Alt-, v r Alt-, v g Alt-, v u"] {
        let mut ide = IdeSetup::new().with("a.rs", CODE.repeat(40)).start().await;
        ide.keys("Ctrl-f").await;
        ide.type_in("text").await;
        ide.keys("Enter Escape").await;
        ide.keys(extras).await;
        ide.keys("Ctrl-Home Down Down").await;
        ide.type_in("x").await;
        bytes.push(bytes_per_key(&mut ide, "abc def"));
    }
    assert_eq!(bytes[0], bytes[1]);
    assert!(bytes[0].iter().all(|bytes| *bytes <= 60), "{bytes:?}");
}

#[tokio::test]
async fn scroll_margin_is_respected_and_wheel_keeps_cursor() {
    let text = (0..100).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let mut ide = IdeSetup::new().with("a.txt", text).size(60, 12).start().await;
    ide.state().display.scrolloff = 0;
    ide.keys("Down Down Down Down Down Down Down Down Down").await;
    assert!(ide.picture().contains("line 0\n") || ide.picture().contains("line 0 "), "{}", ide.picture());
    ide.state().display.scrolloff = 5;
    ide.keys("Down").await;
    assert!(!ide.picture().contains(" line 3 "), "{}", ide.picture());
    let top = ide.state().visible_rows.clone().unwrap().rows[0].line.0;
    ide.mouse(MouseKind::ScrollDown, 20, 5);
    assert_eq!(ide.state().visible_rows.clone().unwrap().rows[0].line.0, top + 3);
    assert_eq!(ide.cursor().0, 11);
    ide.keys("Right").await;
    assert_eq!(ide.state().visible_rows.clone().unwrap().caret.0, 10);
    assert!(ide.state().visible_rows.clone().unwrap().rows.iter().any(|row| row.line.0 == 10));
}

#[tokio::test]
async fn indent_guides_follow_edits_above_blank_line() {
    // Every key is drawn anew and compared.
    let mut ide = IdeSetup::new().with("a.rs", "fn main() {\na\n\n\n    two();\n}\n").start().await;
    ide.keys("Alt-, v g Down Down").await;
    for keys in ["Space", "Space", "Space", "Space", "(", "Backspace", "x", "Home", "Space"] {
        ide.keys(keys).await;
    }
}

#[tokio::test]
async fn indent_guides_follow_combining_mark_below_blank_line() {
    let mut ide = IdeSetup::new().with("a.rs", "\ta\n\nfn main() {}\n").start().await;
    ide.keys("Alt-, v g Down Down Space").await;
    ide.headless.input(Input::Paste("\u{bc6}".to_string()));
    ide.keys("Left").await;
    ide.keys("Backspace").await;
}

#[tokio::test]
async fn view_scrolls_sideways_as_little_as_possible_and_back_where_the_line_fits() {
    let text = format!("begin {}\nstart {}\n", "a".repeat(20), "b".repeat(34));
    let mut ide = IdeSetup::new().size(80, 24).with("a.rs", &text).start().await;
    ide.keys("Down End").await;
    let left = |ide: &mut TestIde| ide.state().visible_rows.as_ref().unwrap().left;
    ide.headless.app().frame();
    assert!((1..20).contains(&left(&mut ide)), "{}", left(&mut ide));
    ide.keys("Up End").await;
    ide.headless.app().frame();
    assert_eq!(left(&mut ide), 0, "{}", ide.picture());
    assert!(ide.picture().contains("begin aa") && ide.picture().contains("start bb"), "{}", ide.picture());
}
