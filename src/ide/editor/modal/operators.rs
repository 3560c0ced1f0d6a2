//! Operators: waiting for a motion, and applying to its range.

use std::sync::Arc;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::modal::{InsertNormal, InsertState, Mode, Op, PendingOperator, Visual};
use crate::ide::editor::commands::edit;
use crate::ide::editor::commands::edit::comment_tokens;
use crate::ide::editor::commands::registers;
use crate::ide::editor::modal::{background, cursors, insert_mode, visual};
use crate::syntax::Syntax;
use crate::text::changes::{ChangeSet, Side};
use crate::text::clipboard::content::{Content, ContentShape};
use crate::text::clipboard::registers::CopyKind;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::operator::operate;
use crate::text::modal::operator::spans::{self, ForcedMotion, OperatorSpan};
use crate::text::movement::motion;
use crate::text::operations::comment;
use crate::text::operations::comment_tokens::CommentTokens;
use crate::text::operations::edit::{indents_by_tabs, touched_lines};
use crate::text::operations::indent::{self, IndentLevels};
use crate::text::operations::reflow;
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// Handles an operator key: applies it to the selection, waits for a motion, or, pressed twice, applies it to
/// whole lines.
pub fn begin_operator(cx: &mut Cx<'_>, op: Op) {
    if cx.state.modal.mode.is_visual() {
        let pieces = visual::pieces(cx);
        visual::save_visual(cx);
        cx.state.modal.take_count();
        return apply(cx, op, &pieces);
    }
    match cx.state.modal.operator {
        Some(waiting) if waiting.op == op => operate_on_whole_lines(cx, op),
        Some(_) => cx.state.modal.reset_pending(),
        None => {
            let count = cx.state.modal.count.take();
            cx.state.modal.is_far_motion = false;
            cx.state.modal.operator = Some(PendingOperator { op, count, forced: None });
            cx.state.damage.add(Part::Status);
        }
    }
}

/// Sets how the waiting operator uses its motion.
pub fn force_motion(cx: &mut Cx<'_>, forced: ForcedMotion) {
    if let Some(waiting) = &mut cx.state.modal.operator {
        waiting.forced = Some(forced);
    }
}

/// Applies an operator to the cursors' lines, as many as the count says.
pub fn operate_on_whole_lines(cx: &mut Cx<'_>, op: Op) {
    let count = cx.state.modal.take_count().unwrap_or(1);
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let line = |range: &Range| {
        let first = page.line(range.head);
        let last = first.0 + count - 1;
        // If text is changed, the cursor goes to the text of the line.
        let text = matches!(op, Op::ChangeCase(_) | Op::Change) && count == 1;
        let start = if text { range.head.min(page.first_non_blank(first)) } else { range.head };
        spans::lines(page, first, Line(last.min(page.last_line().0)), start)
    };
    let ranges = buffer.area.selection.ranges();
    // A count includes lines below, of which there must be at least one.
    if count > 1 && ranges.iter().all(|range| page.line(range.head) == page.last_line()) {
        return cursors::fail_motion(cx);
    }
    let pieces: Vec<OperatorSpan> = ranges.iter().map(line).collect();
    apply(cx, op, &pieces);
}

/// Applies the edit returned by `make`, then places the cursors.
pub fn edit_text(cx: &mut Cx<'_>, make: impl FnOnce(ModalText<'_>, &Selection) -> Transaction) -> bool {
    let tab_width = cx.state.tab_width();
    cx.state.modal.changed = true;
    let mut stays = None;
    let applied = edit::apply(cx, |text, selection| {
        let edit = closed(text, selection, make(ModalText::new(text, tab_width), selection));
        stays = edit.selection.clone().filter(|_| edit.changes.is_identity());
        edit
    });
    // An edit without changes is ignored by the document, but its cursors apply.
    if let Some(selection) = stays.filter(|_| applied) {
        cursors::set_selection(cx, selection);
    }
    applied
}

/// Returns the same edit, made so that an empty last line remains a line: without a final line feed it would
/// be taken for the end of the line before it.
fn closed(text: &Text, before: &Selection, edit: Transaction) -> Transaction {
    let feed = |at: Byte| at > Byte(0) && text.byte_at(at.back(1)) == Some(b'\n');
    let ends = text.end() == Byte(0) || feed(text.end());
    let len = edit.changes.len_after();
    let last = edit.changes.last_edit().filter(|last| !ends && last.new.end.0 == len && len > 0);
    let opens =
        last.is_some_and(
            |last| {
                if last.text.is_empty() { feed(last.old.start) } else { last.text.ends_with('\n') }
            },
        );
    if !opens {
        return edit;
    }
    let feed = ChangeSet::replace(len, [(Byte(len)..Byte(len), "\n".to_string())]);
    // The cursor of that line stays on it.
    let here = edit.changes.map(before.primary().head, Side::Before).0 == len;
    let selection = if here { Some(Selection::cursor(Byte(len))) } else { edit.selection };
    Transaction { changes: edit.changes.compose(&feed), prepared: None, selection, ..edit }
}

