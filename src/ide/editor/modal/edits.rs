//! Commands that change text without a motion: single characters, paste, join, increment, undo.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::modal::{InsertState, Mode, Op, PendingOperator};
use crate::ide::editor::commands::edit;
use crate::ide::editor::commands::registers;
use crate::ide::editor::modal::operators;
use crate::ide::editor::modal::operators::edit_text;
use crate::ide::editor::modal::{cursors, insert_mode, moves, visual};
use crate::text::anchors::named_positions::PositionName;
use crate::text::changes::{ChangeSet, Side};
use crate::text::clipboard::content::{Content, ContentShape};
use crate::text::clipboard::registers::CopyKind;
use crate::text::file_format::format::LineEnding;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::motion::motions::Move;
use crate::text::modal::motion::undo_cursor;
use crate::text::modal::operator::operate::{self, CaseChange};
use crate::text::modal::operator::paste::{PasteOptions, paste_content};
use crate::text::modal::operator::replace;
use crate::text::modal::operator::spans::{self, OperatorSpan};
use crate::text::movement::motion;
use crate::text::operations::numbers;
use crate::text::position::{Byte, Column, Line};
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// Runs an operator with its motion as one key: `x` is `d` and `l`.
pub fn operate_on_motion(cx: &mut Cx<'_>, op: Op, motion: Move) {
    if cx.state.modal.mode.is_visual() {
        return operators::begin_operator(cx, op);
    }
    cx.state.modal.operator = Some(PendingOperator { op, count: cx.state.modal.count.take(), forced: None });
    let empty = op == Op::Change
        && cx.state.buffers.current().is_some_and(|buffer| {
            let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
            buffer.area.selection.ranges().iter().all(|range| page.is_empty_line(page.line(range.head)))
        });
    if empty {
        // There is nothing to delete on an empty line, but typing begins anyway.
        cx.state.modal.operator = None;
        return insert_mode::insert::begin(cx, InsertState { times: 1, ..InsertState::default() });
    }
    moves::move_cursors(cx, motion);
}

/// Applies an operator to the rest of the lines.
pub fn operate_to_line_end(cx: &mut Cx<'_>, op: Op) {
    if cx.state.modal.mode.is_visual() {
        if cx.state.modal.mode == Mode::VisualBlock {
            cx.state.modal.visual.to_end = true;
        } else {
            cx.state.modal.mode = Mode::VisualLine;
        }
        return operators::begin_operator(cx, op);
    }
    cx.state.modal.operator = Some(PendingOperator { op, count: cx.state.modal.count.take(), forced: None });
    moves::move_cursors(cx, Move::LineEnd);
}

/// Applies an operator to whole lines as one key; for a selection, to its lines.
pub fn operate_on_lines(cx: &mut Cx<'_>, op: Op) {
    if cx.state.modal.mode.is_visual() {
        if cx.state.modal.mode != Mode::VisualBlock || op == Op::Change {
            cx.state.modal.mode = Mode::VisualLine;
        }
        return operators::begin_operator(cx, op);
    }
    operators::operate_on_whole_lines(cx, op);
}

/// Replaces the characters at the cursors, or all selected ones, by one character.
pub fn replace_char(cx: &mut Cx<'_>, with: char) {
    if cx.state.modal.mode.is_visual() {
        let pieces = visual::pieces(cx);
        visual::save_visual(cx);
        let starts = pieces.iter().map(|piece| Range::cursor(piece.start)).collect();
        visual::end_at(cx, starts);
        return operators::change_pieces(cx, pieces, move |page, pieces| operate::fill(page, pieces, with));
    }
    let count = cx.state.modal.take_count().unwrap_or(1);
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let cursors: Vec<Byte> = buffer.area.selection.ranges().iter().map(|range| range.head).collect();
    let page = ModalText::new(buffer.area.text(), tab_width);
    match replace::replace(page, &cursors, with, count) {
        Some(edit) => {
            edit_text(cx, |_, _| edit);
            if with == '\n' {
                note_typing(cx);
            }
        }
        None => cursors::fail_motion(cx),
    }
}

/// Records a line break that replaced a character as typed: after the indentation of the new line.
fn note_typing(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let text = buffer.area.text();
    let at = motion::indent_end(text, text.line_of(buffer.area.caret()));
    buffer.area.document.positions_mut().set_mark('^', at);
}

