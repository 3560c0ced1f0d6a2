//! A text as rows of a screen: folded lines left out, long lines wrapped, inlays in their
//! places. Must not know scrolling or drawing.
//!
//! Every question costs what a few rows cost: a long line is cut at fixed places, so that none
//! of them has to be laid out from its start.

use std::ops::Range;

use crate::base::width::graphemes;
use crate::text::display::columns::{self, width_at};
use crate::text::display::folds::Folds;
use crate::text::display::inlay::Inlay;
use crate::text::display::wrap::{RowSpace, row_len};
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;

/// A wrapped line begins a new row after so many bytes at the latest; rows are found from there.
const CUT: usize = 8 << 10;
/// Bytes in which the indentation of a line is looked for.
const INDENT_MAX: usize = 512;

/// How a text is looked at.
#[derive(Debug, Clone, Copy)]
pub struct DisplayMap<'a> {
    /// The text.
    pub text: &'a Text,
    /// What of it is not shown.
    pub folds: &'a Folds,
    /// What is shown beside it, by place.
    pub inlays: &'a [Inlay],
    /// Cells from one tab stop to the next.
    pub tab_width: usize,
    /// The cells of a row; lines are rows, however long, when `None`.
    pub wrap: Option<usize>,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The line that it shows.
    pub line: Line,
    /// Where in the text it begins.
    pub start: Byte,
    /// Where it ends, before a line's ending.
    pub end: Byte,
    /// Cells that are left free at its start.
    pub indent: usize,
    /// Whether its line begins here.
    pub is_first: bool,
    /// Whether its line ends here.
    pub is_last: bool,
}

impl Row {
    /// Whether a place is in this row. The end of a row that goes on belongs to the next one.
    pub fn contains(&self, at: Byte) -> bool {
        self.start <= at && (at < self.end || self.is_last && at == self.end)
    }
}

