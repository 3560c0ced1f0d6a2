//! Finds what the editor is to show: scrolls to the cursor, lays out the rows, and tells which
//! of them look different now. Must not draw. Costs what a screen of rows costs.

use std::ops::Range;

use ratatui::layout::Rect;

use super::state::State;
use super::state::buffers::Buffer;
use super::state::look::Look;
use super::state::scrollbar;
use super::state::shown::Shown;
use crate::text::brackets;
use crate::text::position::{Byte, Column, Line};
use crate::text::rows::{Lens, Row};

/// Narrower panes have no line numbers.
const NUMBERS_COLS: u16 = 30;
/// Narrower panes have no scrollbar: their text needs the column.
const BAR_COLS: u16 = 44;
/// Bytes around the cursor in which the partner of a bracket is looked for.
const PAIR_REACH: usize = 32 << 10;

/// Lays out what the editor shows. Gives the rows of the editor's part of the screen that must
/// be drawn again although no command has said so; `None` for all of them.
pub fn editor(state: &mut State) -> Option<Vec<Range<u16>>> {
    let before = state.shown.take();
    let Some(area) = state.areas.editor else { return Some(Vec::new()) };
    let (look, usual) = (&state.look, state.show.tab_width);
    let searched = state.surveyed.as_ref();
    let buffer = state.buffers.current_mut()?;
    let tab_width = buffer.tab_width(usual);
    let shown =
        lay_out(buffer, look, tab_width, area, searched.map_or(&[][..], |found| found.lines_in(buffer)));
    let again = before.and_then(|before| differing(&before, &shown, look));
    state.shown = Some(shown);
    again
}

/// Cells left of the text: one for the agent's marks, then the number and one for git's.
/// Nothing but the first in narrow panes.
fn gutter_width(text_lines: usize, look: &Look, cols: u16) -> u16 {
    let digits = text_lines.max(100).ilog10() as u16 + 1;
    if look.numbers && cols >= NUMBERS_COLS { digits + 3 } else { 1 }
}

fn lay_out(buffer: &mut Buffer, look: &Look, tab_width: usize, area: Rect, matches: &[Line]) -> Shown {
    let height = usize::from(area.height);
    let gutter = gutter_width(buffer.area.text().line_count(), look, area.width);
    let fits = buffer.area.text().line_count() <= height;
    let bar = u16::from(look.scrollbar && area.width >= BAR_COLS && !fits);
    let cols = area.width.saturating_sub(gutter + bar);
    // The cursor behind the last character of a row needs a cell, too.
    buffer.area.riders.view.wrap = look.wrap.then(|| usize::from(cols.saturating_sub(1)).max(1));
    follow(buffer, look, tab_width, area, cols);
    let view = &buffer.area.riders.view;
    let lens = buffer.area.lens(tab_width);
    let rows = lens.rows_from(lens.row_at(view.top), height);
    let head = buffer.area.selection.primary().head;
    let caret = buffer.area.text().line_of(head);
    let pair = if look.brackets { pair_at(buffer, &rows) } else { None };
    let bar = if bar > 0 { scrollbar::cells(buffer, &rows, height, matches) } else { Vec::new() };
    Shown { buffer: buffer.id, area, gutter, cols, left: view.left.0, rows, caret, pair, bar }
}

/// Scrolls to the cursor when it has moved, or its part of the screen has changed.
fn follow(buffer: &mut Buffer, look: &Look, tab_width: usize, area: Rect, cols: u16) {
    let head = buffer.area.selection.primary().head;
    // Whoever went there, by a search or from elsewhere, wants to see it.
    buffer.area.riders.folds.reveal(head);
    let view = &buffer.area.riders.view;
    let followed = Some((head, area));
    // A narrow window that became a wide one again is no reason to hide what fits.
    let resized = view.followed.is_some_and(|(_, before)| before != area);
    let lens = buffer.area.lens(tab_width);
    let mut top = lens.row_at(view.top.min(buffer.area.text().end()));
    let mut left = if resized { Column(0) } else { view.left };
    let free = view.free_scroll && view.followed == followed;
    if !free {
        top = scrolled(&lens, top, head, usize::from(area.height), look.margin);
        left = if lens.wrap.is_some() {
            Column(0)
        } else {
            scrolled_columns(&lens, left, head, usize::from(cols))
        };
    }
    let view = &mut buffer.area.riders.view;
    (view.top, view.left, view.free_scroll, view.followed) = (top.start, left, free, followed);
}

