//! Renders a screen as text, for reviewable snapshots.
//!
//! Must not know a terminal. Marks on the top and left of the frame show the caret's column and row.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;

use crate::tui::images::placeholder;
use crate::tui::screen::Screen;

/// Returns the screen inside a frame. A wide character spans its two cells. `▾` above and `▸` left of the
/// frame mark the caret; both are absent while it is hidden.
pub fn picture(screen: &Screen) -> String {
    picture_of(screen.buffer(), screen.cursor())
}

/// Returns such a picture of cells and caret.
pub fn picture_of(buffer: &Buffer, cursor: Option<(u16, u16)>) -> String {
    let (cols, rows) = (buffer.area.width, buffer.area.height);
    let mut out = String::from("┌");
    for x in 0..cols {
        out.push(if cursor.is_some_and(|(col, _)| col == x) { '▾' } else { '─' });
    }
    out.push_str("┐\n");
    for y in 0..rows {
        out.push(if cursor.is_some_and(|(_, row)| row == y) { '▸' } else { '│' });
        out.push_str(&row(buffer, y));
        out.push_str("│\n");
    }
    out.push('└');
    out.extend(std::iter::repeat_n('─', usize::from(cols)));
    out.push_str("┘\n");
    out
}

/// Returns the text of one row, with trailing blanks; `▦` stands for a part of an image.
pub fn row(buffer: &Buffer, y: u16) -> String {
    let symbol = |x: u16| {
        let cell = &buffer[(x, y)];
        if placeholder::is_image(cell) { "▦" } else { cell.symbol() }
    };
    (0..buffer.area.width).map(symbol).collect()
}

/// Returns the style runs of rows with more than one style, such as `3: 0-4 fg:.. bg:..`, for tests of
/// colors.
pub fn legend(screen: &Screen) -> String {
    let buffer = screen.buffer();
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let style = |x: u16| {
            let cell = &buffer[(x, y)];
            format!("{}/{}/{:?}", cell.fg, cell.bg, cell.modifier)
        };
        let mut start = 0;
        for x in 1..=buffer.area.width {
            if x == buffer.area.width || style(x) != style(start) {
                if start > 0 || x < buffer.area.width {
                    // Writing into a String cannot fail.
                    writeln!(out, "{y}: {start}-{} {}", x - 1, style(start)).unwrap_or_default();
                }
                start = x;
            }
        }
    }
    out
}
