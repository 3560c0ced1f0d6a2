//! Tests of whole frames.

use std::num::NonZeroU16;

use super::*;
use crate::tui::canvas::Canvas;
use crate::tui::headless;
use crate::tui::tree::{Component, NodeId};

/// Shows the lines of the context with the caret behind the last one.
struct Lines;

impl Component<Vec<String>> for Lines {
    fn draw(&mut self, canvas: &mut Canvas<'_>, lines: &Vec<String>) {
        let style = canvas.style("ui.text");
        for y in canvas.dirty_rows() {
            if let Some(line) = lines.get(usize::from(y)) {
                canvas.text(0, y, line, style);
            }
        }
    }

    fn cursor(&self, _size: (u16, u16), lines: &Vec<String>) -> Option<(u16, u16)> {
        Some((lines.last()?.len() as u16, lines.len() as u16 - 1))
    }
}

struct Stage {
    tree: Tree<Vec<String>>,
    node: NodeId,
    screen: Screen,
    lines: Vec<String>,
}

impl Stage {
    /// A screen of 40x5 that has shown its first frame.
    fn new() -> Self {
        let mut tree = Tree::new();
        let node = tree.add(None, 0, Box::new(Lines));
        tree.set_area(node, Rect::new(0, 0, 40, 5));
        tree.focus(node);
        let lines = ["fn main() {", "    work();", "}"].map(String::from).to_vec();
        Self { tree, node, screen: Screen::new(40, 5, ColorDepth::True), lines }
    }

    fn frame(&mut self) -> String {
        self.screen.render(&mut self.tree, &self.lines, &Theme::builtin());
        String::from_utf8(self.screen.take_output()).unwrap()
    }
}

#[test]
fn screen_full_frame_is_synchronized_except_first() {
    let mut stage = Stage::new();
    let first = stage.frame();
    assert!(first.starts_with("\x1b[m\x1b[H\x1b[2J") && first.ends_with("\x1b[?25h"), "{first:?}");
    stage.screen.repaint();
    let again = stage.frame();
    assert!(again.starts_with("\x1b[?2026h\x1b[m\x1b[H\x1b[2J") && again.ends_with("\x1b[?25h\x1b[?2026l"));
    assert_eq!(again.matches("2026h").count(), 1);
    stage.screen.set_synchronized(false);
    stage.screen.repaint();
    assert!(!stage.frame().contains("2026"));
}

#[test]
fn screen_no_change_writes_nothing() {
    let mut stage = Stage::new();
    stage.frame();
    assert_eq!(stage.frame(), "");
    stage.tree.damage(stage.node);
    assert_eq!(stage.frame(), "");
}

#[test]
fn screen_typed_character_costs_few_bytes() {
    let mut stage = Stage::new();
    stage.frame();
    stage.lines[2].push('x');
    stage.tree.damage_rows(stage.node, 2..3);
    assert_eq!(stage.frame(), "x");
    stage.lines[1].push('y');
    stage.tree.damage_rows(stage.node, 1..2);
    let bytes = stage.frame();
    assert!(bytes.len() <= 24, "{bytes:?}");
}

#[test]
fn screen_compares_only_damaged_rows() {
    let mut stage = Stage::new();
    stage.frame();
    stage.lines[0].push_str(" // not drawn");
    stage.lines[2].push('x');
    stage.tree.damage_rows(stage.node, 2..3);
    assert_eq!(stage.frame(), "x");
    assert!(!headless::picture(&stage.screen).contains("not drawn"));
}

#[test]
fn screen_cursor_moves_hides_and_shows() {
    let mut stage = Stage::new();
    stage.frame();
    assert_eq!(stage.screen.cursor(), Some((1, 2)));
    stage.lines.truncate(0);
    stage.tree.damage_cursor();
    assert_eq!((stage.frame().as_str(), stage.screen.cursor()), ("\x1b[?25l", None));
    stage.lines = vec!["ab".into()];
    stage.tree.damage_cursor();
    assert_eq!((stage.frame().as_str(), stage.screen.cursor()), ("\x1b[1;3H\x1b[?25h", Some((2, 0))));
}

#[test]
fn screen_resize_repaints_and_clips() {
    let mut stage = Stage::new();
    stage.frame();
    stage.screen.resize(8, 2);
    let bytes = stage.frame();
    assert!(bytes.contains("\x1b[2J") && bytes.contains("fn main("));
    assert_eq!(stage.screen.cursor(), None);
    assert_eq!(headless::picture(&stage.screen), "┌────────┐\n│fn main(│\n│    work│\n└────────┘\n");
    stage.screen.resize(0, 0);
    stage.frame();
}

#[test]
fn screen_picture_marks_cursor() {
    let mut stage = Stage::new();
    stage.tree.set_area(stage.node, Rect::new(0, 0, 12, 3));
    stage.screen.resize(12, 3);
    stage.frame();
    let expected = "┌─▾──────────┐\n│fn main() { │\n│    work(); │\n▸}           │\n└────────────┘\n";
    assert_eq!(headless::picture(&stage.screen), expected);
}

#[test]
fn screen_undelivered_frames_are_joined() {
    let mut stage = Stage::new();
    let mut emulator = vt100::Parser::new(NonZeroU16::new(5).unwrap(), NonZeroU16::new(40).unwrap(), 0);
    for turn in 0..20 {
        stage.lines[turn % 3].push('漢');
        stage.tree.damage_rows(stage.node, (turn % 3) as u16..(turn % 3) as u16 + 1);
        stage.screen.render(&mut stage.tree, &stage.lines, &Theme::builtin());
        if turn % 4 == 3 {
            emulator.process(&stage.screen.take_output());
        }
    }
    let shown: Vec<_> = emulator.screen().rows(0, 40).map(|row| row.trim_end().to_string()).collect();
    let drawn: Vec<_> =
        (0..5).map(|y| headless::row(stage.screen.buffer(), y).trim_end().to_string()).collect();
    assert_eq!(shown, drawn);
}
