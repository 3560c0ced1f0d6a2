//! Converts a row of the emulator's cells to runs of text with styles. Must not know the theme.

use alacritty_terminal::grid;
use alacritty_terminal::index::{Column, Line, Point};
use alacritty_terminal::selection::SelectionRange;
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::color::Colors;
use alacritty_terminal::vte::ansi::{self, NamedColor};
use ratatui::style::{Color, Modifier, Style};

use crate::ide::features::terminal::emulator::grid::{Row, Run};

/// Maximum number of marks on a character; more than any script stacks are dropped.
pub const MARKS_MAX: usize = 8;

/// Returns the runs of a row; `line` is its position in the grid.
pub fn row(cells: &grid::Row<Cell>, line: Line, colors: &Colors, selected: Option<&SelectionRange>) -> Row {
    let mut row: Row = Vec::new();
    // Whether characters may join the last run.
    let mut open = false;
    for (x, cell) in (0..).zip(cells) {
        if cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
            continue;
        }
        let style = style(cell, colors);
        let selected = selected.is_some_and(|range| range.contains(Point::new(line, Column(usize::from(x)))));
        // A character pushed to the edge has lost its second half.
        let is_half = cell.flags.contains(Flags::WIDE_CHAR) && usize::from(x) + 1 == cells.len();
        let is_hidden = is_half || cell.flags.intersects(Flags::HIDDEN | Flags::LEADING_WIDE_CHAR_SPACER);
        let c = if is_hidden { ' ' } else { cell.c };
        let marks = cell.zerowidth().filter(|_| !is_hidden).unwrap_or_default();
        if c == ' ' && marks.is_empty() && style == Style::default() && !selected {
            open = false;
            continue;
        }
        let cols = if cell.flags.contains(Flags::WIDE_CHAR) && !is_half { 2 } else { 1 };
        let joins = cols == 1 && marks.is_empty() && is_plain(c);
        match row.last_mut() {
            Some(run) if open && joins && (run.style, run.selected) == (style, selected) => {
                run.text.push(c);
                run.cols += 1;
            }
            _ => {
                let text = std::iter::once(c).chain(marks.iter().copied().take(MARKS_MAX)).collect();
                row.push(Run { x, cols, text, style, selected });
            }
        }
        open = joins;
    }
    row
}

/// Returns whether a character is one cell wide and never combines: ASCII, Latin letters, box drawing.
fn is_plain(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{c0}'..='\u{24f}' | '\u{2500}'..='\u{259f}')
}

fn style(cell: &Cell, colors: &Colors) -> Style {
    let mut style = Style { fg: color(cell.fg, colors), bg: color(cell.bg, colors), ..Style::default() };
    let flags = [
        (Flags::BOLD, Modifier::BOLD),
        (Flags::ITALIC, Modifier::ITALIC),
        (Flags::DIM, Modifier::DIM),
        (Flags::INVERSE, Modifier::REVERSED),
        (Flags::STRIKEOUT, Modifier::CROSSED_OUT),
    ];
    for (flag, modifier) in flags {
        if cell.flags.contains(flag) {
            style = style.add_modifier(modifier);
        }
    }
    if cell.flags.intersects(Flags::ALL_UNDERLINES) {
        style = style.add_modifier(Modifier::UNDERLINED);
    }
    style
}

/// Returns a color set by a program; `None` for the pane's own.
fn color(color: ansi::Color, colors: &Colors) -> Option<Color> {
    let index = match color {
        ansi::Color::Spec(rgb) => return Some(Color::Rgb(rgb.r, rgb.g, rgb.b)),
        ansi::Color::Indexed(index) => usize::from(index),
        ansi::Color::Named(name) => name as usize,
    };
    if let Some(rgb) = colors[index] {
        return Some(Color::Rgb(rgb.r, rgb.g, rgb.b));
    }
    let dim = NamedColor::DimBlack as usize;
    match index {
        0..=255 => Some(Color::Indexed(index as u8)),
        _ if (dim..dim + 8).contains(&index) => Some(Color::Indexed((index - dim) as u8)),
        _ => None,
    }
}