/// Toggles the case of letters and moves past them.
pub fn toggle_case(cx: &mut Cx<'_>) {
    if cx.state.modal.mode.is_visual() {
        return operators::begin_operator(cx, Op::ChangeCase(CaseChange::Toggle));
    }
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    if buffer.area.selection.ranges().iter().all(|range| page.right(range.head) == range.head) {
        return cursors::fail_motion(cx);
    }
    let count = cx.state.modal.take_count().unwrap_or(1);
    edit_text(cx, |page, selection| {
        let piece = |range: &Range| {
            let end = (0..count).fold(range.head, |at, _| page.right(at));
            OperatorSpan::new(vec![range.head..end], ContentShape::Chars, range.head)
        };
        let pieces: Vec<OperatorSpan> = selection.ranges().iter().map(piece).collect();
        let edit = operate::change_case(page, &pieces, CaseChange::Toggle);
        let mapping = &edit.changes;
        let ends = selection.transform(|range| {
            let end = (0..count).fold(range.head, |at, _| page.right(at));
            Range::cursor(mapping.map(end, Side::After))
        });
        edit.select(ends)
    });
}

/// Joins lines; `spaces` puts a space between them.
pub fn join(cx: &mut Cx<'_>, spaces: bool) {
    let pieces = if cx.state.modal.mode.is_visual() {
        let pieces = visual::lines(cx);
        visual::save_visual(cx);
        let starts = pieces.iter().map(|piece| Range::cursor(piece.start)).collect();
        visual::end_at(cx, starts);
        cx.state.modal.take_count();
        pieces
    } else {
        let count = cx.state.modal.take_count().unwrap_or(2).max(2);
        let Some(buffer) = cx.state.buffers.current() else { return };
        let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
        let alone =
            buffer.area.selection.ranges().iter().all(|range| page.line(range.head) == page.last_line());
        if count > 2 && alone {
            // If there are fewer lines than requested, the existing ones are joined, even a single one.
            let starts = buffer.area.selection.transform(|range| Range::cursor(page.start_of(range.head)));
            cx.state.modal.changed = true;
            return cursors::set_selection(cx, starts);
        }
        let lines = |range: &Range| {
            let first = page.line(range.head);
            let last = Line((first.0 + count - 1).min(page.last_line().0));
            (first < page.last_line()).then(|| spans::lines(page, first, last, range.head))
        };
        buffer.area.selection.ranges().iter().filter_map(lines).collect()
    };
    if pieces.is_empty() {
        return cursors::fail_motion(cx);
    }
    let typed = typed_in_first(cx, &pieces);
    forget_joined(cx, &pieces);
    operators::change_pieces(cx, pieces, move |page, pieces| operate::join(page, pieces, spaces));
    if let (Some(buffer), Some(line)) = (cx.state.buffers.current_mut(), typed) {
        let text = buffer.area.text().clone();
        buffer.area.document.positions_mut().set_at_column(PositionName::Mark('^'), &text, line, 0);
    }
}

/// Excludes lines that were joined to an empty one from commands on many lines.
fn forget_joined(cx: &mut Cx<'_>, pieces: &[OperatorSpan]) {
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let text = buffer.area.text().clone();
    let page = ModalText::new(&text, tab_width);
    for piece in pieces {
        let lines = operate::touched_lines(page, std::slice::from_ref(piece));
        if let [first, joined @ ..] = &lines[..]
            && page.is_empty_line(*first)
        {
            buffer.area.document.positions_mut().forget_lines(&text, joined);
        }
    }
}

/// Returns the empty line that others are joined to, if typing ended in it: that line stays, although the
/// edit, which removes only its line break, looks as if it were deleted.
fn typed_in_first(cx: &Cx<'_>, pieces: &[OperatorSpan]) -> Option<Line> {
    let buffer = cx.state.buffers.current()?;
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let (line, _) = buffer.area.document.positions().line_and_column(PositionName::Mark('^'), page.text)?;
    let [piece] = pieces else { return None };
    (page.is_empty_line(line) && page.line(piece.spans[0].start) == line).then_some(line)
}

