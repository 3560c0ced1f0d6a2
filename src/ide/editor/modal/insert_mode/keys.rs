//! Insert mode keys that do more than type: erasing back to where typing began, shifting the line. Must not
//! know how typing begins or ends.

use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::editor::modal::cursors;
use crate::ide::editor::modal::operators::edit_text;
use crate::text::anchors::named_positions::PositionName;
use crate::text::changes::{ChangeSet, Side};
use crate::text::modal::motion::modal_text::{CharClass, ModalText};
use crate::text::modal::operator::operate::indentation;
use crate::text::movement::motion;
use crate::text::operations::edit::indents_by_tabs;
use crate::text::position::{Byte, Line};
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// What to erase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EraseTarget {
    /// The word before the cursor.
    Word,
    /// The line up to the cursor; first the part after its indentation.
    Line,
}

/// Erases to the left. In Vim it stops once where typing began, and is a separate step.
pub fn erase(cx: &mut Cx<'_>, what: EraseTarget) {
    let vim = cx.state.keymap.modal_style() == ModalStyle::Vim && cursors::is_modal_editor(cx.state);
    if vim {
        cursors::begin_undo_group(cx.state);
    }
    let begun = cx.state.buffers.current().filter(|_| vim).and_then(|buffer| {
        let head = buffer.area.selection.primary().head;
        let begun = buffer.area.document.positions().get(PositionName::EraseStop)?;
        (begun < head).then(|| head - begun)
    });
    let tab_width = cx.state.tab_width();
    crate::ide::editor::commands::edit::apply(cx, |text, selection| {
        let page = ModalText::new(text, tab_width);
        let span = |range: &Range| {
            let at = range.head;
            // As much was typed at each cursor, but the characters before may differ.
            let start = begun.map_or(Byte(0), |typed| text.char_floor(at.back(typed)));
            erase_start(page, at, what).max(start)..at
        };
        let mut spans: Vec<std::ops::Range<Byte>> = Vec::new();
        for range in selection.ranges() {
            let mut span = if range.is_empty() { span(range) } else { range.span() };
            let before = spans.last().map_or(Byte(0), |last| last.end);
            span.start = span.start.max(before).min(span.end);
            spans.push(span);
        }
        let changes =
            ChangeSet::replace(text.end().0, spans.iter().map(|span| (span.clone(), String::new())));
        let mapping = &changes;
        let cursors = spans.iter().map(|span| Range::cursor(mapping.map(span.start, Side::Before))).collect();
        let after = Selection::new(cursors, selection.primary_index());
        Transaction::new(changes).select(after)
    });
}

/// Returns the start of the erased range: at the start of a line, the end of the line before.
fn erase_start(page: ModalText<'_>, at: Byte, what: EraseTarget) -> Byte {
    let line = page.text.line_of(at);
    let start = page.start(line);
    if at == start {
        return page.text.prev_grapheme(at);
    }
    if what == EraseTarget::Line {
        let indent = motion::indent_end(page.text, line);
        return if at > indent { indent } else { start };
    }
    let class = |at| page.class(page.text.prev_grapheme(at), false);
    let mut at = at;
    while at > start && class(at) == CharClass::Blank {
        at = page.text.prev_grapheme(at);
    }
    let word = if at > start { Some(class(at)) } else { None };
    while at > start && word == Some(class(at)) {
        at = page.text.prev_grapheme(at);
    }
    at
}

/// Shifts the cursors' lines by one stop, rounding the indentation to a multiple of it.
pub fn shift(cx: &mut Cx<'_>, back: bool) {
    let (stop, by_tabs) = cx.state.indentation();
    let begun = cx.state.buffers.current().and_then(|buffer| {
        let begun = buffer.area.document.positions().get(PositionName::InsertStart)?;
        let stops = buffer.area.document.positions().get(PositionName::EraseStop) == Some(begun);
        Some((buffer.area.selection.primary().head.0.saturating_sub(begun.0), stops))
    });
    edit_text(cx, |page, selection| {
        let hard = by_tabs.unwrap_or_else(|| indents_by_tabs(page.text));
        let mut lines: Vec<Line> =
            selection.ranges().iter().map(|range| page.text.line_of(range.head)).collect();
        lines.dedup();
        let edit = |line: &Line| {
            let (start, end) = (page.start(*line), motion::indent_end(page.text, *line));
            let now = page.column(end).0;
            let target = if back { now.saturating_sub(1) / stop * stop } else { (now / stop + 1) * stop };
            // Inside the indentation a cursor keeps its distance in columns to the text.
            let inside =
                |range: &Range| (start..end).contains(&range.head).then(|| page.column(range.head).0);
            let cursor = selection.ranges().iter().find_map(inside);
            let at = cursor.map(|column| target.saturating_sub(now - column));
            (start..end, indented(target, at, page.tab_width, hard))
        };
        let edits: Vec<_> = lines.iter().map(edit).collect();
        let new = edits.iter().map(|(span, (before, behind))| (span.clone(), format!("{before}{behind}")));
        let changes = ChangeSet::replace(page.text.end().0, new);
        let shifted = |range: Range| {
            let line = page.text.line_of(range.head);
            let Some((span, (before, _))) = edits.iter().find(|(span, _)| span.start == page.start(line))
            else {
                return range;
            };
            if range.head >= span.end {
                return Range::cursor(changes.map(range.head, Side::After));
            }
            Range::cursor(changes.map(span.start, Side::Before) + before.len())
        };
        let after = selection.transform(shifted);
        Transaction::new(changes).select(after)
    });
    // The text before the cursor was not typed.
    if let (Some((typed, stops)), Some(buffer)) = (begun, cx.state.buffers.current_mut()) {
        let head = buffer.area.selection.primary().head;
        let start = buffer.area.text().line_start(buffer.area.text().line_of(head));
        let at = head.back(typed).max(start.min(head));
        buffer.area.document.positions_mut().set(PositionName::InsertStart, at);
        if stops {
            buffer.area.document.positions_mut().set(PositionName::EraseStop, at);
        }
    }
}

/// Returns an indentation of this many columns, before and after a cursor: a tab that contains the cursor's
/// column becomes spaces up to it.
fn indented(columns: usize, cursor: Option<usize>, tab_width: usize, hard: bool) -> (String, String) {
    let all = indentation(columns, tab_width, hard);
    let at = cursor.unwrap_or(columns);
    let before = indentation(at, tab_width, hard);
    let tabs = if hard { (at / tab_width).min(columns / tab_width) } else { 0 };
    let cut = hard && tabs < columns / tab_width;
    let behind = if cut { &all[tabs..] } else { &all[before.len()..] };
    (before, behind.to_string())
}

/// Moves one character to the left or right, within the line.
pub fn move_char(cx: &mut Cx<'_>, right: bool) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let moved = buffer
        .area
        .selection
        .transform(|range| Range::cursor(if right { page.right(range.head) } else { page.left(range.head) }));
    cursors::set_selection(cx, moved);
}

/// To the first column of the line.
pub fn home(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let moved = buffer.area.selection.transform(|range| Range::cursor(page.start_of(range.head)));
    cursors::set_selection(cx, moved);
}