/// The first row of so many that show a place with a margin around it.
fn scrolled(lens: &Lens<'_>, top: Row, head: Byte, height: usize, margin: usize) -> Row {
    let margin = margin.min(height.saturating_sub(1) / 2);
    let row = lens.row_at(head);
    let up = |row: Row, rows: usize| {
        std::iter::successors(Some(row.clone()), |row| lens.above(row)).take(rows + 1).last().unwrap_or(row)
    };
    if row.start < top.start {
        return up(row, margin);
    }
    let lowest = height.saturating_sub(1 + margin);
    let below = lens.rows_from(top.clone(), height.max(1));
    match below.iter().position(|other| *other == row) {
        Some(n) if n < margin => up(top, margin - n),
        Some(n) if n <= lowest => top,
        _ => up(row, lowest),
    }
}

/// Columns jump by half a pane, so that typing at the edge does not redraw at every key.
fn scrolled_columns(lens: &Lens<'_>, left: Column, head: Byte, cols: usize) -> Column {
    let column = lens.column(&lens.row_at(head), head);
    let cols = cols.max(1);
    if column >= left.0 && column < left.0 + cols {
        return left;
    }
    Column(if column < cols { 0 } else { column - cols / 2 })
}

/// The bracket at the cursor and its partner, if that is on the screen. Those in comments and
/// texts count only among themselves, as far as the colours are known.
fn pair_at(buffer: &Buffer, rows: &[Row]) -> Option<(Byte, Byte)> {
    let range = buffer.area.selection.primary();
    let (first, last) = (rows.first()?, rows.last()?);
    if !range.is_empty() || !buffer.area.riders.folds.shown(range.head).eq(&range.head) {
        return None;
    }
    let bounds = first.start.max(range.head.back(PAIR_REACH))..last.end.min(range.head + PAIR_REACH);
    let prose = |at: Byte| {
        let spans = buffer.coloring.within(&(at..at + 1));
        let is_prose = |scope: &str| scope.starts_with("comment") || scope.starts_with("string");
        spans.iter().find(|span| is_prose(span.scope)).map(|span| span.range.clone())
    };
    let before = range.head.0.checked_sub(1).map(Byte);
    [Some(range.head), before].into_iter().flatten().find_map(|at| {
        let there = match prose(at) {
            Some(own) => {
                let own = own.start.max(bounds.start)..own.end.min(bounds.end);
                brackets::partner_within(buffer.area.text(), at, &own, |_| true)
            }
            None => brackets::partner_within(buffer.area.text(), at, &bounds, |at| prose(at).is_none()),
        };
        there.map(|there| (at, there))
    })
}

/// The rows that look different although the text of their lines may be the same. `None` when
/// that is all of them.
fn differing(before: &Shown, now: &Shown, look: &Look) -> Option<Vec<Range<u16>>> {
    let same = before.buffer == now.buffer
        && (before.area, before.gutter, before.cols, before.left)
            == (now.area, now.gutter, now.cols, now.left)
        && before.bar.is_empty() == now.bar.is_empty()
        && before.rows.len() == now.rows.len();
    let place = |row: &Row| (row.line, row.is_first);
    if !same || !before.rows.iter().map(place).eq(now.rows.iter().map(place)) {
        return None;
    }
    if look.numbers && look.relative && before.caret != now.caret {
        return None;
    }
    let mut rows = Vec::new();
    if before.pair != now.pair {
        let ends = |shown: &Shown| shown.pair.map(|(here, there)| [here, there].map(|at| shown.row_of(at)));
        let ends = [ends(before), ends(now)].into_iter().flatten().flatten().flatten();
        rows.extend(ends.map(|row| row..row + 1));
    }
    let bars = before.bar.iter().zip(&now.bar).enumerate().filter(|(_, (before, now))| before != now);
    rows.extend(bars.map(|(row, _)| row as u16..row as u16 + 1));
    Some(rows)
}
