//! Layout of the editor: scrolls to the cursor, lays out the rows, and determines which of them look
//! different. Must not draw. The cost is that of a screen of rows.

use std::ops::Range;

use ratatui::layout::Rect;

use crate::ide::core::state::State;
use crate::ide::editor::view::highlighting;
use crate::ide::editor::windows;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::ide::model::view::display::DisplayOptions;
use crate::ide::model::view::scrollbar;
use crate::ide::model::view::visible_rows::{Breadcrumb, VisibleRows};
use crate::ide::model::window_id::WindowId;
use crate::ide::model::windows::WindowLayout;
use crate::text::display::rows::{DisplayMap, Row};
use crate::text::movement::brackets;
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;

/// Narrower panes have no line numbers.
const NUMBERS_COLS: u16 = 30;
/// Narrower panes have no scrollbar: their text needs the column.
const BAR_COLS: u16 = 44;
/// Maximum number of sticky header rows.
const STICKY_MAX: usize = 4;
/// Bytes around the cursor in which the partner of a bracket is searched.
const PAIR_REACH: usize = 32 << 10;

/// A window to lay out.
struct Frame<'a> {
    window: WindowId,
    title: Option<Rect>,
    area: Rect,
    display: &'a DisplayOptions,
    tab_width: usize,
    /// Lines with a search match.
    matches: &'a [Line],
    /// Whether it has the focus: folds at its cursor are opened.
    is_active: bool,
    /// Rows at its end that are covered.
    covered: u16,
    /// Whether a screen reader reads it: nothing stands beside the text, and all of a line is on the screen.
    is_accessible: bool,
}

/// Lays out what the editor shows. Returns the rows of the editor's area that must be redrawn although they
/// were not marked as damaged; `None` for all of them.
pub fn editor(state: &mut State) -> Option<Vec<Range<u16>>> {
    let before = (state.visible_rows.take(), std::mem::take(&mut state.other_visible_rows));
    state.borders.clear();
    let Some(part) = state.areas.editor else { return Some(Vec::new()) };
    if state.buffers.current().is_none() {
        return before.0.is_none().then(Vec::new);
    }
    let window_layout = if state.is_accessible() {
        WindowLayout { windows: vec![(state.windows.active, part)], borders: Vec::new() }
    } else {
        state.windows.layout(part)
    };
    let several = window_layout.windows.len() > 1;
    // The one with the focus is the first: at its caret folds are opened, which other windows show, too.
    let active = state.windows.active;
    let (first, others): (Vec<_>, Vec<_>) =
        window_layout.windows.into_iter().partition(|(window, _)| *window == active);
    for (window, whole) in first.into_iter().chain(others) {
        let titled = (several || state.display.breadcrumbs) && whole.height >= 3;
        let title = titled.then_some(Rect { height: 1, ..whole });
        let rows = u16::from(titled);
        let area = Rect { y: whole.y + rows, height: whole.height - rows, ..whole };
        lay_out_window(state, window, title, area);
    }
    state.borders = window_layout.borders;
    let now = state.visible_rows.as_ref()?;
    let mut repaint_rows = changed_rows(before.0.as_ref()?, now, &state.display, part)?;
    if before.1.len() != state.other_visible_rows.len() {
        return None;
    }
    for (before, now) in before.1.iter().zip(&state.other_visible_rows) {
        repaint_rows.extend(changed_rows(before, now, &state.display, part)?);
    }
    Some(repaint_rows)
}

fn lay_out_window(state: &mut State, window: WindowId, title: Option<Rect>, area: Rect) {
    let is_active = window == state.windows.active;
    let clear = state.layers.last().filter(|layer| is_active && layer.keeps_caret_clear());
    let top = clear.map(|layer| state.layer_area(layer).y);
    let id = if is_active { None } else { windows::buffer_in(state, window) };
    let buffer = match id {
        None => state.buffers.current_mut(),
        Some(id) => state.buffers.get_mut(id),
    };
    let Some(buffer) = buffer else { return };
    // A window that was not in the last frame may show a text that has changed since its file was shown.
    buffer.highlighting.apply_changes(&mut buffer.area.document);
    buffer.servers.apply_changes(&mut buffer.area.document);
    let differs = buffer.highlighting.take_deferred();
    highlighting::mark_damage(&mut state.damage, buffer, differs);
    let matches = state.scrollbar_scans.found.as_ref().map_or(&[][..], |found| found.lines_in(buffer));
    let tab_width = buffer.tab_width(state.text_options.tab_width);
    let covered = top.map_or(0, |top| area.bottom().saturating_sub(top));
    let is_accessible = state.text_options.accessible;
    let display = &state.display;
    let frame = Frame { window, title, area, display, tab_width, matches, is_active, covered, is_accessible };
    if is_active {
        state.visible_rows = Some(lay_out(buffer, &frame));
    } else {
        let shown = windows::with_window_view(buffer, window, |buffer| lay_out(buffer, &frame));
        state.other_visible_rows.push(shown);
    }
}

