//! Shifts the text in and after a rectangle, by the white space at its left side. Must not know operators.

use std::ops::Range as ByteRange;

use crate::text::changes::ChangeSet;
use crate::text::display::columns::at_column;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::operator::finish_edit::{drop_unchanged, into_transaction};
use crate::text::modal::operator::spans::OperatorSpan;
use crate::text::position::{Byte, Column};
use crate::text::transaction::Transaction;

/// Shifts the rows of a rectangle by this many columns, to the left when `back`; with tabs when `hard`. The
/// cursor stays as far from the start of its line as the first row is.
pub(in crate::text::modal) fn shift(
    page: ModalText<'_>,
    piece: &OperatorSpan,
    columns: usize,
    back: bool,
    hard: bool,
) -> Transaction {
    let row = |span: &ByteRange<Byte>| {
        let row = Row::of(page, span.start, piece.columns.0)?;
        Some(if back { row.to_left(columns) } else { row.to_right(columns, hard) })
    };
    let edits = piece.spans.iter().filter_map(row);
    let changes = ChangeSet::replace(page.text.end().0, drop_unchanged(page, edits));
    into_transaction(page, changes, |after, _| {
        let line = page.line(piece.start);
        let at = after.start(line) + (piece.start - page.start(line));
        vec![after.cursor_position(at.min(after.end(line)))]
    })
}

/// A row of a rectangle.
struct Row<'t> {
    page: ModalText<'t>,
    /// The character at the first column, or the one that it cuts.
    start: Byte,
    left: Column,
    /// Whether it cuts a character that is not a tab.
    cuts: bool,
}

impl<'t> Row<'t> {
    /// Returns `None` if the line ends before the rectangle or is empty.
    fn of(page: ModalText<'t>, start: Byte, left: Column) -> Option<Self> {
        let line = page.line(start);
        let within = page.column(page.end(line)) >= left && !page.is_empty_line(line);
        let cuts = page.column(start) < left && !is_white(page, start);
        within.then_some(Self { page, start, left, cuts })
    }

    /// Returns the end of the white space that starts at a position.
    fn skip_white_space(&self, at: Byte) -> Byte {
        let mut at = at;
        while is_white(self.page, at) {
            at += 1;
        }
        at
    }

    /// Returns all the white space at the left side, rebuilt.
    fn to_right(&self, columns: usize, hard: bool) -> (ByteRange<Byte>, String) {
        let page = self.page;
        let mut from = self.start;
        while !self.cuts && from > page.start_of(from) && is_white(page, from.back(1)) {
            from = from.back(1);
        }
        let to = self.skip_white_space(self.start);
        // Vim counts tabs before a cut character from the first column.
        let column = if self.cuts { 0 } else { page.column(from).0 };
        let wide = page.column(to).0 - page.column(from).0 + columns;
        (from..to, white(column, column + wide, page.tab_width, hard))
    }

    /// Removes as much of the white space as possible; the rest of a tab becomes spaces.
    fn to_left(&self, columns: usize) -> (ByteRange<Byte>, String) {
        let page = self.page;
        let text = self.skip_white_space(if self.cuts { page.right(self.start) } else { self.start });
        let now = page.column(text);
        let to = Column(now.0 - (now.0 - self.left.0).min(columns));
        let keep = at_column(page.text, page.line(self.start), to, page.tab_width).clamp(self.start, text);
        (keep..text, " ".repeat(to.0.saturating_sub(page.column(keep).0)))
    }
}

fn is_white(page: ModalText<'_>, at: Byte) -> bool {
    matches!(page.char(at), Some(' ' | '\t'))
}

/// Returns white space from one column to another, with tabs as far as possible when `hard`.
fn white(from: usize, to: usize, tab_width: usize, hard: bool) -> String {
    let stop = to - to % tab_width;
    if !hard || stop <= from {
        return " ".repeat(to - from);
    }
    let tabs = (stop - from).div_ceil(tab_width);
    "\t".repeat(tabs) + &" ".repeat(to - stop)
}
