//! Visual mode: selections with both ends on characters, and their display.

use std::ops::Range as ByteRange;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::modal::{Mode, SavedVisual, SelectionExtent, Visual};
use crate::text::anchors::named_positions::PositionName;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::operator::spans::{self, OperatorSpan};
use crate::text::position::{Byte, Column, Line};
use crate::text::selection::{Range, Selection};

/// Returns the file's text as modal commands see it while a selection is made.
pub fn page<'t>(cx: &Cx<'_>, text: &'t crate::text::rope::Text) -> ModalText<'t> {
    let past = cx.state.modal.mode.is_visual();
    ModalText { can_rest_at_end: past, ..ModalText::new(text, cx.state.tab_width()) }
}

/// Begins a selection at every cursor, changes its kind, or ends one of this kind.
pub fn toggle(cx: &mut Cx<'_>, mode: Mode) {
    if cx.state.modal.mode == mode {
        return end_visual(cx);
    }
    if !cx.state.modal.mode.is_visual() {
        let Some(buffer) = cx.state.buffers.current() else { return };
        let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
        // The column that was aimed at before is aimed at still.
        let begun = |r: &Range| Range { goal: Some(page.goal_column(r)), ..Range::cursor(r.head) };
        let ranges = buffer.area.selection.ranges().iter().map(begun).collect();
        cx.state.modal.visual = Visual { ranges, ..Visual::default() };
        if let Some(count) = cx.state.modal.count.take() {
            extend_by(cx, count);
        }
    }
    cx.state.modal.mode = mode;
    if mode == Mode::VisualBlock {
        cx.state.modal.visual.ranges.truncate(1);
    }
    show_selection(cx);
}

/// Handles a count before `v`: selects that many characters.
fn extend_by(cx: &mut Cx<'_>, count: usize) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    for range in &mut cx.state.modal.visual.ranges {
        for _ in 1..count {
            range.head = page.right(range.head);
        }
    }
}

/// Shows the current selection.
pub fn show_selection(cx: &mut Cx<'_>) {
    let tab_width = cx.state.tab_width();
    let mode = cx.state.modal.mode;
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let visual = &mut cx.state.modal.visual;
    let text = buffer.area.text().clone();
    let page = ModalText { can_rest_at_end: true, ..ModalText::new(&text, tab_width) };
    for range in &mut visual.ranges {
        range.anchor = page.cursor_position(range.anchor);
        range.head = page.cursor_position(range.head);
    }
    let Some(first) = visual.ranges.first().copied() else { return };
    let oriented = |span: ByteRange<Byte>, range: &Range| {
        if range.head < range.anchor {
            Range::new(span.end, span.start)
        } else {
            Range::new(span.start, span.end)
        }
    };
    let ranges: Vec<Range> = if mode == Mode::VisualBlock {
        let piece = block_piece(page, first, visual);
        let head = page.line(first.head);
        let mut rows: Vec<Range> = piece.spans.into_iter().map(|span| oriented(span, &first)).collect();
        // The row of the head comes first, so that it is the primary one.
        let at = rows.iter().position(|row| page.line(row.start()) == head).unwrap_or(0);
        rows.rotate_left(at);
        rows
    } else {
        visual
            .ranges
            .iter()
            .map(|range| oriented(range_piece(page, range, mode).spans[0].clone(), range))
            .collect()
    };
    let selection = Selection::new(ranges, 0);
    buffer.area.select(selection.clone());
    buffer.area.caret_override = Some((selection.primary(), first.head));
    visual.shown = Some((buffer.id, selection));
    cx.state.damage.add(Part::Editor);
}

/// The rectangle between two corners.
pub fn block_piece(page: ModalText<'_>, corners: Range, visual: &Visual) -> OperatorSpan {
    let (left, right) = spans::columns(page, corners.anchor, corners.head);
    let columns = match visual.width {
        Some(width) => {
            let left = page.column(corners.anchor);
            (left, Column(left.0 + width))
        }
        None => (left, right),
    };
    spans::block(page, corners.anchor, corners.head, columns, visual.to_end)
}

