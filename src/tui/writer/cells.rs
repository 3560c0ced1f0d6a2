//! Properties of a cell that matter for writing it: its width, how certain that is, and whether another looks
//! the same. Must not know bytes.

use ratatui::buffer::Cell;

use crate::base::width::grapheme_width;
use crate::tui::images::placeholder::{PLACEHOLDER, is_image};

/// Returns the number of cells of a symbol, at least one.
pub(super) fn width_of(cell: &Cell) -> u16 {
    if is_ascii(cell) || is_image(cell) { 1 } else { grapheme_width(cell.symbol()).max(1) as u16 }
}

pub(super) fn is_ascii(cell: &Cell) -> bool {
    cell.symbol().len() == 1
}

/// Returns whether terminals may disagree about its width: joiners, variation selectors, flags, marks that
/// form clusters wider than two cells.
pub(super) fn has_uncertain_width(symbol: &str) -> bool {
    if symbol.len() <= 4 && symbol.chars().nth(1).is_none() || symbol.starts_with(PLACEHOLDER) {
        return false;
    }
    let joins = |c| matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' | '\u{20e3}' | '\u{1f1e6}'..='\u{1f1ff}' | '\u{1f3fb}'..='\u{1f3ff}');
    symbol.chars().any(joins) || grapheme_width(symbol) > 2
}

/// Returns the beginning of a cluster whose characters fit into so many columns one beside the other.
pub(super) fn fitting(symbol: &str, columns: u16) -> &str {
    let mut left = usize::from(columns);
    let mut buffer = [0; 4];
    for (at, c) in symbol.char_indices() {
        match left.checked_sub(grapheme_width(c.encode_utf8(&mut buffer))) {
            Some(rest) => left = rest,
            None => return symbol[..at].trim_end_matches('\u{200d}'),
        }
    }
    symbol
}

/// Returns whether two cells look the same.
pub(super) fn looks_same(a: &Cell, b: &Cell) -> bool {
    let same_link = a.underline_color == b.underline_color;
    same_text(a, b) && a.fg == b.fg && a.bg == b.bg && a.modifier == b.modifier && same_link
}

/// Returns whether two cells have the same text, which is nearly always one byte each.
pub(super) fn same_text(a: &Cell, b: &Cell) -> bool {
    match (a.symbol().as_bytes(), b.symbol().as_bytes()) {
        ([a], [b]) => a == b,
        (a, b) => a == b,
    }
}
