//! Tests of scrolling: right on an emulated terminal, with margins at the sides and without.

use std::num::NonZeroU16;

use proptest::prelude::*;
use ratatui::style::{Color, Style};

use super::super::Writer;
use super::*;
use crate::tui::theme::color::ColorDepth;

const COLS: u16 = 60;
const ROWS: u16 = 14;
const SCREEN: Rect = Rect::new(0, 0, COLS, ROWS);

/// A terminal with margins at the sides, which vt100 lacks: what happens between them is done with its rows.
struct Terminal(vt100::Parser);

impl Terminal {
    fn new() -> Self {
        let size = |n| NonZeroU16::new(n).unwrap();
        Self(vt100::Parser::new(size(ROWS), size(COLS), 0))
    }

    fn process(&mut self, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes).unwrap();
        let mut parts = text.split("\x1b[?69h");
        self.0.process(parts.next().unwrap().as_bytes());
        for part in parts {
            let (scroll, rest) = part.split_once("\x1b[r\x1b[?69l").unwrap();
            self.scroll(scroll);
            self.0.process(b"\x1b[H");
            self.0.process(rest.as_bytes());
        }
    }

    /// `CSI left;right s CSI top;bottom r`, a move and `CSI n M` or `CSI n L`.
    fn scroll(&mut self, commands: &str) {
        let commands: Vec<&str> = commands.split("\x1b[").skip(1).collect();
        let [columns, rows, place, how] = commands[..] else { panic!("{commands:?}") };
        let pair = |text: &str, end: char| -> (u16, u16) {
            let (a, b) = text.strip_suffix(end).unwrap().split_once(';').unwrap();
            (a.parse().unwrap(), b.parse().unwrap())
        };
        let ((left, right), (top, bottom)) = (pair(columns, 's'), pair(rows, 'r'));
        let at = place.strip_suffix('H').unwrap().split_once(';').unwrap_or((place, "1"));
        assert_eq!(at.1.parse(), Ok(left), "a scroll outside the margins does nothing");
        let up = how.ends_with('M');
        let by: u16 = how.trim_end_matches(['M', 'L']).parse().unwrap_or(1);
        let width = right - left + 1;
        let was: Vec<String> = self.0.screen().rows_formatted(left - 1, width).collect();
        for y in top - 1..bottom {
            let from = if up { Some(y + by) } else { y.checked_sub(by) };
            self.0.process(format!("\x1b[m\x1b[{};{left}H\x1b[{width}X", y + 1).as_bytes());
            if let Some(from) = from.filter(|from| (top - 1..bottom).contains(from)) {
                self.0.process(was[usize::from(from)].as_bytes());
            }
        }
        self.0.process(b"\x1b[m");
    }

    /// Characters and backgrounds.
    fn shows(&self) -> Vec<String> {
        let cell = |y, x| {
            let cell = self.0.screen().cell(y, x).unwrap();
            let blank = cell.contents().is_empty() && !cell.is_wide_continuation();
            format!("{}{:?}", if blank { " " } else { cell.contents() }, cell.bgcolor())
        };
        (0..ROWS).map(|y| (0..COLS).map(|x| cell(y, x)).collect()).collect()
    }
}

fn expected(buffer: &Buffer) -> Vec<String> {
    let cell = |y, x| {
        let cell: &Cell = &buffer[(x, y)];
        let background = match cell.bg {
            Color::Indexed(n) => vt100::Color::Idx(n),
            _ => vt100::Color::Default,
        };
        format!("{}{background:?}", cell.symbol())
    };
    (0..ROWS).map(|y| (0..COLS).map(|x| cell(y, x)).collect()).collect()
}

/// Lines from one on, in a part of a screen on which something else stands at the left.
fn screen(part: Rect, lines: &[String], beside: &str, style: Style) -> Buffer {
    let mut buffer = Buffer::empty(SCREEN);
    for y in 0..ROWS {
        buffer.set_stringn(0, y, beside, usize::from(part.left()), Style::new());
    }
    for (y, line) in (part.top()..part.bottom()).zip(lines) {
        let text = format!("{line:<width$}", width = usize::from(part.width));
        buffer.set_stringn(part.left(), y, text, usize::from(part.width), style);
    }
    // As what draws here leaves them: the second half of a wide character is empty.
    for y in 0..ROWS {
        for x in 1..COLS {
            if unicode_width(buffer[(x - 1, y)].symbol()) == 2 {
                buffer[(x, y)].set_symbol("");
            }
        }
    }
    buffer
}

fn unicode_width(symbol: &str) -> usize {
    crate::base::width::grapheme_width(symbol)
}

/// Lines that differ nearly everywhere.
fn lines(from: usize, count: usize) -> Vec<String> {
    let letter = |n: usize| char::from(b'a' + (n % 26) as u8);
    (from..from + count).map(|n| (0..50).map(|x| letter(n * 7 + x * (n % 5 + 1))).collect()).collect()
}

