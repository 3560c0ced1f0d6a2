//! A user works with many cursors: by keys, by the mouse, and goes back to one.

use bowline::tui::input::{Button, Input, Mods, Mouse, MouseKind};

use crate::support::test_ide::{IdeSetup, TestIde};

fn alt_click(ide: &mut TestIde, kind: MouseKind, col: u16, row: u16) {
    ide.headless.input(Input::Mouse(Mouse { kind, col, row, mods: Mods::ALT }));
}

#[tokio::test]
async fn multi_cursor_types_together_and_escape_clears() {
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\nthree\n").start().await;
    ide.keys("Ctrl-Alt-Down Ctrl-Alt-Down").await;
    assert!(ide.status_message().contains("3 cursors"), "{}", ide.status_message());
    ide.type_in("- ").await;
    assert_eq!(ide.text(), "- one\n- two\n- three\n");
    ide.keys("Escape").await;
    ide.type_in("x").await;
    assert_eq!(ide.text(), "- one\n- two\n- xthree\n");
    ide.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(ide.text(), "one\ntwo\nthree\n", "what all cursors typed is one step");
}

#[tokio::test]
async fn multi_cursor_adds_next_occurrences() {
    let mut ide = IdeSetup::new().with("a.rs", "let fö = 1;\nfö + fö\n").start().await;
    ide.keys("Ctrl-Right Ctrl-Right Alt-j Alt-j").await;
    assert_eq!(ide.selected_texts(), ["fö", "fö"]);
    ide.keys("Alt-j Alt-j").await;
    assert_eq!(ide.status_message(), "No more occurrences");
    ide.type_in("b").await;
    assert_eq!(ide.text(), "let b = 1;\nb + b\n");
    ide.keys("Escape Alt-Shift-j").await;
    assert_eq!(ide.selected_texts(), ["b", "b", "b"]);
}

#[tokio::test]
async fn multi_cursor_selects_all_occurrences_in_long_text() {
    let long = format!("needle{}needle\n", " hay\n".repeat(80_000));
    let mut ide = IdeSetup::new().with("a.txt", &long).start().await;
    ide.keys("Alt-Shift-j").await;
    assert_eq!(ide.selected_texts(), ["needle", "needle"]);
    ide.type_in("x").await;
    assert_eq!(ide.text(), long.replace("needle", "x"));
}

#[tokio::test]
async fn block_selection_by_keys_cuts_and_pastes() {
    let mut ide = IdeSetup::new().with("a.txt", "abcd\ne\nfghi\n").start().await;
    ide.keys("Right Alt-Shift-Right Alt-Shift-Right Alt-Shift-Down Alt-Shift-Down").await;
    assert_eq!(ide.selected_texts(), ["bc", "gh"]);
    ide.keys("Ctrl-x Down Home Ctrl-y").await;
    assert_eq!(ide.text(), "ad\nbce\nfi\ngh");
}

#[tokio::test]
async fn multi_cursor_by_mouse_adds_cursors_and_block_selects() {
    let mut ide = IdeSetup::new().with("a.txt", "line one\nline two\nend\n").start().await;
    let (x, y) = ide.find("line one");
    ide.click(x + 4, y);
    alt_click(&mut ide, MouseKind::Down(Button::Left), x + 4, y + 1);
    alt_click(&mut ide, MouseKind::Up(Button::Left), x + 4, y + 1);
    ide.type_in("s").await;
    assert_eq!(ide.text(), "lines one\nlines two\nend\n");
    alt_click(&mut ide, MouseKind::Down(Button::Left), x + 5, y + 1);
    assert_eq!(ide.selected_texts().len(), 1, "a second click takes the cursor away");
    ide.keys("Escape").await;
    alt_click(&mut ide, MouseKind::Down(Button::Left), x + 1, y);
    alt_click(&mut ide, MouseKind::Drag(Button::Left), x + 3, y + 2);
    assert_eq!(ide.selected_texts(), ["in", "in", "nd"]);
}

#[tokio::test]
async fn selection_keys_select_brackets_and_split_lines() {
    let mut ide = IdeSetup::new().with("a.txt", "f(a,\n  b)\n").start().await;
    ide.keys("Right Right Right Alt-s (").await;
    assert_eq!(ide.selected_texts(), ["a,\n  b"]);
    ide.keys("Alt-s s").await;
    assert_eq!(ide.selected_texts(), ["a,", "  b"]);
    ide.keys("Alt-s n Alt-s d").await;
    assert_eq!(ide.selected_texts().len(), 1);
    ide.keys("Alt-l Alt-l").await;
    assert_eq!(ide.selected_texts(), ["f(a,\n  b)\n"]);
}