/// Pastes a register. A selection is replaced and goes to the register.
pub fn paste(cx: &mut Cx<'_>, behind: bool, pass: bool) {
    let name = cx.state.modal.register.take().unwrap_or('"');
    let count = cx.state.modal.take_count().unwrap_or(1);
    let keeps = !behind && !pass;
    let Some(content) = registers::read(cx, name) else {
        if cx.state.modal.mode.is_visual() {
            // A selection is replaced even if the register is empty.
            cx.state.modal.register = keeps.then_some('_');
            let lines = cx.state.modal.mode == Mode::VisualLine;
            operators::begin_operator(cx, Op::Delete);
            if let Some(buffer) = cx.state.buffers.current().filter(|_| lines) {
                let page = ModalText::new(buffer.area.text(), 1);
                let starts =
                    buffer.area.selection.transform(|range| Range::cursor(page.start_of(range.head)));
                cursors::set_selection(cx, starts);
            }
            return;
        }
        // It can be repeated once the register has content.
        cx.state.modal.changed = true;
        cursors::fail_motion(cx);
        return cx.state.set_status(format!("Register is empty: {name}"));
    };
    let how = PasteOptions { after: behind, count, cursor_after: pass };
    if cx.state.modal.mode.is_visual() {
        return paste_over(cx, &content, how);
    }
    edit_text(cx, |page, selection| {
        let cursors: Vec<Byte> = selection.ranges().iter().map(|range| range.head).collect();
        paste_content(page, &cursors, &content, how)
    });
}

/// Replaces the selection, which goes to the unnamed register unless the text was put before it.
fn paste_over(cx: &mut Cx<'_>, content: &Content, how: PasteOptions) {
    let mode = cx.state.modal.mode;
    let pieces = visual::pieces(cx);
    visual::save_visual(cx);
    let starts: Vec<Range> = pieces.iter().map(|piece| Range::cursor(piece.start)).collect();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let text = buffer.area.text().clone();
    let tab_width = cx.state.tab_width();
    let page = ModalText::new(&text, tab_width);
    let gone = spans::content(page, &pieces);
    let small = pieces.iter().all(|piece| is_small(page, piece));
    let empty_rows = gone.shape == ContentShape::Block && gone.texts.iter().all(String::is_empty);
    let bare = text.end() == Byte(0) || empty_rows;
    forget_typing(cx, mode, &pieces);
    let rows = cx.state.modal.visual.ranges.first().copied().unwrap_or(Range::cursor(Byte(0)));
    let (head, top) = (page.line(rows.head), page.line(rows.start()));
    visual::end_at(cx, starts);
    if (how.after || how.cursor_after) && !bare {
        registers::write(cx, None, gone, if small { CopyKind::CutSmall } else { CopyKind::Cut });
    }
    let mut content = content.clone();
    if mode == Mode::VisualLine && content.shape == ContentShape::Chars {
        content.shape = ContentShape::Lines;
        for text in std::sync::Arc::make_mut(&mut content.texts) {
            text.push('\n');
        }
    }
    edit_text(cx, |page, _| replace_selected(page, mode, &pieces, &content, how, (head, top)));
}

/// Deletes the selected pieces and pastes in their place, as one transaction. `rows` are the line of the rectangle's
/// cursor and its first line.
fn replace_selected(
    page: ModalText<'_>,
    mode: Mode,
    pieces: &[OperatorSpan],
    content: &Content,
    how: PasteOptions,
    (head, top): (Line, Line),
) -> Transaction {
    let text = page.text;
    let lines = mode == Mode::VisualLine;
    let whole = lines && pieces.iter().any(|p| p.spans[0].end == text.end() && p.spans[0].start == Byte(0));
    let cut = operate::delete(page, pieces, &vec![Column(0); pieces.len()]);
    let mut middle = text.clone();
    cut.changes.apply(&mut middle);
    let page = ModalText::new(&middle, page.tab_width);
    let starts: Vec<Byte> = pieces.iter().map(|p| cut.changes.map(p.spans[0].start, Side::Before)).collect();
    let breaks = mode == Mode::Visual && content.shape == ContentShape::Lines;
    let at_end = lines
        && starts[0] >= page.last()
        && middle.end() > Byte(0)
        && starts[0] > page.start(page.last_line());
    let block = mode == Mode::VisualBlock;
    let one_line = !content.texts.iter().any(|text| text.contains('\n'));
    if block && content.shape == ContentShape::Chars && one_line {
        return paste_into_block(&cut, page, &pieces[0], content, how);
    }
    let (starts, how) = match () {
        // Lines go below a rectangle, or above it.
        () if block && content.shape == ContentShape::Lines => {
            let at_end = page.at_end(starts[0]) && starts[0] > page.start_of(starts[0]);
            let row = if how.after { head } else { top };
            (vec![page.start(row)], PasteOptions { after: how.after || at_end, ..how })
        }
        () if breaks => (starts, PasteOptions { after: false, ..how }),
        // The last line is deleted: the new lines go behind the one that is last now.
        () if at_end => (vec![page.last()], PasteOptions { after: true, ..how }),
        () => (starts, PasteOptions { after: false, ..how }),
    };
    let second = if whole {
        let ends = text.byte_at(text.end().back(1)) == Some(b'\n');
        paste_whole_text(page, content, how, ends)
    } else if breaks {
        paste_lines_between(page, &starts, content, how)
    } else {
        paste_content(page, &starts, content, how)
    };
    let selection = second.selection.unwrap_or_else(|| Selection::cursor(Byte(0)));
    Transaction::new(cut.changes.compose(&second.changes)).select(selection)
}

