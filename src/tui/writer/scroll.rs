//! Finds rows that only moved up or down, which terminals can do themselves. Must not know bytes, nor what is
//! shown.

use std::hash::{Hash, Hasher};
use std::ops::Range;

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use rustc_hash::FxHasher;

use super::cells::{has_uncertain_width, looks_same};

/// Minimum number of rows; fewer are written directly.
const ROWS_MIN: usize = 4;
/// The same where a screen reader speaks what is written.
const SPOKEN_ROWS_MIN: usize = 2;
/// Minimum number of cells that a scroll must save to be certainly shorter: its commands take 40 bytes at
/// most.
const SAVED_MIN: usize = 80;

/// Rows that move, and how far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Scroll {
    /// The columns that move.
    pub(super) columns: Range<u16>,
    /// The rows of the scroll region. Rows that move out of it are lost, and as many blank rows come in.
    pub(super) rows: Range<u16>,
    /// Number of rows.
    pub(super) by: u16,
    /// Whether rows move up, as when text is added below.
    pub(super) up: bool,
}

impl Scroll {
    /// Finds a scroll after which most of a part of the screen is correct, if there is one. Where the
    /// terminal has no side margins, whole rows move, including what is beside that part.
    /// With `is_spoken` it need not be shorter: a screen reader would speak again what only moved.
    pub(super) fn find(
        old: &Buffer,
        new: &Buffer,
        part: Rect,
        margins: bool,
        is_spoken: bool,
    ) -> Option<Self> {
        if part.is_empty() {
            return None;
        }
        let differs =
            |y: &u16| !row(old, part, *y).iter().zip(row(new, part, *y)).all(|(a, b)| looks_same(a, b));
        let rows_min = if is_spoken { SPOKEN_ROWS_MIN } else { ROWS_MIN };
        if (part.top()..part.bottom()).filter(differs).take(rows_min).count() < rows_min {
            return None;
        }
        let (down, rows) = find_moved_rows(old, new, part, rows_min)?;
        let (by, up) = (down.unsigned_abs(), down > 0);
        let columns = if margins { part.left()..part.right() } else { 0..new.area.width };
        let scroll = Self { columns, rows, by, up };
        let is_meant = if is_spoken { scroll.saves_rows(old, new) } else { scroll.is_worth_it(old, new) };
        (scroll.cuts_no_character(old) && is_meant).then_some(scroll)
    }

    /// Returns whether whole rows move.
    pub(super) fn is_whole(&self, screen: Rect) -> bool {
        self.columns == (0..screen.width)
    }

    /// Returns the area that has to be compared again.
    pub(super) fn area(&self) -> Rect {
        let (width, height) = (self.columns.end - self.columns.start, self.rows.end - self.rows.start);
        Rect::new(self.columns.start, self.rows.start, width, height)
    }

    /// Applies to cells what the terminal does.
    pub(super) fn apply(&self, shown: &mut Buffer) {
        let width = usize::from(shown.area.width);
        let columns = usize::from(self.columns.start)..usize::from(self.columns.end);
        let rows: Vec<u16> =
            if self.up { self.rows.clone().collect() } else { self.rows.clone().rev().collect() };
        for (to, from) in rows.iter().zip(rows.iter().skip(usize::from(self.by))) {
            let (first, second) = (usize::from(*to.min(from)), usize::from(*to.max(from)));
            let (above, below) = shown.content.split_at_mut(second * width);
            above[first * width..][columns.clone()].swap_with_slice(&mut below[columns.clone()]);
        }
        for y in rows.iter().rev().take(usize::from(self.by)) {
            shown.content[usize::from(*y) * width..][columns.clone()].fill(Cell::EMPTY);
        }
    }

    /// Returns the row that moves to `y`; `None` for a blank one.
    fn source_row(&self, y: u16) -> Option<u16> {
        let from = if self.up { y.checked_add(self.by) } else { y.checked_sub(self.by) };
        from.filter(|from| self.rows.contains(from))
    }

