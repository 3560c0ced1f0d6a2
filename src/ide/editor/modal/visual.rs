//! Selections whose both ends are on characters: kept so, shown as what they hold.

use std::ops::Range as ByteRange;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::modal::{Mode, Reach, Selected, Visual};
use crate::text::anchors::places::Name;
use crate::text::modal::motion::page::Page;
use crate::text::modal::operator::spans::{self, Piece};
use crate::text::position::{Byte, Column, Line};
use crate::text::selection::{Range, Selection};

/// The file's text as modal commands see it while a selection is made.
pub fn page<'t>(cx: &Cx<'_>, text: &'t crate::text::rope::Text) -> Page<'t> {
    let past = cx.state.modal.mode.is_visual();
    Page { past, ..Page::new(text, cx.state.tab_width()) }
}

/// Begins a selection at every cursor, goes over to another kind, or ends one of this kind.
pub fn toggle(cx: &mut Cx<'_>, mode: Mode) {
    if cx.state.modal.mode == mode {
        return leave(cx);
    }
    if !cx.state.modal.mode.is_visual() {
        let Some(buffer) = cx.state.buffers.current() else { return };
        let page = Page::new(buffer.area.text(), cx.state.tab_width());
        // The column that was aimed at before is aimed at still.
        let begun = |r: &Range| Range { goal: Some(page.aimed(r)), ..Range::cursor(r.head) };
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
    show(cx);
}

/// A count before `v` selects that many characters.
fn extend_by(cx: &mut Cx<'_>, count: usize) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = Page::new(buffer.area.text(), cx.state.tab_width());
    for range in &mut cx.state.modal.visual.ranges {
        for _ in 1..count {
            range.head = page.right(range.head);
        }
    }
}

/// Shows the selection as it is now.
pub fn show(cx: &mut Cx<'_>) {
    let tab_width = cx.state.tab_width();
    let mode = cx.state.modal.mode;
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let visual = &mut cx.state.modal.visual;
    let text = buffer.area.text().clone();
    let page = Page { past: true, ..Page::new(&text, tab_width) };
    for range in &mut visual.ranges {
        range.anchor = page.rest(range.anchor);
        range.head = page.rest(range.head);
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
        let piece = rows(page, first, visual);
        let head = page.line(first.head);
        let mut rows: Vec<Range> = piece.spans.into_iter().map(|span| oriented(span, &first)).collect();
        // The row of the head comes first, so that it is the main one.
        let at = rows.iter().position(|row| page.line(row.start()) == head).unwrap_or(0);
        rows.rotate_left(at);
        rows
    } else {
        visual.ranges.iter().map(|range| oriented(held(page, range, mode).spans[0].clone(), range)).collect()
    };
    let selection = Selection::new(ranges, 0);
    buffer.area.select(selection.clone());
    buffer.area.standing = Some((selection.primary(), first.head));
    visual.shown = Some(selection);
    cx.state.damage.add(Part::Editor);
}

/// The rectangle between two corners.
pub fn rows(page: Page<'_>, corners: Range, visual: &Visual) -> Piece {
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

fn held(page: Page<'_>, range: &Range, mode: Mode) -> Piece {
    if mode == Mode::VisualLine {
        let (first, last) = (page.line(range.start()), page.line(range.end()));
        return spans::lines(page, first, last, page.start(first));
    }
    spans::selected(page, range.anchor, range.head)
}

/// What the selection holds, for an operator.
pub fn pieces(cx: &Cx<'_>) -> Vec<Piece> {
    let Some(buffer) = cx.state.buffers.current() else { return Vec::new() };
    let page = page(cx, buffer.area.text());
    let modal = &cx.state.modal;
    match (modal.mode, modal.visual.ranges.first()) {
        (Mode::VisualBlock, Some(first)) => {
            vec![rows(page, *first, &modal.visual)]
        }
        (mode, _) => modal.visual.ranges.iter().map(|range| held(page, range, mode)).collect(),
    }
}

/// The lines of the selection, be the last one empty.
pub fn lines(cx: &Cx<'_>) -> Vec<Piece> {
    let Some(buffer) = cx.state.buffers.current() else { return Vec::new() };
    let page = page(cx, buffer.area.text());
    let whole = |(piece, range): (Piece, &Range)| {
        spans::lines(page, page.line(range.start()), page.line(range.end()), piece.start)
    };
    pieces(cx).into_iter().zip(&cx.state.modal.visual.ranges).map(whole).collect()
}

/// Ends the selection; the cursors stay at its heads.
pub fn leave(cx: &mut Cx<'_>) {
    remember(cx);
    let heads: Vec<Range> = cx.state.modal.visual.ranges.iter().map(|r| Range::cursor(r.head)).collect();
    end_at(cx, heads);
}

/// Ends the selection with cursors at places.
pub fn end_at(cx: &mut Cx<'_>, cursors: Vec<Range>) {
    cx.state.modal.mode = Mode::Normal;
    cx.state.modal.visual = Visual::default();
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    if !cursors.is_empty() {
        let text = buffer.area.text().clone();
        let page = Page::new(&text, tab_width);
        buffer.area.select(Selection::new(cursors, 0).transform(|r| Range::cursor(page.rest(r.head))));
    }
    buffer.area.standing = None;
    cx.state.damage.add(Part::Editor);
}

/// Keeps the main selection as `<` and `>`, and how far it reached.
pub fn remember(cx: &mut Cx<'_>) {
    let tab_width = cx.state.tab_width();
    let modal = &mut cx.state.modal;
    let Some(first) = modal.visual.ranges.first().copied() else { return };
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    modal.last_visual =
        Some(Selected { buffer: buffer.id, mode: modal.mode, to_end: modal.visual.to_end, goal: first.goal });
    let page = Page::new(buffer.area.text(), tab_width);
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
    modal.used_reach = Some(Reach { mode: modal.mode, lines, columns, to_end: modal.visual.to_end });
    let (start, end) = match modal.mode {
        Mode::VisualLine => (page.start(from), page.end(to)),
        _ => (first.start(), first.end()),
    };
    let places = buffer.area.document.places_mut();
    places.set_mark('<', start);
    places.set_mark('>', end);
    places.set(Name::Anchor, first.anchor);
    places.set(Name::Head, first.head);
}

/// Selects as much from every cursor as a selection reached before.
pub fn reach(cx: &mut Cx<'_>, reach: Reach) {
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = Page::new(buffer.area.text(), tab_width);
    let end = |from: Byte| {
        let line = Line((page.line(from).0 + reach.lines).min(page.last_line().0));
        match reach.mode {
            Mode::Visual if reach.to_end => page.end(line),
            Mode::VisualBlock => page.at(line, Column(page.aimed(&Range::cursor(from)).0 + reach.columns)),
            _ if reach.lines == 0 => {
                page.at(line, Column(page.aimed(&Range::cursor(from)).0 + reach.columns))
            }
            _ => page.at(line, Column(reach.columns)),
        }
    };
    let heads = buffer.area.selection.ranges().iter().map(|r| Range::new(r.head, end(r.head))).collect();
    let width = (reach.mode == Mode::VisualBlock).then_some(reach.columns + 1);
    cx.state.modal.visual = Visual { ranges: heads, to_end: reach.to_end, width, shown: None };
    cx.state.modal.mode = reach.mode;
    show(cx);
}

/// Selects again what was selected last; a selection that is there takes its place.
pub fn again(cx: &mut Cx<'_>) {
    let id = cx.state.buffers.current().map(|buffer| buffer.id);
    let Some(last) = cx.state.modal.last_visual.filter(|last| Some(last.buffer) == id) else {
        return cx.state.say("No selection yet");
    };
    let Some(buffer) = cx.state.buffers.current() else { return };
    let places = buffer.area.document.places();
    let (Some(anchor), Some(head)) = (places.get(Name::Anchor), places.get(Name::Head)) else { return };
    if cx.state.modal.mode.is_visual() {
        remember(cx);
    }
    let ranges = vec![Range { anchor, head, goal: last.goal }];
    cx.state.modal.visual = Visual { ranges, to_end: last.to_end, ..Visual::default() };
    cx.state.modal.mode = last.mode;
    show(cx);
}

/// The other end is the one that moves; in a rectangle of the same row when `row`.
pub fn other_end(cx: &mut Cx<'_>, row: bool) {
    let tab_width = cx.state.tab_width();
    let block = cx.state.modal.mode == Mode::VisualBlock;
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = Page { past: true, ..Page::new(buffer.area.text(), tab_width) };
    // It aims at its own column then, not at the ends of lines.
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
    show(cx);
}

/// Takes over what somebody else selected, as by the mouse; `None` is no selection at all.
pub fn adopt(cx: &mut Cx<'_>) {
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = Page { past: true, ..Page::new(buffer.area.text(), tab_width) };
    let inside = |range: &Range| {
        let last = if range.is_empty() { range.end() } else { page.text.prev_grapheme(range.end()) };
        let last = page.rest(last.max(range.start()));
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
    show(cx);
}