/// Whether a piece is less than a line.
fn is_small(page: ModalText<'_>, piece: &OperatorSpan) -> bool {
    let span = &piece.spans[0];
    match piece.shape {
        ContentShape::Chars => page.line(span.start) == page.line(span.end),
        ContentShape::Block => piece.spans.len() == 1,
        ContentShape::Lines => false,
    }
}

/// Moves the position where typing last ended with its line.
fn forget_typing(cx: &mut Cx<'_>, mode: Mode, pieces: &[OperatorSpan]) {
    let lines = mode == Mode::VisualLine;
    let Some(buffer) = cx.state.buffers.current_mut().filter(|_| lines) else { return };
    let positions = buffer.area.document.positions_mut();
    let gone = |at: Byte| pieces.iter().flat_map(|p| &p.spans).any(|span| span.contains(&at));
    if positions.mark('^').is_some_and(gone) {
        positions.remove(PositionName::Mark('^'));
    }
}

/// Replaces characters by lines, which break the line around them.
fn paste_lines_between(
    page: ModalText<'_>,
    starts: &[Byte],
    content: &Content,
    how: PasteOptions,
) -> Transaction {
    let text = format!("\n{}", content.joined().repeat(how.count));
    let edits = starts.iter().map(|at| (*at..*at, text.clone()));
    let changes = ChangeSet::replace(page.text.end().0, edits);
    let mut after = page.text.clone();
    changes.apply(&mut after);
    let after = ModalText::new(&after, page.tab_width);
    let start = after.first_non_blank(after.line(starts[0] + 1));
    Transaction::new(changes).select(Selection::cursor(start))
}

/// Replaces a rectangle by characters, in each of its rows.
fn paste_into_block(
    cut: &Transaction,
    page: ModalText<'_>,
    piece: &OperatorSpan,
    content: &Content,
    how: PasteOptions,
) -> Transaction {
    let new = content.joined().repeat(how.count);
    let left = page.column(cut.changes.map(piece.spans[0].start, Side::Before));
    let edits: Vec<_> = piece
        .spans
        .iter()
        .map(|span| cut.changes.map(span.start, Side::Before))
        .filter(|at| page.column(*at) >= left)
        .map(|at| (at..at, new.clone()))
        .collect();
    let changes = ChangeSet::replace(page.text.end().0, edits);
    let mut after = page.text.clone();
    changes.apply(&mut after);
    let after = ModalText::new(&after, page.tab_width);
    let end = changes.map(cut.changes.map(piece.spans[0].start, Side::Before), Side::After);
    let cursor = after.cursor_position(after.left(end));
    Transaction::new(cut.changes.clone().compose(&changes)).select(Selection::cursor(cursor))
}

/// Replaces the whole text by lines, without a final line feed if the text had none.
fn paste_whole_text(page: ModalText<'_>, content: &Content, how: PasteOptions, ends: bool) -> Transaction {
    let mut text = content.joined().repeat(how.count);
    if !ends {
        text.pop();
    }
    let changes = ChangeSet::replace(page.text.end().0, [(Byte(0)..page.text.end(), text)]);
    let mut after = page.text.clone();
    changes.apply(&mut after);
    let start = ModalText::new(&after, page.tab_width).first_non_blank(Line(0));
    Transaction::new(changes).select(Selection::cursor(start))
}

