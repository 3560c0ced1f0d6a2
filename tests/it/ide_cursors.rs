//! A user works with many cursors: by keys, by the mouse, and goes back to one.

use bowline::tui::input::{Button, Input, Mods, Mouse, MouseKind};

use crate::support::desk::{Desk, Plan};

fn alt_mouse(desk: &mut Desk, kind: MouseKind, col: u16, row: u16) {
    desk.ide.input(Input::Mouse(Mouse { kind, col, row, mods: Mods::ALT }));
}

#[tokio::test]
async fn cursors_below_each_other_type_together_and_escape_ends_them() {
    let mut desk = Plan::new().with("a.txt", "one\ntwo\nthree\n").start().await;
    desk.keys("Ctrl-Alt-Down Ctrl-Alt-Down").await;
    assert!(desk.message().contains("3 cursors"), "{}", desk.message());
    desk.type_in("- ").await;
    assert_eq!(desk.text(), "- one\n- two\n- three\n");
    desk.keys("Escape").await;
    desk.type_in("x").await;
    assert_eq!(desk.text(), "- one\n- two\n- xthree\n");
    desk.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(desk.text(), "one\ntwo\nthree\n", "what all cursors typed is one step");
}

#[tokio::test]
async fn occurrences_of_a_word_are_renamed_together() {
    let mut desk = Plan::new().with("a.rs", "let fö = 1;\nfö + fö\n").start().await;
    desk.keys("Ctrl-Right Ctrl-Right Alt-j Alt-j").await;
    assert_eq!(desk.selected(), ["fö", "fö"]);
    desk.keys("Alt-j Alt-j").await;
    assert_eq!(desk.message(), "No more occurrences");
    desk.type_in("b").await;
    assert_eq!(desk.text(), "let b = 1;\nb + b\n");
    desk.keys("Escape Alt-Shift-j").await;
    assert_eq!(desk.selected(), ["b", "b", "b"]);
}

#[tokio::test]
async fn occurrences_in_a_long_text_are_looked_for_elsewhere() {
    let long = format!("needle{}needle\n", " hay\n".repeat(80_000));
    let mut desk = Plan::new().with("a.txt", &long).start().await;
    desk.keys("Alt-Shift-j").await;
    assert_eq!(desk.selected(), ["needle", "needle"]);
    desk.type_in("x").await;
    assert_eq!(desk.text(), long.replace("needle", "x"));
}

#[tokio::test]
async fn a_rectangle_is_selected_by_keys() {
    let mut desk = Plan::new().with("a.txt", "abcd\ne\nfghi\n").start().await;
    desk.keys("Right Alt-Shift-Right Alt-Shift-Right Alt-Shift-Down Alt-Shift-Down").await;
    assert_eq!(desk.selected(), ["bc", "gh"]);
    desk.keys("Ctrl-x Down Home Ctrl-y").await;
    assert_eq!(desk.text(), "ad\nbce\nfi\ngh");
}

#[tokio::test]
async fn the_mouse_adds_cursors_and_drags_rectangles() {
    let mut desk = Plan::new().with("a.txt", "line one\nline two\nend\n").start().await;
    let (x, y) = desk.find("line one");
    desk.click(x + 4, y);
    alt_mouse(&mut desk, MouseKind::Down(Button::Left), x + 4, y + 1);
    alt_mouse(&mut desk, MouseKind::Up(Button::Left), x + 4, y + 1);
    desk.type_in("s").await;
    assert_eq!(desk.text(), "lines one\nlines two\nend\n");
    alt_mouse(&mut desk, MouseKind::Down(Button::Left), x + 5, y + 1);
    assert_eq!(desk.selected().len(), 1, "a second click takes the cursor away");
    desk.keys("Escape").await;
    alt_mouse(&mut desk, MouseKind::Down(Button::Left), x + 1, y);
    alt_mouse(&mut desk, MouseKind::Drag(Button::Left), x + 3, y + 2);
    assert_eq!(desk.selected(), ["in", "in", "nd"]);
}

#[tokio::test]
async fn shapes_have_keys() {
    let mut desk = Plan::new().with("a.txt", "f(a,\n  b)\n").start().await;
    desk.keys("Right Right Right Alt-s (").await;
    assert_eq!(desk.selected(), ["a,\n  b"]);
    desk.keys("Alt-s s").await;
    assert_eq!(desk.selected(), ["a,", "  b"]);
    desk.keys("Alt-s n Alt-s d").await;
    assert_eq!(desk.selected().len(), 1);
    desk.keys("Alt-l Alt-l").await;
    assert_eq!(desk.selected(), ["f(a,\n  b)\n"]);
}