fn range_piece(page: ModalText<'_>, range: &Range, mode: Mode) -> OperatorSpan {
    if mode == Mode::VisualLine {
        let (first, last) = (page.line(range.start()), page.line(range.end()));
        return spans::lines(page, first, last, page.start(first));
    }
    spans::selection_span(page, range.anchor, range.head)
}

/// Returns the content of the selection, for an operator.
pub fn pieces(cx: &Cx<'_>) -> Vec<OperatorSpan> {
    let Some(buffer) = cx.state.buffers.current() else { return Vec::new() };
    let page = page(cx, buffer.area.text());
    let modal = &cx.state.modal;
    match (modal.mode, modal.visual.ranges.first()) {
        (Mode::VisualBlock, Some(first)) => {
            vec![block_piece(page, *first, &modal.visual)]
        }
        (mode, _) => modal.visual.ranges.iter().map(|range| range_piece(page, range, mode)).collect(),
    }
}

/// Returns the lines of the selection, even if the last one is empty.
pub fn lines(cx: &Cx<'_>) -> Vec<OperatorSpan> {
    let Some(buffer) = cx.state.buffers.current() else { return Vec::new() };
    let page = page(cx, buffer.area.text());
    let whole = |(piece, range): (OperatorSpan, &Range)| {
        spans::lines(page, page.line(range.start()), page.line(range.end()), piece.start)
    };
    pieces(cx).into_iter().zip(&cx.state.modal.visual.ranges).map(whole).collect()
}

/// Ends the selection; the cursors stay at its heads.
pub fn end_visual(cx: &mut Cx<'_>) {
    save_visual(cx);
    let heads: Vec<Range> = cx.state.modal.visual.ranges.iter().map(|r| Range::cursor(r.head)).collect();
    end_at(cx, heads);
}

/// Ends the selection with cursors at positions.
pub fn end_at(cx: &mut Cx<'_>, cursors: Vec<Range>) {
    cx.state.modal.mode = Mode::Normal;
    cx.state.modal.visual = Visual::default();
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    if !cursors.is_empty() {
        let text = buffer.area.text().clone();
        let page = ModalText::new(&text, tab_width);
        buffer
            .area
            .select(Selection::new(cursors, 0).transform(|r| Range::cursor(page.cursor_position(r.head))));
    }
    buffer.area.caret_override = None;
    cx.state.damage.add(Part::Editor);
}

/// Stores the primary selection as `<` and `>`, and its extent.
pub fn save_visual(cx: &mut Cx<'_>) {
    let tab_width = cx.state.tab_width();
    let modal = &mut cx.state.modal;
    let Some(first) = modal.visual.ranges.first().copied() else { return };
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    modal.last_visual = Some(SavedVisual {
        buffer: buffer.id,
        mode: modal.mode,
        to_end: modal.visual.to_end,
        goal: first.goal,
    });
    let page = ModalText::new(buffer.area.text(), tab_width);
    let (from, to) = (page.line(first.start()), page.line(first.end()));
    let lines = to.0 - from.0;
    let columns = match modal.mode {
        Mode::VisualBlock => {
            let (left, right) = spans::columns(page, first.anchor, first.head);
            right.0 - left.0 - 1
        }
        _ if lines == 0 => page.last_column(first.end()).0 - page.column(first.start()).0,
        _ => page.last_column(first.end()).0,
    };
    modal.used_extent =
        Some(SelectionExtent { mode: modal.mode, lines, columns, to_end: modal.visual.to_end });
    let (start, end) = match modal.mode {
        Mode::VisualLine => (page.start(from), page.end(to)),
        _ => (first.start(), first.end()),
    };
    let positions = buffer.area.document.positions_mut();
    positions.set_mark('<', start);
    positions.set_mark('>', end);
    positions.set(PositionName::Anchor, first.anchor);
    positions.set(PositionName::Head, first.head);
}