impl DisplayMap<'_> {
    /// The row that shows a place; where that is folded away, the row above.
    pub fn row_at(&self, at: Byte) -> Row {
        let line = self.text.line_of(self.folds.nearest_visible(at));
        let (start, end) = self.text.line_bounds(line);
        let at = self.folds.nearest_visible(at).min(end);
        if self.wrap.is_none() {
            return Row { line, start, end, indent: 0, is_first: true, is_last: true };
        }
        let mut row = self.row_from(line, start..end, self.wrapped_chunk(&(start..end), at).start);
        while !row.contains(at) {
            row = self.row_from(line, start..end, row.end);
        }
        row
    }

    /// The row below.
    pub fn below(&self, row: &Row) -> Option<Row> {
        if row.is_last {
            let line = self.folds.line_below(self.text, row.line)?;
            return Some(self.first_of(line));
        }
        let line = self.text.line_start(row.line)..self.text.line_end(row.line);
        Some(self.row_from(row.line, line, row.end))
    }

    /// The row above.
    pub fn above(&self, row: &Row) -> Option<Row> {
        if !row.is_first {
            return Some(self.row_at(self.text.prev_grapheme(row.start)));
        }
        let line = self.folds.line_above(self.text, row.line)?;
        Some(self.row_at(self.text.line_end(line)))
    }

    fn first_of(&self, line: Line) -> Row {
        let (start, end) = self.text.line_bounds(line);
        if self.wrap.is_none() {
            return Row { line, start, end, indent: 0, is_first: true, is_last: true };
        }
        self.row_from(line, start..end, start)
    }

    /// How many rows one is below another, if that is no more than so many.
    pub fn distance(&self, from: &Row, to: &Row, most: usize) -> Option<usize> {
        if self.wrap.is_none() && self.folds.is_empty() {
            let distance = to.line.0.checked_sub(from.line.0)?;
            return (distance <= most).then_some(distance);
        }
        std::iter::successors(Some(from.clone()), |row| self.below(row))
            .take(most + 1)
            .position(|row| row == *to)
    }

    /// So many rows from one on.
    pub fn rows_from(&self, first: Row, count: usize) -> Vec<Row> {
        if self.wrap.is_none() && self.folds.is_empty() {
            return self.lines_from(&first, count);
        }
        std::iter::successors(Some(first), |row| self.below(row)).take(count).collect()
    }

    /// The same where every line is a row.
    fn lines_from(&self, first: &Row, count: usize) -> Vec<Row> {
        let lines = (first.line.0..).zip(self.text.lines_from(first.line)).take(count);
        let row = |(line, content): (usize, Range<Byte>)| {
            let Range { start, end } = content;
            Row { line: Line(line), start, end, indent: 0, is_first: true, is_last: true }
        };
        lines.map(row).collect()
    }

    /// The piece of a wrapped line that holds a place, and that begins a row.
    fn wrapped_chunk(&self, line: &Range<Byte>, at: Byte) -> Range<Byte> {
        let cut = |n: usize| match n {
            0 => line.start,
            n if line.start.0 + n * CUT >= line.end.0 => line.end,
            n => self.text.grapheme_floor(line.start + n * CUT),
        };
        let n = (at - line.start) / CUT;
        match cut(n + 1) {
            end if at >= end && end < line.end => end..cut(n + 2),
            end => cut(n).min(end)..end,
        }
    }

    fn row_from(&self, line: Line, whole: Range<Byte>, start: Byte) -> Row {
        let is_first = start == whole.start;
        let indent = if is_first { 0 } else { self.hanging_indent(&whole) };
        let piece = self.wrapped_chunk(&whole, start);
        let cols = self.wrap.unwrap_or(1).max(1);
        // More bytes than a row of usual text has are not taken out of the rope.
        let usual = self.text.grapheme_floor(piece.end.min(start + (cols + 2) * 16)).max(start);
        let room = RowSpace { cols, indent, tab_width: self.tab_width };
        let mut len = row_len(&self.text.slice(start..usual), start, self.inlays, room);
        if start + len == usual && usual < piece.end {
            len = row_len(&self.text.slice(start..piece.end), start, self.inlays, room);
        }
        let end = start + len;
        Row { line, start, end, indent, is_first, is_last: end == whole.end }
    }

    /// Where the rows of a line begin after its first one: below its text, within reason.
    fn hanging_indent(&self, line: &Range<Byte>) -> usize {
        let start = self.text.slice(line.start..self.text.char_floor(line.end.min(line.start + INDENT_MAX)));
        let blanks = graphemes(&start).take_while(|g| matches!(*g, " " | "\t"));
        let indent = blanks.fold(0, |column, g| column + width_at(g, column, self.tab_width));
        indent.min(self.wrap.unwrap_or(0) / 3)
    }

    /// The inlays of a row.
    pub fn inlays_in(&self, row: &Row) -> &[Inlay] {
        let from = self.inlays.partition_point(|inlay| inlay.at < row.start);
        let to =
            self.inlays.partition_point(|inlay| inlay.at < row.end || row.is_last && inlay.at == row.end);
        self.inlays.get(from..to).unwrap_or_default()
    }

    /// Cells between the tab stops of a row: fewer in a very long line that is not wrapped.
    pub fn tab_stop_width(&self, row: &Row) -> usize {
        if self.wrap.is_none() && self.inlays_in(row).is_empty() {
            return columns::tab_stop_width(self.text, row.line, self.tab_width);
        }
        self.tab_width
    }

    /// The cell of a place in its row, from the row's left edge.
    pub fn column(&self, row: &Row, at: Byte) -> usize {
        let at = at.clamp(row.start, row.end);
        let inlays = self.inlays_in(row);
        if self.wrap.is_none() && inlays.is_empty() {
            return columns::column_in(self.text, row.line, row.start, at, self.tab_width).0;
        }
        let shown = inlays.iter().take_while(|inlay| inlay.at < at);
        let mut inlays = shown.map(|inlay| (inlay.at, inlay.width())).peekable();
        let (mut column, mut place) = (row.indent, row.start);
        for grapheme in graphemes(&self.text.slice(row.start..at)) {
            while let Some((_, width)) = inlays.next_if(|(inlay, _)| *inlay <= place) {
                column += width;
            }
            column += width_at(grapheme, column, self.tab_width);
            place += grapheme.len();
        }
        column + inlays.map(|(_, width)| width).sum::<usize>()
    }

    /// The place at a cell of a row, or the last one in it.
    pub fn at_column(&self, row: &Row, goal: usize) -> Byte {
        let inlays = self.inlays_in(row);
        if self.wrap.is_none() && inlays.is_empty() {
            return columns::at_column(self.text, row.line, Column(goal), self.tab_width);
        }
        let mut inlays = inlays.iter().map(|inlay| (inlay.at, inlay.width())).peekable();
        let (mut column, mut at) = (row.indent, row.start);
        for grapheme in graphemes(&self.text.slice(row.start..row.end)) {
            while let Some((_, width)) = inlays.next_if(|(inlay, _)| *inlay <= at) {
                column += width;
            }
            let next = column + width_at(grapheme, column, self.tab_width);
            if next > goal {
                return at;
            }
            column = next;
            at += grapheme.len();
        }
        self.last_of(row)
    }

    /// The last place in a row.
    pub fn last_of(&self, row: &Row) -> Byte {
        if row.is_last { row.end } else { self.text.prev_grapheme(row.end).max(row.start) }
    }

    /// The place so many rows up or down, in the same cell as far as there is one; the text's
    /// start or end from its first or last row.
    pub fn vertical(&self, at: Byte, goal: Option<Column>, rows: usize, down: bool) -> (Byte, Column) {
        let row = self.row_at(at);
        let goal = goal.unwrap_or_else(|| Column(self.column(&row, at)));
        let step = |row: &Row| if down { self.below(row) } else { self.above(row) };
        match std::iter::successors(Some(row), step).take(rows + 1).enumerate().last() {
            Some((1.., row)) => (self.at_column(&row, goal.0), goal),
            _ if down => (self.folds.nearest_visible(self.text.end()), goal),
            _ => (Byte(0), goal),
        }
    }
}

#[cfg(test)]
mod tests;