/// The bytes from one screen to another, after which the terminal shows the second.
fn bytes(before: &Buffer, after: &Buffer, part: Rect, margins: bool) -> String {
    let mut writer = Writer::new(ColorDepth::True);
    writer.set_margins(margins);
    writer.clear();
    writer.write_all(before);
    let mut terminal = Terminal::new();
    terminal.process(&writer.take().0);
    let mut shown = before.clone();
    writer.difference(&mut shown, after, &[part]);
    assert_eq!(&shown, after, "what is shown is kept");
    let bytes = writer.take().0;
    terminal.process(&bytes);
    assert_eq!(terminal.shows(), expected(after));
    String::from_utf8(bytes).unwrap()
}

const PLAIN: Style = Style::new();
const PART: Rect = Rect::new(10, 1, 50, 12);

#[test]
fn scroll_with_margins_sends_only_new_row() {
    let beside = ["a tree", "of files"];
    let (before, after) =
        (screen(PART, &lines(1, 12), beside[0], PLAIN), screen(PART, &lines(2, 12), beside[0], PLAIN));
    let way = bytes(&before, &after, PART, true);
    assert!(way.starts_with("\x1b[?69h\x1b[11;60s\x1b[2;13r\x1b[2;11H\x1b[M\x1b[r\x1b[?69l"), "{way:?}");
    assert!(way.len() < 110, "{} bytes: {way:?}", way.len());
    let back = bytes(&after, &before, PART, true);
    assert!(back.contains("\x1b[L") && back.len() < 110, "{} bytes: {back:?}", back.len());
}

#[test]
fn scroll_without_margins_is_used_if_shorter() {
    // The same in each row, as a border is.
    let (before, after) = (screen(PART, &lines(1, 12), "│", PLAIN), screen(PART, &lines(2, 12), "│", PLAIN));
    let way = bytes(&before, &after, PART, false);
    assert!(way.starts_with("\x1b[2;13r\x1b[2H\x1b[M\x1b[r") && way.len() < 100, "{way:?}");
    let other = |mut buffer: Buffer| {
        for (y, line) in (0..ROWS).zip(lines(100, 14)) {
            buffer.set_stringn(0, y, line, 20, PLAIN);
        }
        buffer
    };
    let narrow = Rect::new(30, 1, 30, 12);
    let [before, after] = [1, 2].map(|n| other(screen(narrow, &lines(n, 12), "", PLAIN)));
    assert!(
        !bytes(&before, &after, narrow, false).contains("\x1b[r"),
        "most of the others would be written again"
    );
}

#[test]
fn scroll_with_repeating_rows_is_found() {
    let verse = |from: usize| lines(1, 3).into_iter().cycle().skip(from).take(12).collect::<Vec<_>>();
    let [before, after] = [0, 1].map(|from| screen(PART, &verse(from), "│", PLAIN));
    let way = bytes(&before, &after, PART, true);
    assert!(way.contains("\x1b[M") && way.len() < 110, "{} bytes: {way:?}", way.len());
}

#[test]
fn scroll_is_skipped_for_few_rows_or_cut_wide_char() {
    let [before, after] = [1, 2].map(|n| screen(PART, &lines(n, 12), "left of 漢字", PLAIN));
    assert!(bytes(&before, &after, PART, true).contains("\x1b[?69h"));
    let cut = Rect::new(11, 1, 49, 12);
    let mut across = [1, 2].map(|n| screen(cut, &lines(n, 12), "", PLAIN));
    for buffer in &mut across {
        buffer[(10, 4)].set_symbol("漢");
        buffer[(11, 4)].set_symbol("");
    }
    assert!(!bytes(&across[0], &across[1], cut, true).contains("\x1b[?69h"));
    let three = Rect::new(10, 1, 50, 3);
    let [before, after] = [1, 2].map(|n| screen(three, &lines(n, 3), "", PLAIN));
    assert!(!bytes(&before, &after, three, true).contains("\x1b[?69h"));
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(128))]

    #[test]
    fn scroll_any_region_matches_terminal(
        (left, top, width, height) in (0..30u16, 0..5u16, 20..31u16, 4..10u16),
        texts in prop::collection::vec(prop_oneof!["[a-c漢é ]{0,30}", "[ab]{30}", Just(String::new())], 24),
        steps in prop::collection::vec((0..14usize, prop::option::of((0..10usize, "[x漢]{1,20}"))), 1..5),
        beside in "[a-c漢 ]{0,6}",
        colored in any::<bool>(),
        margins in any::<bool>(),
    ) {
        let part = Rect::new(left, top, width, height);
        let style = if colored { PLAIN.bg(Color::Indexed(4)) } else { PLAIN };
        let mut writer = Writer::new(ColorDepth::True);
        writer.set_margins(margins);
        writer.clear();
        let (mut shown, mut terminal) = (Buffer::empty(SCREEN), Terminal::new());
        let mut drawn = SCREEN;
        for (from, other) in steps {
            let mut lines = texts[from..from + 10].to_vec();
            if let Some((at, text)) = other {
                lines[at] = text;
            }
            let next = screen(part, &lines, &beside, style);
            writer.difference(&mut shown, &next, &[drawn]);
            prop_assert_eq!(&shown, &next);
            terminal.process(&writer.take().0);
            prop_assert_eq!(terminal.shows(), expected(&next));
            drawn = part;
        }
    }
}
