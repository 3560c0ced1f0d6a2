//! Finds the part of a row that only moved sideways, like the rest of a line after typed text. Must not know
//! bytes.

use std::ops::Range;

use ratatui::buffer::Cell;

use super::cells::{looks_same, same_text};

/// Maximum number of cells of a shift: a character or two, a tab.
const SHIFT_MAX: usize = 4;

/// A part of a row that only moved, between parts that stay.
pub(super) struct Shift {
    /// From which column on.
    pub(super) x: u16,
    /// Start of the part that stays.
    pub(super) end: u16,
    /// Number of cells.
    pub(super) cells: u16,
    /// Whether the part moves to the right (insert) rather than to the left (delete).
    pub(super) inserts: bool,
    /// Number of non-blank cells that differ from before and that the shift makes unnecessary to write.
    pub(super) saved: usize,
}

/// Equal to no cell that is drawn.
static UNKNOWN: Cell = Cell::new("\u{0}");

impl Shift {
    /// Finds a shift after which most of a row is correct, if there is one; only the cells of `changed`
    /// differ. Rows with anything but plain cells must be excluded: terminals disagree about the others.
    pub(super) fn find(old: &[Cell], new: &[Cell], changed: &Range<usize>) -> Option<Self> {
        let (x, end) = (changed.start, changed.end);
        let (old, new) = (&old[changed.clone()], &new[changed.clone()]);
        let fits = |a: &[Cell], b: &[Cell]| a.iter().zip(b).take_while(|(a, b)| looks_same(a, b)).count();
        let shifts = (1..=SHIFT_MAX.min(old.len() - 1))
            .flat_map(|n| [(fits(old, &new[n..]), n, true), (fits(&old[n..], new), n, false)]);
        let (fit, n, inserts) = shifts.max_by_key(|(fit, ..)| *fit)?;
        let from = if inserts { n } else { 0 };
        let here = old[from..from + fit].iter().zip(&new[from..from + fit]);
        let saved = here.filter(|(was, cell)| cell.symbol() != " " && !same_text(was, cell)).count();
        (fit > n).then_some(Self { x: x as u16, end: end as u16, cells: n as u16, inserts, saved })
    }

    /// Returns a cell as the terminal has it after the shift. An inserted cell equals no other.
    pub(super) fn moved<'a>(&self, old: &'a [Cell], at: usize) -> &'a Cell {
        let (x, end, n) = (usize::from(self.x), usize::from(self.end), usize::from(self.cells));
        match at {
            _ if at < x || at >= end => &old[at],
            _ if self.inserts => {
                if at < x + n {
                    &UNKNOWN
                } else {
                    &old[at - n]
                }
            }
            _ => {
                if at < end - n {
                    &old[at + n]
                } else {
                    &UNKNOWN
                }
            }
        }
    }
}