/// Returns the rows of the editor's area that show some lines of a file, including the last one.
pub fn rows_of_lines(state: &State, id: BufferId, lines: &Range<Line>) -> Vec<Range<u16>> {
    let Some(part) = state.areas.editor else { return Vec::new() };
    let views = state.visible_rows.iter().chain(&state.other_visible_rows).filter(|view| view.buffer == id);
    let rows = |view: &VisibleRows| {
        let down = view.area.y - part.y;
        view.rows_of(lines.start).start + down..view.rows_of(lines.end).end + down
    };
    views.map(rows).collect()
}

/// Returns the rows of the editor's area that must be redrawn when a line of the focused file changes.
pub fn rows_of_caret(state: &State) -> Vec<Range<u16>> {
    let (Some(part), Some(shown)) = (state.areas.editor, &state.visible_rows) else { return Vec::new() };
    let same = state.other_visible_rows.iter().filter(|other| other.buffer == shown.buffer);
    let rows = |view: &VisibleRows| {
        let (rows, down) = (view.rows_of(shown.caret), view.area.y - part.y);
        rows.start + down..rows.end + down
    };
    std::iter::once(shown).chain(same).map(rows).collect()
}

/// Returns the width left of the text: one cell for the agent's marks, the number, and one cell for git's
/// marks. Narrow panes have only the first.
fn gutter_width(text_lines: usize, numbers: bool, cols: u16) -> u16 {
    let digits = text_lines.max(100).ilog10() as u16 + 1;
    if numbers && cols >= NUMBERS_COLS { digits + 3 } else { 1 }
}

fn lay_out(buffer: &mut Buffer, frame: &Frame<'_>) -> VisibleRows {
    let Frame { area, display, tab_width, .. } = *frame;
    let height = usize::from(area.height);
    let numbers = display.numbers && !frame.is_accessible;
    let gutter = gutter_width(buffer.area.text().line_count(), numbers, area.width);
    let fits = buffer.area.text().line_count() <= height;
    let bar = u16::from(display.scrollbar && !frame.is_accessible && area.width >= BAR_COLS && !fits);
    let cols = area.width.saturating_sub(gutter + bar);
    // The cursor after the last character of a row needs a cell, too.
    let wraps = frame.is_accessible || display.wrap.is_on(buffer.kind_path());
    buffer.area.per_view.view.wrap = wraps.then(|| usize::from(cols.saturating_sub(1)).max(1));
    let top = scroll_to_cursor(buffer, frame, cols);
    let view = &buffer.area.per_view.view;
    let lens = buffer.area.display_map(tab_width);
    let head = buffer.area.caret();
    let mut rows = lens.rows_from(top, height);
    let pair = if display.matching_brackets { bracket_pair_at(buffer, &rows) } else { None };
    let bar = if bar > 0 { scrollbar::cells(buffer, &rows, height, frame.matches) } else { Vec::new() };
    let sticky = if display.sticky_scroll { sticky_rows(buffer, &lens, &mut rows, head) } else { 0 };
    VisibleRows {
        window: frame.window,
        buffer: buffer.id,
        title: frame.title,
        crumbs: if display.breadcrumbs { breadcrumbs(buffer, head) } else { Vec::new() },
        area,
        gutter,
        cols,
        left: view.left.0,
        wrap: view.wrap,
        version: buffer.area.document.version(),
        caret: buffer.area.text().line_of(head),
        rows,
        sticky,
        bracket_pair: pair,
        bar,
    }
}

/// Returns the named items around a position, outermost first.
fn breadcrumbs(buffer: &Buffer, head: Byte) -> Vec<Breadcrumb> {
    let around = buffer
        .highlighting
        .outline()
        .iter()
        .filter(|named| named.range.start <= head && head <= named.range.end);
    let mut crumbs: Vec<Breadcrumb> = Vec::new();
    for named in around {
        // A decorator gets the name of the item it belongs to.
        if crumbs.last().is_none_or(|last| last.at != named.head) {
            crumbs.push(Breadcrumb { name: named.name.clone(), at: named.head });
        }
    }
    crumbs
}