/// Increments or decrements the numbers at the cursors; with `series` each selected line by one more.
pub fn increment(cx: &mut Cx<'_>, down: bool, series: bool) {
    let by = cx.state.modal.take_count().unwrap_or(1) as i128 * if down { -1 } else { 1 };
    if cx.state.modal.mode.is_visual() {
        let pieces = visual::pieces(cx);
        visual::save_visual(cx);
        let starts: Vec<Range> = pieces.iter().map(|piece| Range::cursor(piece.start)).collect();
        let back = starts.clone();
        visual::end_at(cx, starts);
        edit_text(cx, |page, _| {
            let rows = operate::touched_lines(page, &pieces);
            let spans = rows.iter().map(|line| {
                let inside = |span: &std::ops::Range<Byte>| {
                    span.start.max(page.start(*line))..span.end.min(page.end(*line))
                };
                let span =
                    pieces.iter().flat_map(|p| &p.spans).map(inside).find(|span| span.start < span.end);
                span.map(|span| Range::new(span.start, span.end))
            });
            let ranges: Vec<Range> = spans.flatten().collect();
            if ranges.is_empty() {
                return Transaction::new(ChangeSet::identity(page.text.end().0));
            }
            let each = if series { by } else { 0 };
            let edit = numbers::add_inside(page.text, &Selection::new(ranges, 0), by, each);
            edit.select(Selection::new(back, 0))
        });
        return;
    }
    edit_text(cx, |page, selection| {
        let on_number = selection.transform(|range| {
            let start = number_start(page, range.head);
            let digit = page.char(start).is_some_and(|c| c.is_ascii_digit());
            // A number that ends before the cursor does not count.
            if digit { Range::cursor(start) } else { Range::new(start, page.end_of(start)) }
        });
        let edit = numbers::add_inside(page.text, &on_number, by, 0);
        let ends = edit.changes.edits().map(|edit| Range::cursor(edit.new.end.back(1))).collect::<Vec<_>>();
        if ends.is_empty() { edit.select(selection.clone()) } else { edit.select(Selection::new(ends, 0)) }
    });
}

/// Returns the start of the number at a position.
fn number_start(page: ModalText<'_>, at: Byte) -> Byte {
    let run = |belongs: fn(char) -> bool| {
        let is = |at: Byte| page.char(at).is_some_and(belongs);
        let mut start = at;
        while is(start) && start > page.start_of(at) && is(page.left(start)) {
            start = page.left(start);
        }
        start
    };
    // An `x` or a letter belongs to a number only after its base prefix.
    let start = run(|c| c.is_ascii_hexdigit() || "xX".contains(c));
    let sign =
        page.char(start) == Some('0') && page.char(page.right(start)).is_some_and(|c| "xXbB".contains(c));
    if sign { start } else { run(|c| c.is_ascii_digit()) }
}

/// Undoes or redoes steps; the cursor goes to where the text changed.
pub fn undo(cx: &mut Cx<'_>, back: bool) {
    let count = cx.state.modal.take_count().unwrap_or(1);
    let tab_width = cx.state.tab_width();
    if cx.state.modal.mode.is_visual() {
        return operators::begin_operator(
            cx,
            Op::ChangeCase(if back { CaseChange::Lower } else { CaseChange::Upper }),
        );
    }
    let Some(buffer) = cx.state.buffers.current() else { return };
    let range = buffer.area.selection.primary();
    let goal = ModalText::new(buffer.area.text(), tab_width).goal_column(&range);
    for _ in 0..count {
        let Some(buffer) = cx.state.buffers.current_mut() else { return };
        let before = buffer.area.text().clone();
        let typed = buffer.area.document.positions().line_and_column(PositionName::Mark('^'), &before);
        let next = buffer.area.document.history().next_start();
        let changes = if back { buffer.area.undo() } else { buffer.area.redo() };
        let Some(changes) = changes else {
            cursors::fail_motion(cx);
            return cx.state.set_status(if back { "Nothing to undo" } else { "Nothing to redo" });
        };
        let after = &buffer.area.text().clone();
        if let Some((line, column)) = typed {
            let positions = buffer.area.document.positions_mut();
            match undo_cursor::map_line(&before, after, &changes, line) {
                Some(line) => positions.set_at_column(PositionName::Mark('^'), after, line, column),
                None => positions.remove(PositionName::Mark('^')),
            }
        }
        // In both directions it goes by the cursor's position before the step was made.
        let was = match next.filter(|_| !back) {
            Some(at) => undo_cursor::CursorBefore::of(ModalText::new(&before, tab_width), at),
            None => undo_cursor::CursorBefore::of(
                ModalText::new(after, tab_width),
                buffer.area.selection.primary().head,
            ),
        };
        let at = undo_cursor::cursor_after(ModalText::new(after, tab_width), &before, &changes, was, goal);
        cursors::set_selection(cx, Selection::cursor(at));
    }
    cx.state.damage.add(Part::Editor);
}

/// Inserts a register while typing. Repetition uses the text that it holds now.
pub fn insert_register(cx: &mut Cx<'_>, name: char) {
    match registers::read(cx, name) {
        Some(content) => {
            insert_mode::insert::spell_out(cx, &content.texts.join("\n"));
            edit::apply(cx, |text, selection| {
                crate::text::operations::edit::insert_each(
                    text,
                    selection,
                    &content.texts,
                    LineEnding::default(),
                )
            });
        }
        None => cx.state.set_status(format!("Register is empty: {name}")),
    }
}
