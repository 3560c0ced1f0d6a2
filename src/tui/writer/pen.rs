//! Current attributes of a terminal, and the SGR numbers that change them. Must not know cells or positions.

use ratatui::style::{Color, Modifier};

use crate::tui::links::LinkId;

/// Current attributes of the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pen {
    pub(super) fg: Color,
    pub(super) bg: Color,
    pub(super) modifier: Modifier,
    /// The color of a wavy underline; none, or a straight one in the color of the text, for `Reset`.
    pub(super) underline: Color,
    pub(super) link: LinkId,
}

pub(super) const PLAIN: Pen = Pen {
    fg: Color::Reset,
    bg: Color::Reset,
    modifier: Modifier::empty(),
    underline: Color::Reset,
    link: LinkId::NONE,
};

/// Appends the numbers that change one set of attributes into another, separated by `;`. Links have none.
pub(super) fn attributes(from: Pen, to: Pen, codes: &mut String) {
    let (off, on) = (from.modifier - to.modifier, to.modifier - from.modifier);
    let weight = Modifier::BOLD | Modifier::DIM;
    // 22 ends both bold and dim, so the one that stays must be set again.
    let set_again = if off.intersects(weight) { to.modifier & weight } else { Modifier::empty() };
    if off.intersects(weight) {
        code(codes, 22);
    }
    for (modifier, set) in [
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
        (Modifier::CROSSED_OUT, 9),
    ] {
        if on.contains(modifier) {
            code(codes, set);
        } else if off.contains(modifier) {
            code(codes, set + 20);
        }
    }
    if from.underline != to.underline {
        underline_code(codes, to);
    }
    for (modifier, set) in [(Modifier::BOLD, 1), (Modifier::DIM, 2)] {
        if (on | set_again).contains(modifier) {
            code(codes, set);
        }
    }
    if from.fg != to.fg {
        color_code(codes, to.fg, 30);
    }
    if from.bg != to.bg {
        color_code(codes, to.bg, 40);
    }
}

/// Appends what makes an underline wavy and colored, or straight again. The numbers are joined by colons, which terminals
/// leave out that do not know them.
fn underline_code(codes: &mut String, to: Pen) {
    if !codes.is_empty() {
        codes.push(';');
    }
    match to.underline {
        Color::Indexed(n) => codes.push_str(&format!("4:3;58:5:{n}")),
        _ if to.modifier.contains(Modifier::UNDERLINED) => codes.push_str("4:1;59"),
        _ => codes.push_str("59"),
    }
}

/// Appends one number, after a `;` if it is not the first.
fn code(codes: &mut String, number: u8) {
    if !codes.is_empty() {
        codes.push(';');
    }
    if number >= 100 {
        codes.push(char::from(b'0' + number / 100));
    }
    if number >= 10 {
        codes.push(char::from(b'0' + number / 10 % 10));
    }
    codes.push(char::from(b'0' + number % 10));
}

/// Appends the numbers of a color; `base` is 30 for text and 40 for the background.
pub(super) fn color_code(codes: &mut String, color: Color, base: u8) {
    let numbers: &[u8] = match color {
        Color::Indexed(n @ 0..8) => &[base + n],
        Color::Indexed(n @ 8..16) => &[base + 52 + n],
        Color::Indexed(n) => &[base + 8, 5, n],
        Color::Rgb(r, g, b) => &[base + 8, 2, r, g, b],
        // Named colors from other code count as the terminal's default.
        _ => &[base + 9],
    };
    for number in numbers {
        code(codes, *number);
    }
}