/// Replaces the first rows by the headers of the items that contain them, as far as the cursor's row stays
/// visible; returns their number.
fn sticky_rows(buffer: &Buffer, lens: &DisplayMap<'_>, rows: &mut [Row], head: Byte) -> usize {
    let text = buffer.area.text();
    let caret =
        rows.iter().position(|row| row.contains(lens.folds.nearest_visible(head))).unwrap_or(rows.len());
    let most = STICKY_MAX.min(rows.len() / 4).min(caret);
    let heads_above = |line: Line| {
        let mut heads: Vec<Line> = Vec::new();
        for named in buffer.highlighting.outline() {
            let first = text.line_of(named.head);
            if first < line
                && line <= text.line_of(named.range.end)
                && heads.last().is_none_or(|last| *last < first)
            {
                heads.push(first);
            }
        }
        heads.split_off(heads.len().saturating_sub(most))
    };
    let mut sticky = Vec::new();
    // A header that covers a row may make another one necessary.
    for _ in 0..=STICKY_MAX {
        let Some(row) = rows.get(sticky.len()) else { break };
        let heads = heads_above(row.line);
        if heads.len() <= sticky.len() {
            break;
        }
        sticky = heads;
    }
    for (row, line) in rows.iter_mut().zip(&sticky) {
        *row = lens.row_at(text.line_start(*line));
    }
    sticky.len()
}

/// Scrolls to the cursor if it has moved, or its area on the screen has changed. Returns the first row.
fn scroll_to_cursor(buffer: &mut Buffer, frame: &Frame<'_>, cols: u16) -> Row {
    let Frame { area, display, tab_width, .. } = *frame;
    let head = buffer.area.caret();
    if frame.is_active {
        // After a search or another jump the target must be visible.
        buffer.area.per_view.folds.reveal(head);
    }
    let view = &buffer.area.per_view.view;
    let followed = Some((head, Rect { height: area.height.saturating_sub(frame.covered), ..area }));
    // A narrow window that becomes wide again must not hide what fits.
    let resized = view.followed.is_some_and(|(_, before)| (before.width, before.x) != (area.width, area.x));
    let lens = buffer.area.display_map(tab_width);
    let mut top = lens.row_at(view.top.min(buffer.area.text().end()));
    let mut left = if resized { Column(0) } else { view.left };
    let free = view.free_scroll && view.followed == followed;
    if !free {
        let row = lens.row_at(head);
        left = if lens.wrap.is_some() {
            Column(0)
        } else {
            let cols = usize::from(cols);
            let left = if left.0 > 0 && fits(&lens, &row, cols) { Column(0) } else { left };
            scrolled_columns(left, lens.column(&row, head), cols)
        };
        let margin = display.scrolloff.max(usize::from(frame.covered));
        top = first_row_showing(&lens, top, row, usize::from(area.height), margin);
    }
    let view = &mut buffer.area.per_view.view;
    (view.top, view.left, view.free_scroll, view.followed) = (top.start, left, free, followed);
    top
}

/// Returns the first row of a screen that shows a row with a margin around it.
fn first_row_showing(lens: &DisplayMap<'_>, top: Row, row: Row, height: usize, margin: usize) -> Row {
    let margin = margin.min(height.saturating_sub(1) / 2);
    let up = |row: Row, rows: usize| {
        std::iter::successors(Some(row.clone()), |row| lens.above(row)).take(rows + 1).last().unwrap_or(row)
    };
    if row.start < top.start {
        return up(row, margin);
    }
    let lowest = height.saturating_sub(1 + margin);
    match lens.distance(&top, &row, height.saturating_sub(1)) {
        Some(n) if n < margin => up(top, margin - n),
        Some(n) if n <= lowest => top,
        _ => up(row, lowest),
    }
}

/// Cells that are shown beyond the cursor where it leaves the pane by no more than these.
const SCROLL_COLUMNS: usize = 8;
/// Bytes for each cell above which a row is taken for one that does not fit, without counting its cells.
const CELL_BYTES_MAX: usize = 8;

/// Returns whether a row fits into a pane that is not scrolled, with the cursor at its end.
fn fits(lens: &DisplayMap<'_>, row: &Row, cols: usize) -> bool {
    row.end.0 - row.start.0 <= cols * CELL_BYTES_MAX && lens.column(row, row.end) < cols
}

