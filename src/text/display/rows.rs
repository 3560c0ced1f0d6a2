//! Screen rows of a text: without folded lines, with wrapped lines and inlays. Must not know scrolling or
//! drawing.
//!
//! Every operation costs as much as a few rows: a long line is cut at fixed positions, so that it is never
//! laid out from its start.

use std::ops::Range;

use crate::base::width::graphemes;
use crate::text::display::columns::{self, width_at};
use crate::text::display::folds::Folds;
use crate::text::display::inlay::Inlay;
use crate::text::display::wrap::{RowSpace, row_len};
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;

/// A wrapped line is cut after at most this many bytes; rows are laid out from there.
const CUT: usize = 8 << 10;
/// Bytes of a line that are searched for its indentation.
const INDENT_MAX: usize = 512;

/// Display settings of a text.
#[derive(Debug, Clone, Copy)]
pub struct DisplayMap<'a> {
    /// The text.
    pub text: &'a Text,
    /// The closed folds.
    pub folds: &'a Folds,
    /// The inlays, by position.
    pub inlays: &'a [Inlay],
    /// Cells between tab stops.
    pub tab_width: usize,
    /// The cells of a row; `None` without wrapping.
    pub wrap: Option<usize>,
}

/// A screen row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its line.
    pub line: Line,
    /// Its start in the text.
    pub start: Byte,
    /// Its end, before a line ending.
    pub end: Byte,
    /// Cells of indentation at its start.
    pub indent: usize,
    /// Whether its line starts here.
    pub is_first: bool,
    /// Whether its line ends here.
    pub is_last: bool,
}

impl Row {
    /// Whether a position is in this row. The end of a row that continues belongs to the next one.
    pub fn contains(&self, at: Byte) -> bool {
        self.start <= at && (at < self.end || self.is_last && at == self.end)
    }
}

impl DisplayMap<'_> {
    /// Returns the row of a position; if it is folded, the row above.
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

    /// Returns the number of rows from one to another, up to a maximum.
    pub fn distance(&self, from: &Row, to: &Row, most: usize) -> Option<usize> {
        if self.wrap.is_none() && self.folds.is_empty() {
            let distance = to.line.0.checked_sub(from.line.0)?;
            return (distance <= most).then_some(distance);
        }
        std::iter::successors(Some(from.clone()), |row| self.below(row))
            .take(most + 1)
            .position(|row| row == *to)
    }

    /// Returns this many rows from one on.
    pub fn rows_from(&self, first: Row, count: usize) -> Vec<Row> {
        if self.wrap.is_none() && self.folds.is_empty() {
            return self.lines_from(&first, count);
        }
        std::iter::successors(Some(first), |row| self.below(row)).take(count).collect()
    }

    /// The same without wrapping.
    fn lines_from(&self, first: &Row, count: usize) -> Vec<Row> {
        let lines = (first.line.0..).zip(self.text.lines_from(first.line)).take(count);
        let row = |(line, content): (usize, Range<Byte>)| {
            let Range { start, end } = content;
            Row { line: Line(line), start, end, indent: 0, is_first: true, is_last: true }
        };
        lines.map(row).collect()
    }

    /// Returns the piece of a wrapped line, from one cut to the next, that contains a position.
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
        // Reads only as many bytes as a usual row has.
        let usual = self.text.grapheme_floor(piece.end.min(start + (cols + 2) * 16)).max(start);
        let room = RowSpace { cols, indent, tab_width: self.tab_width };
        let mut len = row_len(&self.text.slice(start..usual), start, self.inlays, room);
        if start + len == usual && usual < piece.end {
            len = row_len(&self.text.slice(start..piece.end), start, self.inlays, room);
        }
        let end = start + len;
        Row { line, start, end, indent, is_first, is_last: end == whole.end }
    }

    /// Returns the hanging indentation of a line's further rows, up to a limit.
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

    /// Returns the cell of a position, from the row's left edge.
    pub fn column(&self, row: &Row, at: Byte) -> usize {
        let at = at.clamp(row.start, row.end);
        let inlays = self.inlays_in(row);
        if self.wrap.is_none() && inlays.is_empty() {
            return columns::column_in(self.text, row.line, row.start, at, self.tab_width).0;
        }
        let shown = inlays.iter().take_while(|inlay| inlay.is_before(at));
        let mut inlays = shown.map(|inlay| (inlay.at, inlay.width())).peekable();
        let (mut column, mut byte) = (row.indent, row.start);
        for grapheme in graphemes(&self.text.slice(row.start..at)) {
            while let Some((_, width)) = inlays.next_if(|(inlay, _)| *inlay <= byte) {
                column += width;
            }
            column += width_at(grapheme, column, self.tab_width);
            byte += grapheme.len();
        }
        column + inlays.map(|(_, width)| width).sum::<usize>()
    }

    /// Returns the cell behind everything that is displayed in a row.
    pub fn end_column(&self, row: &Row) -> usize {
        let behind = self.inlays_in(row).iter().filter(|inlay| !inlay.is_before(row.end));
        self.column(row, row.end) + behind.map(Inlay::width).sum::<usize>()
    }

    /// Returns the position at a cell of a row, or its last one.
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

    /// Returns the last position in a row.
    pub fn last_of(&self, row: &Row) -> Byte {
        if row.is_last { row.end } else { self.text.prev_grapheme(row.end).max(row.start) }
    }

    /// Returns the position this many rows up or down, in the same cell if possible; from the first or last
    /// row the text's start or end.
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
