//! Typing into the rows of a rectangle: the first row has the cursor, and the others get the typed text when
//! typing ends. Must not know which keys were typed.

use crate::ide::core::context::Cx;
use crate::ide::core::keys::modal::{BlockInsert, BlockRows, Mode};
use crate::ide::editor::commands::edit;
use crate::ide::editor::modal::{cursors, visual};
use crate::text::anchors::named_positions::PositionName;
use crate::text::changes::ChangeSet;
use crate::text::clipboard::content::ContentShape;
use crate::text::display::columns::at_column;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::operator::spans::{self, OperatorSpan};
use crate::text::movement::motion;
use crate::text::position::{Byte, Line};
use crate::text::selection::Selection;
use crate::text::transaction::Transaction;

/// Returns the rows of a rectangle before text is typed at a position of the first one.
fn block_rows(
    page: ModalText<'_>,
    piece: &OperatorSpan,
    lines: (Line, Line),
    to_end: bool,
    at: BlockInsert,
    cursor: Byte,
) -> BlockRows {
    let (first, last) = lines;
    let start = page.start(first);
    BlockRows {
        first,
        last,
        left: piece.columns.0,
        right: piece.columns.1,
        to_end,
        at,
        lines: page.text.last_line().0,
        length: (page.end(first) - start, motion::indent_end(page.text, first) - start),
        insert_offset: cursor - start,
    }
}

/// Returns the rows of a rectangle whose text was already deleted, to be replaced by typing.
pub fn replace_block(cx: &mut Cx<'_>, piece: &OperatorSpan) -> Option<BlockRows> {
    let tab_width = cx.state.tab_width();
    let buffer = cx.state.buffers.current().filter(|_| piece.shape == ContentShape::Block)?;
    let at = buffer.area.selection.ranges()[0].head;
    let page = ModalText::new(buffer.area.text(), tab_width);
    let first = page.line(at);
    let last = Line(first.0 + piece.spans.len() - 1);
    let rows = block_rows(page, piece, (first, last), false, BlockInsert::Replace, at);
    cursors::set_selection(cx, Selection::cursor(at));
    Some(rows)
}

/// Places the cursor before or after the rows of a rectangle, for typing.
pub fn insert_block(cx: &mut Cx<'_>, behind: bool) -> Option<BlockRows> {
    let tab_width = cx.state.tab_width();
    let corners = cx.state.modal.visual.ranges.first().copied()?;
    visual::save_visual(cx);
    cx.state.modal.mode = Mode::Normal;
    let held = std::mem::take(&mut cx.state.modal.visual);
    let to_end = held.to_end;
    let buffer = cx.state.buffers.current()?;
    let text = buffer.area.text().clone();
    let page = ModalText::new(&text, tab_width);
    let piece = visual::block_piece(page, corners, &held);
    let lines = (page.line(corners.start()), page.line(corners.end()));
    let row = &piece.spans[0];
    // The step begins at the first row of the rectangle.
    cursors::set_selection(cx, Selection::cursor(row.start));
    let (mut insert_at, mut pad) = (row.start, 0);
    if behind {
        insert_at = row.end;
        pad = if to_end { 0 } else { piece.columns.1.0.saturating_sub(page.column(insert_at).0) };
    }
    if pad > 0 {
        // The first row was too short.
        edit::apply(cx, |text, _| {
            let changes = ChangeSet::replace(text.end().0, [(insert_at..insert_at, " ".repeat(pad))]);
            Transaction::new(changes).select(Selection::cursor(insert_at + pad))
        });
    }
    cursors::set_selection(cx, Selection::cursor(insert_at + pad));
    let buffer = cx.state.buffers.current()?;
    let page = ModalText::new(buffer.area.text(), tab_width);
    let at = if behind { BlockInsert::After } else { BlockInsert::Before };
    Some(block_rows(page, &piece, lines, to_end, at, insert_at + pad))
}

/// The text typed into the first row, and its position in the others.
struct TypedBlock {
    text: String,
    rows: BlockRows,
}

/// Determines what was typed: the text that the line has more than before, at the row. `None` if the cursor
/// is on another line now, unless the rows are replaced.
fn find_typed(page: ModalText<'_>, begun: Byte, head: Byte, rows: BlockRows) -> Option<TypedBlock> {
    let left = page.line(head) != rows.first || page.text.last_line().0 != rows.lines;
    if left && rows.at != BlockInsert::Replace {
        return None;
    }
    let start = page.start(rows.first);
    let line = page.text.slice(start..page.end(rows.first)).into_owned();
    let indent = motion::indent_end(page.text, rows.first) - start;
    let (length, old_indent) = rows.length;
    let begun = begun.max(start) - start;
    let (mut rows, mut from) = (rows, rows.insert_offset);
    // The text after the position in the line.
    let mut behind = length.saturating_sub(rows.insert_offset);
    let shifted = match rows.at {
        BlockInsert::Replace => rows.insert_offset > old_indent,
        _ => begun > old_indent && indent > old_indent,
    };
    if shifted {
        from = (from + indent).saturating_sub(old_indent);
    } else if (begun < rows.insert_offset || rows.at == BlockInsert::Before && begun != rows.insert_offset)
        && rows.at != BlockInsert::Replace
        && !rows.to_end
    {
        // The cursor was moved before typing.
        rows.at = BlockInsert::Before;
        rows.left = page.column((start + begun).min(page.end(rows.first)));
        behind = length.saturating_sub(begun);
        from = begun;
    }
    let added = line.len().checked_sub(from + behind).filter(|added| *added > 0)?;
    let text = line.get(from..from + added)?.to_string();
    Some(TypedBlock { text, rows })
}

/// Inserts the typed text into the other rows; returns the cursor's position, if any text was typed.
pub fn fill_rows(cx: &mut Cx<'_>, rows: BlockRows) -> Option<Byte> {
    let tab_width = cx.state.tab_width();
    let buffer = cx.state.buffers.current()?;
    let text = buffer.area.text().clone();
    let page = ModalText::new(&text, tab_width);
    let head = buffer.area.selection.primary().head;
    let begun = buffer.area.document.positions().get(PositionName::LeftmostTyped).unwrap_or(head);
    let TypedBlock { text: new, rows } = find_typed(page, begun, head, rows)?;
    let added = |line: usize| {
        let line = Line(line);
        let (end, reach) = (page.end(line), page.column(page.end(line)));
        if rows.at == BlockInsert::After {
            let pad = if rows.to_end { 0 } else { rows.right.0.saturating_sub(reach.0) };
            let behind = rows.to_end || pad > 0;
            let padded = || (end..end, " ".repeat(pad) + &new);
            return Some(if behind { padded() } else { spans::inserted(page, line, rows.right, &new) });
        }
        // A line that ends before the rectangle is skipped.
        (reach >= rows.left).then(|| spans::inserted(page, line, rows.left, &new))
    };
    let last = rows.last.min(page.last_line());
    let edits: Vec<_> = (rows.first.0 + 1..=last.0).filter_map(added).collect();
    if !edits.is_empty() {
        edit::apply(cx, |text, _| {
            let changes = ChangeSet::replace(text.end().0, edits);
            Transaction::new(changes).select(Selection::cursor(head))
        });
    }
    let stays = rows.at == BlockInsert::Replace;
    // Text typed before a character cut by the rectangle begins before its first column.
    let begun = page.start(rows.first) + rows.insert_offset;
    let cut = rows.at == BlockInsert::Before && page.column(begun) < rows.left;
    (!stays).then(|| if cut { begun } else { at_column(page.text, rows.first, rows.left, tab_width) })
}