    /// Returns whether the scroll saves enough cells. Blanks are erased, so they are not counted.
    fn is_worth_it(&self, old: &Buffer, new: &Buffer) -> bool {
        let area = self.area();
        let written = |from: Option<u16>, to: u16| {
            let from = from.map(|from| row(old, area, from));
            let is_seen = |cell: &Cell| cell.symbol() != " ";
            let cells = row(new, area, to).iter().enumerate();
            cells
                .filter(|(x, cell)| is_seen(cell) && from.is_none_or(|old| !looks_same(&old[*x], cell)))
                .count()
        };
        let (mut before, mut after) = (0, 0);
        for y in self.rows.clone() {
            before += written(Some(y), y);
            after += written(self.source_row(y), y);
        }
        after + SAVED_MIN <= before && after * 2 <= before
    }

    /// Returns whether fewer rows are written than without it.
    fn saves_rows(&self, old: &Buffer, new: &Buffer) -> bool {
        let area = self.area();
        let differs = |from: Option<u16>, to: u16| {
            let to = row(new, area, to);
            match from {
                Some(from) => {
                    row(old, area, from).iter().zip(to).any(|(old, new)| old.symbol() != new.symbol())
                }
                None => to.iter().any(|cell| cell.symbol() != " "),
            }
        };
        let before = self.rows.clone().filter(|y| differs(Some(*y), *y)).count();
        let after = self.rows.clone().filter(|y| differs(self.source_row(*y), *y)).count();
        after < before
    }

    /// Returns whether no character crosses its sides, nor may.
    fn cuts_no_character(&self, old: &Buffer) -> bool {
        if self.is_whole(old.area) {
            return true;
        }
        let width = old.area.width;
        self.rows.clone().all(|y| {
            let cells = row(old, Rect { x: 0, width, ..self.area() }, y);
            let is_half = |x: u16| cells.get(usize::from(x)).is_some_and(|cell| cell.symbol().is_empty());
            !is_half(self.columns.start)
                && !is_half(self.columns.end)
                && !cells.iter().any(|cell| has_uncertain_width(cell.symbol()))
        })
    }
}

/// Returns the cells of a row in a part of the screen.
fn row(buffer: &Buffer, part: Rect, y: u16) -> &[Cell] {
    let start = buffer.index_of(part.left(), y);
    &buffer.content[start..start + usize::from(part.width)]
}

/// Returns how far most rows of a part moved, positive for up, and the rows in which they did.
fn find_moved_rows(old: &Buffer, new: &Buffer, part: Rect, rows_min: usize) -> Option<(i16, Range<u16>)> {
    let rows = part.top()..part.bottom();
    let was: Vec<u64> = rows.clone().map(|y| hash(row(old, part, y))).collect();
    let is: Vec<u64> = rows.map(|y| hash(row(new, part, y))).collect();
    let is_seen =
        |at: &usize| row(new, part, part.top() + *at as u16).iter().any(|cell| cell.symbol() != " ");
    let seen: Vec<usize> = (0..is.len()).filter(is_seen).collect();
    let fits = |by: i16, at: usize| {
        at.checked_add_signed(by.into()).is_some_and(|from| was.get(from) == Some(&is[at]))
    };
    let fitting = |by: i16| seen.iter().filter(|at| fits(by, **at)).count();
    let most = is.len() as i16 - 1;
    // Of several the shortest, since rows may be alike.
    let shifts = (-most..=most).filter(|by| *by != 0).map(|by| (fitting(by), -by.abs(), by));
    let (count, _, by) = shifts.max()?;
    let fits = |at: &usize| fits(by, *at);
    let (first, last) = ((0..is.len()).find(fits)?, (0..is.len()).rfind(fits)?);
    let top = part.top() + first as u16;
    let end = part.top() + last as u16 + 1;
    let n = by.unsigned_abs();
    let rows = if by > 0 { top..end + n } else { top.checked_sub(n)?..end };
    (count >= rows_min - 1).then_some((by, rows))
}

/// Fast rather than hard to collide: what a scroll leaves wrong is written after it.
fn hash(cells: &[Cell]) -> u64 {
    let mut hasher = FxHasher::default();
    for cell in cells {
        (cell.symbol(), cell.fg, cell.bg, cell.modifier, cell.underline_color).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests;
