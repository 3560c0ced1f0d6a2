//! Rows as a screen reader speaks them, which reads what is written: a whole row rather than the letters that differ. Must
//! not know bytes.

use std::ops::Range;

use ratatui::buffer::Cell;
use ratatui::style::Modifier;

/// Returns the columns of a changed row to write, and makes the old cells in them differ: from its first to its last
/// character. The row stays as it is where a text was only added at its end, or where no more than a sign has changed.
pub(super) fn whole_row(old: &mut [Cell], new: &[Cell], changed: Range<usize>) -> Range<usize> {
    let is_seen = |cell: &Cell| !matches!(cell.symbol(), " " | "");
    let is_added = !old[changed.start..].iter().any(is_seen);
    let signs = old.iter().zip(new).filter(|(old, new)| old.symbol() != new.symbol()).take(2).count();
    let Some(first) = new.iter().position(is_seen).filter(|_| !is_added && signs > 1) else { return changed };
    let end = new.iter().rposition(is_seen).map_or(first, |last| last + 1);
    // The other cells of a wide character go with it.
    let end = (end..new.len()).find(|x| !new[*x].symbol().is_empty()).unwrap_or(new.len());
    let mut unknown = Cell::new("x");
    unknown.modifier = Modifier::all();
    old[first..end].fill(unknown);
    first.min(changed.start)..end.max(changed.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Vec<Cell> {
        let mut cells = vec![Cell::EMPTY; 12];
        for (cell, c) in cells.iter_mut().zip(text.chars()) {
            cell.set_char(c);
        }
        cells
    }

    fn written(old: &str, new: &str) -> Range<usize> {
        let (mut old, new) = (cells(old), cells(new));
        let differs = |x: &usize| old[*x] != new[*x];
        let changed = (0..12).find(differs).unwrap()..(0..12).rfind(differs).unwrap() + 1;
        whole_row(&mut old, &new, changed)
    }

    #[test]
    fn spoken_rows_are_whole_except_for_additions_and_signs() {
        assert_eq!(written(" One is", " Two was"), 1..8);
        assert_eq!(written(" One is long", " One"), 1..12, "the rest is erased");
        assert_eq!(written(" One.", " One. Two."), 6..10);
        assert_eq!(written("", " One"), 1..4);
        assert_eq!(written("> One", "  One"), 0..1);
        assert_eq!(written(" One", ""), 1..4);
    }
}