/// Selects as much from every cursor as an earlier selection.
pub fn select_extent(cx: &mut Cx<'_>, reach: SelectionExtent) {
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), tab_width);
    let end = |from: Byte| {
        let line = Line((page.line(from).0 + reach.lines).min(page.last_line().0));
        match reach.mode {
            Mode::Visual if reach.to_end => page.end(line),
            Mode::VisualBlock => {
                page.at(line, Column(page.goal_column(&Range::cursor(from)).0 + reach.columns))
            }
            _ if reach.lines == 0 => {
                page.at(line, Column(page.goal_column(&Range::cursor(from)).0 + reach.columns))
            }
            _ => page.at(line, Column(reach.columns)),
        }
    };
    let heads = buffer.area.selection.ranges().iter().map(|r| Range::new(r.head, end(r.head))).collect();
    let width = (reach.mode == Mode::VisualBlock).then_some(reach.columns + 1);
    cx.state.modal.visual = Visual { ranges: heads, to_end: reach.to_end, width, shown: None };
    cx.state.modal.mode = reach.mode;
    show_selection(cx);
}

/// Restores the last selection; it is swapped with the current one, if any.
pub fn reselect(cx: &mut Cx<'_>) {
    let id = cx.state.buffers.current().map(|buffer| buffer.id);
    let Some(last) = cx.state.modal.last_visual.filter(|last| Some(last.buffer) == id) else {
        return cx.state.set_status("No selection yet");
    };
    let Some(buffer) = cx.state.buffers.current() else { return };
    let positions = buffer.area.document.positions();
    let (Some(anchor), Some(head)) = (positions.get(PositionName::Anchor), positions.get(PositionName::Head))
    else {
        return;
    };
    if cx.state.modal.mode.is_visual() {
        save_visual(cx);
    }
    let ranges = vec![Range { anchor, head, goal: last.goal }];
    cx.state.modal.visual = Visual { ranges, to_end: last.to_end, ..Visual::default() };
    cx.state.modal.mode = last.mode;
    show_selection(cx);
}

/// Swaps the moving end of the selection; in a rectangle within the same row if `row`.
pub fn swap_ends(cx: &mut Cx<'_>, row: bool) {
    let tab_width = cx.state.tab_width();
    let block = cx.state.modal.mode == Mode::VisualBlock;
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText { can_rest_at_end: true, ..ModalText::new(buffer.area.text(), tab_width) };
    // The goal is then its own column, not the ends of lines.
    cx.state.modal.visual.to_end = false;
    for range in &mut cx.state.modal.visual.ranges {
        if !(block && row) {
            if range.head != range.anchor {
                *range = Range::new(range.head, range.anchor);
            }
            continue;
        }
        let (left, end) = spans::columns(page, range.anchor, range.head);
        let right = Column(end.0 - 1);
        let corner = |at: Byte, column| page.at(page.line(at), column);
        let (anchor, head) = (corner(range.anchor, left), corner(range.head, right));
        *range = if head == range.head {
            Range { goal: Some(left), ..Range::new(corner(anchor, right), corner(head, left)) }
        } else {
            Range { goal: Some(right), ..Range::new(anchor, head) }
        };
    }
    show_selection(cx);
}

/// Adopts a selection made elsewhere, as by the mouse; an empty one ends the mode.
pub fn adopt_selection(cx: &mut Cx<'_>) {
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText { can_rest_at_end: true, ..ModalText::new(buffer.area.text(), tab_width) };
    let inside = |range: &Range| {
        let last = if range.is_empty() { range.end() } else { page.text.prev_grapheme(range.end()) };
        let last = page.cursor_position(last.max(range.start()));
        if range.head < range.anchor {
            Range::new(last, range.start())
        } else {
            Range::new(range.start(), last)
        }
    };
    let mut ranges: Vec<Range> = buffer.area.selection.ranges().iter().map(inside).collect();
    let primary = buffer.area.selection.primary_index();
    ranges.rotate_left(primary);
    cx.state.modal.visual = Visual { ranges, ..Visual::default() };
    cx.state.modal.mode = Mode::Visual;
    show_selection(cx);
}