/// Changes the text of ranges; for much text a task does it, while keys wait.
pub fn change_pieces(
    cx: &mut Cx<'_>,
    pieces: Vec<OperatorSpan>,
    make: impl FnOnce(ModalText<'_>, &[OperatorSpan]) -> Transaction + Send + 'static,
) {
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (text, bytes) = (buffer.area.text().clone(), total_bytes(&pieces));
    let work = move || -> background::Followup {
        let edit = make(ModalText::new(&text, tab_width), &pieces);
        let edit = if bytes > background::INLINE_MAX { edit.prepare(&text) } else { edit };
        Box::new(move |cx| {
            edit_text(cx, |_, _| edit);
            Ok(())
        })
    };
    if let Err(problem) = background::run(cx, bytes, work) {
        cursors::fail_motion(cx);
        cx.state.set_error(problem);
    }
}

/// Returns the size of pieces in bytes.
fn total_bytes(pieces: &[OperatorSpan]) -> usize {
    pieces.iter().flat_map(|piece| &piece.spans).map(|span| span.end - span.start).sum()
}

/// Applies an operator; for much text a task does it, while keys wait.
pub fn apply(cx: &mut Cx<'_>, op: Op, pieces: &[OperatorSpan]) {
    let register = cx.state.modal.register.take();
    let was_visual = cx.state.modal.mode.is_visual();
    let used = cx.state.modal.used_count.filter(|_| was_visual);
    cx.state.modal.operator = None;
    if pieces.is_empty() {
        return;
    }
    let Some(buffer) = cx.state.buffers.current() else { return };
    if let Some(reason) = buffer.read_only().filter(|_| op != Op::Yank) {
        cursors::fail_motion(cx);
        return cx.state.set_error(reason);
    }
    let far = std::mem::take(&mut cx.state.modal.is_far_motion) && !was_visual;
    let Some(lines) = LineOptions::for_operator(cx, op, used) else {
        return cx.state.set_status("No comment syntax for this language");
    };
    let Some(buffer) = cx.state.buffers.current() else { return };
    let text = buffer.area.text().clone();
    let page = ModalText::new(&text, lines.tab_width);
    let visual_ranges = &cx.state.modal.visual.ranges;
    let ranges = if was_visual { visual_ranges.as_slice() } else { buffer.area.selection.ranges() };
    let goals = goals(ModalText { can_rest_at_end: was_visual, ..page }, op, ranges, pieces);
    let mut pieces = pieces.to_vec();
    let keeps = matches!(op, Op::Yank | Op::ChangeCase(_));
    for (piece, range) in pieces.iter_mut().zip(ranges).filter(|_| was_visual && keeps) {
        // The cursor stays if it is above the start of the selection.
        if piece.shape == ContentShape::Lines && page.line(range.head) < page.line(range.anchor) {
            piece.start = page.cursor_position(range.head);
        }
    }
    let bytes = total_bytes(&pieces);
    let work = move || -> background::Followup {
        let page = ModalText::new(&text, lines.tab_width);
        let taken = register_content(page, op, &pieces, far);
        let edit = lines.edit(page, op, &pieces, &goals);
        let edit = if bytes > background::INLINE_MAX { edit.map(|edit| edit.prepare(&text)) } else { edit };
        Box::new(move |cx| {
            finish_operator(cx, op, &pieces, register, taken, edit);
            if matches!(op, Op::Indent | Op::Dedent) && pieces[0].shape != ContentShape::Block {
                set_goals(cx, &goals);
            }
            Ok(())
        })
    };
    if let Err(problem) = background::run(cx, bytes, work) {
        cursors::fail_motion(cx);
        cx.state.set_error(problem);
    }
}

/// Returns the content for a register, and its shape.
fn register_content(
    page: ModalText<'_>,
    op: Op,
    pieces: &[OperatorSpan],
    far: bool,
) -> Option<(Content, CopyKind)> {
    if !matches!(op, Op::Delete | Op::Yank | Op::Change) {
        return None;
    }
    let content = spans::content(page, pieces);
    let several = |piece: &OperatorSpan| page.line(piece.spans[0].start) != page.line(piece.spans[0].end);
    let cut = pieces[0].shape == ContentShape::Lines
        || pieces[0].shape == ContentShape::Block && pieces[0].spans.len() > 1
        || pieces.iter().any(several);
    let taken = match op {
        Op::Yank => CopyKind::Copied,
        _ if cut => CopyKind::Cut,
        _ if far => CopyKind::CutFar,
        _ => CopyKind::CutSmall,
    };
    // In an empty text there is nothing to delete.
    let bare = page.text.end() == Byte(0);
    // The empty rest of a line and empty rows count, although they hold no text.
    let to_end = op == Op::Change && pieces.iter().any(|piece| piece.goal == Some(Column(usize::MAX)));
    let rows = pieces[0].shape == ContentShape::Block && (pieces[0].spans.len() > 1 || op == Op::Change);
    let nothing = bare || content.texts.iter().all(String::is_empty) && !to_end && !rows;
    (!nothing || op == Op::Yank).then_some((content, taken))
}

/// Applies the result of an operator to the text.
fn finish_operator(
    cx: &mut Cx<'_>,
    op: Op,
    pieces: &[OperatorSpan],
    register: Option<char>,
    taken: Option<(Content, CopyKind)>,
    edit: Option<Transaction>,
) {
    if let Some((content, taken)) = taken {
        registers::write(cx, register, content, taken);
    }
    if cx.state.modal.mode.is_visual() {
        cx.state.modal.mode = Mode::Normal;
        cx.state.modal.visual = Visual::default();
    }
    // The step begins where the operator does, which is where undo returns to.
    let starts: Vec<Range> = pieces.iter().map(|piece| Range::cursor(step_start(cx, op, piece))).collect();
    cursors::set_selection(cx, Selection::new(starts, 0));
    let Some(edit) = edit else {
        if let Some(buffer) = cx.state.buffers.current_mut() {
            let first = pieces[0].spans[0].start;
            let stop = pieces.last().map_or(pieces[0].start, |p| p.spans[p.spans.len() - 1].end);
            let last = buffer.area.text().prev_grapheme(stop).max(first);
            let positions = buffer.area.document.positions_mut();
            positions.set_mark('[', first);
            positions.set_mark(']', last);
        }
        return;
    };
    let applied = edit_text(cx, |_, _| edit);
    if op == Op::Delete && pieces[0].shape == ContentShape::Chars {
        continue_typing_after(cx, pieces[0].start);
    }
    if applied && op == Op::Change {
        let block = insert_mode::block::replace_block(cx, &pieces[0]);
        let version = cx.state.buffers.current().map(|buffer| buffer.area.document.version());
        let indented = version.filter(|_| pieces[0].shape == ContentShape::Lines);
        insert_mode::insert::begin(cx, InsertState { block, indented, times: 1, ..InsertState::default() });
    }
}

/// Makes typing continue after this command behind the last character, if the text there was deleted.
fn continue_typing_after(cx: &mut Cx<'_>, start: Byte) {
    let tab_width = cx.state.tab_width();
    let (Some(buffer), Some(once)) = (cx.state.buffers.current(), &mut cx.state.modal.typing.once) else {
        return;
    };
    let page = ModalText::new(buffer.area.text(), tab_width);
    if page.at_end(start) {
        *once = InsertNormal { at_end: true, line: page.line(start).0, ..*once };
    }
}

/// Returns the start of an operator's undo step: for lines that are replaced by typing, the second one.
fn step_start(cx: &Cx<'_>, op: Op, piece: &OperatorSpan) -> Byte {
    let Some(buffer) =
        cx.state.buffers.current().filter(|_| op == Op::Change && piece.shape == ContentShape::Lines)
    else {
        return piece.start;
    };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let (first, span) = (page.line(piece.start), &piece.spans[0]);
    let second = Line(first.0 + 1);
    if second > page.last_line() || page.start(second) >= span.end {
        return piece.start;
    }
    let along = piece.start - page.start(first);
    page.cursor_position((page.start(second) + along).min(page.end(second)))
}

/// Keeps goal columns for the cursors.
fn set_goals(cx: &mut Cx<'_>, goals: &[Column]) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let ranges = buffer.area.selection.ranges();
    if ranges.len() == goals.len() {
        let aiming = |(range, goal): (&Range, &Column)| Range { goal: Some(*goal), ..*range };
        let aimed = ranges.iter().zip(goals).map(aiming).collect();
        buffer.area.selection = Selection::new(aimed, buffer.area.selection.primary_index());
    }
}

/// The columns that cursors aim at, in the order of pieces.
fn goals(page: ModalText<'_>, op: Op, ranges: &[Range], pieces: &[OperatorSpan]) -> Vec<Column> {
    let shifts = matches!(op, Op::Indent | Op::Dedent);
    let goal = |(n, piece): (usize, &OperatorSpan)| {
        let Some(range) = ranges.get(n) else { return page.column(piece.start) };
        piece
            .goal
            .filter(|_| shifts && (piece.shape == ContentShape::Chars || piece.widened))
            .unwrap_or_else(|| page.goal_column(range))
    };
    pieces.iter().enumerate().map(goal).collect()
}

/// Data of the file and its project for operators on lines.
struct LineOptions {
    wrap: usize,
    tab_width: usize,
    comment_tokens: Option<CommentTokens>,
    columns: usize,
    by_tabs: Option<bool>,
    unit: String,
    tree: Option<Arc<Syntax>>,
}

impl LineOptions {
    /// Collects the data; `None` if comments are to be toggled in a language without known comment syntax.
    fn for_operator(cx: &mut Cx<'_>, op: Op, stops: Option<usize>) -> Option<Self> {
        let signs = if op == Op::Comment { Some(comment_tokens(cx)?) } else { comment_tokens(cx) };
        let (indent, by_tabs) = cx.state.indentation();
        let reindents = op == Op::Reindent;
        let tree = reindents.then(|| cx.state.tree_now()).flatten();
        Some(Self {
            wrap: cx.state.wrap_column(),
            tab_width: cx.state.tab_width(),
            comment_tokens: signs,
            columns: stops.unwrap_or(1) * indent,
            by_tabs,
            unit: if reindents { cx.state.line_style().unit } else { String::new() },
            tree: tree.filter(|tree| tree.has_indents()),
        })
    }

    /// Returns the edit of an operator on its pieces; `None` if it changes nothing.
    fn edit(
        &self,
        page: ModalText<'_>,
        op: Op,
        pieces: &[OperatorSpan],
        goals: &[Column],
    ) -> Option<Transaction> {
        let hard = || self.by_tabs.unwrap_or_else(|| indents_by_tabs(page.text));
        Some(match op {
            Op::Yank => return None,
            Op::Delete => operate::delete(page, pieces, goals),
            Op::Change => operate::delete_for_change(page, pieces),
            Op::ChangeCase(letters) => operate::change_case(page, pieces, letters),
            Op::Indent => operate::shift(page, pieces, self.columns, false, hard(), goals),
            Op::Dedent => operate::shift(page, pieces, self.columns, true, hard(), goals),
            Op::Reindent => self.reindent(page, pieces, hard),
            Op::Format => {
                let edit = reflow::reflow(
                    page.text,
                    &covering_selection(pieces),
                    self.wrap,
                    self.tab_width,
                    self.comment_tokens,
                );
                cursor_to_last_line(page.text, edit, self.tab_width)
            }
            Op::Comment => {
                let edit =
                    comment::toggle_lines(page.text, &covering_selection(pieces), self.comment_tokens?);
                let starts = pieces.iter().map(|piece| Range::cursor(piece.start)).collect();
                let selection = Selection::new(starts, 0).map(&edit.changes);
                edit.select(selection)
            }
        })
    }

    /// Indents lines by the syntax tree, or like the lines before them where that is not possible.
    fn reindent(&self, page: ModalText<'_>, pieces: &[OperatorSpan], hard: impl Fn() -> bool) -> Transaction {
        let Some(tree) = &self.tree else { return operate::reindent(page, pieces, hard()) };
        let all = covering_selection(pieces);
        let lines = touched_lines(page.text, &all);
        let edit =
            indent::reindent(page.text, &all, lines, &self.unit, |line| tree.for_line(page.text, line));
        let mut after = page.text.clone();
        edit.changes.apply(&mut after);
        let start = |piece: &OperatorSpan| Range::cursor(motion::indent_end(&after, page.line(piece.start)));
        edit.select(Selection::new(pieces.iter().map(start).collect(), 0))
    }
}

fn covering_selection(pieces: &[OperatorSpan]) -> Selection {
    let range = |piece: &OperatorSpan| {
        let end = piece.spans.last().map_or(piece.start, |span| span.end);
        Range::new(piece.spans[0].start, end)
    };
    Selection::new(pieces.iter().map(range).collect(), 0)
}

/// Moves the cursor to the last wrapped line.
fn cursor_to_last_line(text: &Text, edit: Transaction, tab_width: usize) -> Transaction {
    let mut after = text.clone();
    edit.changes.apply(&mut after);
    let page = ModalText::new(&after, tab_width);
    let selection = edit.selection.clone().unwrap_or_else(|| Selection::cursor(page.last()));
    let ends = selection.transform(|range| {
        let end = if range.is_empty() { range.head } else { after.prev_grapheme(range.end()) };
        Range::cursor(page.first_non_blank(page.line(end)))
    });
    edit.select(ends)
}