/// Scrolls columns so that one is shown: by a few where it is near, so that little else moves and typing at the edge does
/// not redraw at every key; far away it comes into the middle.
fn scrolled_columns(left: Column, column: usize, cols: usize) -> Column {
    let (cols, left) = (cols.max(1), left.0);
    let ahead = SCROLL_COLUMNS.min(cols / 4);
    let scrolled = if (left..left + cols).contains(&column) {
        left
    } else if column < cols {
        0
    } else if column >= left + cols && column - (left + cols) < SCROLL_COLUMNS {
        column + 1 + ahead - cols
    } else if column < left && left - column <= SCROLL_COLUMNS {
        column - ahead
    } else {
        column - cols / 2
    };
    Column(scrolled)
}

/// Returns the bracket at the cursor and its partner, if that is on the screen. Brackets in comments and
/// strings match only among themselves, as far as the colors are known.
fn bracket_pair_at(buffer: &Buffer, rows: &[Row]) -> Option<(Byte, Byte)> {
    let range = buffer.area.selection.primary();
    let (first, last) = (rows.first()?, rows.last()?);
    if !range.is_empty() || !buffer.area.per_view.folds.nearest_visible(range.head).eq(&range.head) {
        return None;
    }
    let bounds = first.start.max(range.head.back(PAIR_REACH))..last.end.min(range.head + PAIR_REACH);
    let prose = |at: Byte| {
        let mut spans = buffer.highlighting.within(&(at..at + 1));
        let is_prose = |scope: &str| scope.starts_with("comment") || scope.starts_with("string");
        spans.find(|span| is_prose(span.scope)).map(|span| span.range)
    };
    let text = buffer.area.text();
    let before = range.head.0.checked_sub(1).map(Byte);
    [Some(range.head), before].into_iter().flatten().filter(|at| is_bracket(text, *at)).find_map(|at| {
        let there = match prose(at) {
            Some(own) => {
                let own = own.start.max(bounds.start)..own.end.min(bounds.end);
                brackets::partner_within(text, at, &own, |_| true)
            }
            None => brackets::partner_within(text, at, &bounds, |at| prose(at).is_none()),
        };
        there.map(|there| (at, there))
    })
}

fn is_bracket(text: &Text, at: Byte) -> bool {
    text.byte_at(at).is_some_and(|byte| b"()[]{}".contains(&byte))
}

/// Returns the rows of the editor's area that look different although the text of their lines may be
/// unchanged. `None` for all of them.
fn changed_rows(
    before: &VisibleRows,
    now: &VisibleRows,
    display: &DisplayOptions,
    part: Rect,
) -> Option<Vec<Range<u16>>> {
    let what =
        |shown: &VisibleRows| (shown.window, shown.buffer, shown.area, shown.title, shown.gutter, shown.cols);
    let how = |shown: &VisibleRows| (shown.left, shown.sticky, shown.bar.is_empty(), shown.rows.len());
    let row_position = |row: &Row| (row.line, row.is_first);
    let same = what(before) == what(now) && how(before) == how(now);
    if !same || !before.rows.iter().map(row_position).eq(now.rows.iter().map(row_position)) {
        return None;
    }
    if display.numbers && display.relative && before.caret != now.caret {
        return None;
    }
    let mut rows = Vec::new();
    if before.bracket_pair != now.bracket_pair {
        let ends = |shown: &VisibleRows| {
            shown.bracket_pair.map(|(here, there)| [here, there].map(|at| shown.row_of(at)))
        };
        let ends = [ends(before), ends(now)].into_iter().flatten().flatten().flatten();
        rows.extend(ends.map(|row| row..row + 1));
    }
    let bars = before.bar.iter().zip(&now.bar).enumerate().filter(|(_, (before, now))| before != now);
    rows.extend(bars.map(|(row, _)| row as u16..row as u16 + 1));
    let down = now.area.y - part.y;
    let mut rows: Vec<Range<u16>> = rows.into_iter().map(|rows| rows.start + down..rows.end + down).collect();
    if before.crumbs != now.crumbs
        && let Some(title) = now.title
    {
        rows.push(title.y - part.y..title.y - part.y + 1);
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scroll_columns_move_little_for_a_near_column_and_center_a_far_one() {
        let scrolled = |left, column| scrolled_columns(Column(left), column, 40).0;
        assert_eq!([scrolled(0, 39), scrolled(0, 40), scrolled(0, 47)], [0, 9, 16]);
        assert_eq!([scrolled(0, 48), scrolled(0, 400)], [28, 380]);
        assert_eq!([scrolled(100, 99), scrolled(100, 60), scrolled(100, 39)], [91, 40, 0]);
        for (left, cols) in [(0, 1), (3, 1), (0, 2), (7, 3)] {
            for column in 0..40 {
                let now = scrolled_columns(Column(left), column, cols).0;
                assert!((now..now + cols).contains(&column), "{left} {cols} {column}: {now}");
            }
        }
    }
}
