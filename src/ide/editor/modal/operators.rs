//! Operators: what waits for a motion, and what it does to what it gets.

use std::sync::Arc;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::modal::{Mode, Once, Op, Typing, Visual, Waiting};
use crate::ide::editor::commands::edit;
use crate::ide::editor::commands::edit::signs;
use crate::ide::editor::commands::registers;
use crate::ide::editor::modal::{background, cursors, typing, visual};
use crate::syntax::Syntax;
use crate::text::changes::{ChangeSet, Side};
use crate::text::clipboard::content::{Content, Shape};
use crate::text::clipboard::registers::Taken;
use crate::text::modal::motion::page::Page;
use crate::text::modal::operator::operate;
use crate::text::modal::operator::spans::{self, Forced, Piece};
use crate::text::movement::motion;
use crate::text::operations::comment;
use crate::text::operations::comment_signs::Signs;
use crate::text::operations::edit::{indents_by_tabs, touched_lines};
use crate::text::operations::indent::{self, Levels};
use crate::text::operations::reflow;
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::Transaction;

/// An operator was named: it takes the selection, waits for a motion, or, named twice, takes
/// whole lines.
pub fn name(cx: &mut Cx<'_>, op: Op) {
    if cx.state.modal.mode.is_visual() {
        let pieces = visual::pieces(cx);
        visual::remember(cx);
        cx.state.modal.take_count();
        return apply(cx, op, &pieces);
    }
    match cx.state.modal.operator {
        Some(waiting) if waiting.op == op => whole_lines(cx, op),
        Some(_) => cx.state.modal.forget(),
        None => {
            let count = cx.state.modal.count.take();
            cx.state.modal.far = false;
            cx.state.modal.operator = Some(Waiting { op, count, forced: None });
            cx.state.damage.add(Part::Status);
        }
    }
}

/// How the operator that waits is to take its way.
pub fn force(cx: &mut Cx<'_>, forced: Forced) {
    if let Some(waiting) = &mut cx.state.modal.operator {
        waiting.forced = Some(forced);
    }
}

/// An operator takes the cursors' lines, as many as the count says.
pub fn whole_lines(cx: &mut Cx<'_>, op: Op) {
    let count = cx.state.modal.take_count().unwrap_or(1);
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = Page::new(buffer.area.text(), cx.state.tab_width());
    let line = |range: &Range| {
        let first = page.line(range.head);
        let last = first.0 + count - 1;
        // Where text is changed the cursor goes to the text of the line.
        let text = matches!(op, Op::Letters(_) | Op::Change) && count == 1;
        let start = if text { range.head.min(page.first_non_blank(first)) } else { range.head };
        spans::lines(page, first, Line(last.min(page.last_line().0)), start)
    };
    let ranges = buffer.area.selection.ranges();
    // A count takes lines below, of which there must be one.
    if count > 1 && ranges.iter().all(|range| page.line(range.head) == page.last_line()) {
        return cursors::fail(cx);
    }
    let pieces: Vec<Piece> = ranges.iter().map(line).collect();
    apply(cx, op, &pieces);
}

/// Edits through `make`, then puts the cursors at rest.
pub fn change(cx: &mut Cx<'_>, make: impl FnOnce(Page<'_>, &Selection) -> Transaction) -> bool {
    let tab_width = cx.state.tab_width();
    cx.state.modal.changed = true;
    let mut stays = None;
    let applied = edit::apply(cx, |text, selection| {
        let edit = closed(text, selection, make(Page::new(text, tab_width), selection));
        stays = edit.selection.clone().filter(|_| edit.changes.is_identity());
        edit
    });
    // An edit without changes is none for the document, but its cursors are where it says.
    if let Some(selection) = stays.filter(|_| applied) {
        cursors::set(cx, selection);
    }
    applied
}

/// The same edit, behind which an empty last line is still one: where the text did not end with a line feed it would
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
    Transaction { changes: edit.changes.compose(&feed), ready: None, selection, ..edit }
}

/// Changes what stands in places; of much text a task does it, while keys wait.
pub fn change_pieces(
    cx: &mut Cx<'_>,
    pieces: Vec<Piece>,
    make: impl FnOnce(Page<'_>, &[Piece]) -> Transaction + Send + 'static,
) {
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (text, bytes) = (buffer.area.text().clone(), size(&pieces));
    let work = move || -> background::Followup {
        let edit = make(Page::new(&text, tab_width), &pieces);
        let edit = if bytes > background::AT_ONCE { edit.prepared(&text) } else { edit };
        Box::new(move |cx| {
            change(cx, |_, _| edit);
            Ok(())
        })
    };
    if let Err(problem) = background::run(cx, bytes, work) {
        cursors::fail(cx);
        cx.state.fail(problem);
    }
}

/// How many bytes pieces are of.
fn size(pieces: &[Piece]) -> usize {
    pieces.iter().flat_map(|piece| &piece.spans).map(|span| span.end - span.start).sum()
}

/// Does what an operator does; of much text a task does it, while keys wait.
pub fn apply(cx: &mut Cx<'_>, op: Op, pieces: &[Piece]) {
    let register = cx.state.modal.register.take();
    let was_visual = cx.state.modal.mode.is_visual();
    let used = cx.state.modal.used_count.filter(|_| was_visual);
    cx.state.modal.operator = None;
    if pieces.is_empty() {
        return;
    }
    let Some(buffer) = cx.state.buffers.current() else { return };
    if let Some(reason) = buffer.read_only().filter(|_| op != Op::Yank) {
        cursors::fail(cx);
        return cx.state.fail(reason);
    }
    let far = std::mem::take(&mut cx.state.modal.far) && !was_visual;
    let Some(lines) = Lines::find(cx, op, used) else {
        return cx.state.say("No comment syntax for this language");
    };
    let Some(buffer) = cx.state.buffers.current() else { return };
    let text = buffer.area.text().clone();
    let page = Page::new(&text, lines.tab_width);
    let visual_ranges = &cx.state.modal.visual.ranges;
    let ranges = if was_visual { visual_ranges.as_slice() } else { buffer.area.selection.ranges() };
    let goals = goals(Page { past: was_visual, ..page }, op, ranges, pieces);
    let mut pieces = pieces.to_vec();
    let keeps = matches!(op, Op::Yank | Op::Letters(_));
    for (piece, range) in pieces.iter_mut().zip(ranges).filter(|_| was_visual && keeps) {
        // The cursor stays where it is above where the selection began.
        if piece.shape == Shape::Lines && page.line(range.head) < page.line(range.anchor) {
            piece.start = page.rest(range.head);
        }
    }
    let bytes = size(&pieces);
    let work = move || -> background::Followup {
        let page = Page::new(&text, lines.tab_width);
        let taken = taken(page, op, &pieces, far);
        let edit = lines.edit(page, op, &pieces, &goals);
        let edit = if bytes > background::AT_ONCE { edit.map(|edit| edit.prepared(&text)) } else { edit };
        Box::new(move |cx| {
            finish(cx, op, &pieces, register, taken, edit);
            if matches!(op, Op::Indent | Op::Dedent) && pieces[0].shape != Shape::Block {
                aim(cx, &goals);
            }
            Ok(())
        })
    };
    if let Err(problem) = background::run(cx, bytes, work) {
        cursors::fail(cx);
        cx.state.fail(problem);
    }
}

/// What goes into a register, and how it was taken.
fn taken(page: Page<'_>, op: Op, pieces: &[Piece], far: bool) -> Option<(Content, Taken)> {
    if !matches!(op, Op::Delete | Op::Yank | Op::Change) {
        return None;
    }
    let content = spans::content(page, pieces);
    let several = |piece: &Piece| page.line(piece.spans[0].start) != page.line(piece.spans[0].end);
    let cut = pieces[0].shape == Shape::Lines
        || pieces[0].shape == Shape::Block && pieces[0].spans.len() > 1
        || pieces.iter().any(several);
    let taken = match op {
        Op::Yank => Taken::Copied,
        _ if cut => Taken::Cut,
        _ if far => Taken::CutFar,
        _ => Taken::CutSmall,
    };
    // Of a text without anything there is nothing to delete.
    let bare = page.text.end() == Byte(0);
    // The rest of an empty line and empty rows are something, though nothing is in them.
    let to_end = op == Op::Change && pieces.iter().any(|piece| piece.goal == Some(Column(usize::MAX)));
    let rows = pieces[0].shape == Shape::Block && (pieces[0].spans.len() > 1 || op == Op::Change);
    let nothing = bare || content.texts.iter().all(String::is_empty) && !to_end && !rows;
    (!nothing || op == Op::Yank).then_some((content, taken))
}

/// What an operator came to becomes the text's.
fn finish(
    cx: &mut Cx<'_>,
    op: Op,
    pieces: &[Piece],
    register: Option<char>,
    taken: Option<(Content, Taken)>,
    edit: Option<Transaction>,
) {
    if let Some((content, taken)) = taken {
        registers::write(cx, register, content, taken);
    }
    if cx.state.modal.mode.is_visual() {
        cx.state.modal.mode = Mode::Normal;
        cx.state.modal.visual = Visual::default();
    }
    // The step begins where the operator does, which is where undo comes back to.
    let starts: Vec<Range> = pieces.iter().map(|piece| Range::cursor(step_start(cx, op, piece))).collect();
    cursors::set(cx, Selection::new(starts, 0));
    let Some(edit) = edit else {
        if let Some(buffer) = cx.state.buffers.current_mut() {
            let first = pieces[0].spans[0].start;
            let stop = pieces.last().map_or(pieces[0].start, |p| p.spans[p.spans.len() - 1].end);
            let last = buffer.area.text().prev_grapheme(stop).max(first);
            let places = buffer.area.document.places_mut();
            places.set_mark('[', first);
            places.set_mark(']', last);
        }
        return;
    };
    let applied = change(cx, |_, _| edit);
    if op == Op::Delete && pieces[0].shape == Shape::Chars {
        go_on_behind(cx, pieces[0].start);
    }
    if applied && op == Op::Change {
        let block = typing::block::instead(cx, &pieces[0]);
        let version = cx.state.buffers.current().map(|buffer| buffer.area.document.version());
        let indented = version.filter(|_| pieces[0].shape == Shape::Lines);
        typing::insert::begin(cx, Typing { block, indented, times: 1, ..Typing::default() });
    }
}

/// Where typing goes on after this command: behind the last character, if what stood there is gone.
fn go_on_behind(cx: &mut Cx<'_>, start: Byte) {
    let tab_width = cx.state.tab_width();
    let (Some(buffer), Some(once)) = (cx.state.buffers.current(), &mut cx.state.modal.typing.once) else {
        return;
    };
    let page = Page::new(buffer.area.text(), tab_width);
    if page.at_end(start) {
        *once = Once { at_end: true, line: page.line(start).0, ..*once };
    }
}

/// Where the step of an operator begins: of lines that are typed anew at the second one.
fn step_start(cx: &Cx<'_>, op: Op, piece: &Piece) -> Byte {
    let Some(buffer) = cx.state.buffers.current().filter(|_| op == Op::Change && piece.shape == Shape::Lines)
    else {
        return piece.start;
    };
    let page = Page::new(buffer.area.text(), cx.state.tab_width());
    let (first, span) = (page.line(piece.start), &piece.spans[0]);
    let second = Line(first.0 + 1);
    if second > page.last_line() || page.start(second) >= span.end {
        return piece.start;
    }
    let along = piece.start - page.start(first);
    page.rest((page.start(second) + along).min(page.end(second)))
}

/// Lets the cursors go on aiming at columns.
fn aim(cx: &mut Cx<'_>, goals: &[Column]) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let ranges = buffer.area.selection.ranges();
    if ranges.len() == goals.len() {
        let aiming = |(range, goal): (&Range, &Column)| Range { goal: Some(*goal), ..*range };
        let aimed = ranges.iter().zip(goals).map(aiming).collect();
        buffer.area.selection = Selection::new(aimed, buffer.area.selection.primary_index());
    }
}

/// The columns that cursors aim at, in the order of pieces.
fn goals(page: Page<'_>, op: Op, ranges: &[Range], pieces: &[Piece]) -> Vec<Column> {
    let shifts = matches!(op, Op::Indent | Op::Dedent);
    let goal = |(n, piece): (usize, &Piece)| {
        let Some(range) = ranges.get(n) else { return page.column(piece.start) };
        piece
            .goal
            .filter(|_| shifts && (piece.shape == Shape::Chars || piece.widened))
            .unwrap_or_else(|| page.aimed(range))
    };
    pieces.iter().enumerate().map(goal).collect()
}

/// What operators on lines have to know of the file and its project.
struct Lines {
    wrap: usize,
    tab_width: usize,
    signs: Option<Signs>,
    columns: usize,
    by_tabs: Option<bool>,
    unit: String,
    tree: Option<Arc<Syntax>>,
}

impl Lines {
    /// Asks for it; nothing where comments are to be made and nobody knows how.
    fn find(cx: &mut Cx<'_>, op: Op, stops: Option<usize>) -> Option<Self> {
        let signs = if op == Op::Comment { Some(signs(cx)?) } else { signs(cx) };
        let (indent, by_tabs) = cx.state.indentation();
        let reindents = op == Op::Reindent;
        let tree = reindents.then(|| cx.state.tree_now()).flatten();
        Some(Self {
            wrap: cx.state.wrap_column(),
            tab_width: cx.state.tab_width(),
            signs,
            columns: stops.unwrap_or(1) * indent,
            by_tabs,
            unit: if reindents { cx.state.line_style().unit } else { String::new() },
            tree: tree.filter(|tree| tree.knows_indents()),
        })
    }

    /// What an operator makes of what it took; nothing where it only looks.
    fn edit(&self, page: Page<'_>, op: Op, pieces: &[Piece], goals: &[Column]) -> Option<Transaction> {
        let hard = || self.by_tabs.unwrap_or_else(|| indents_by_tabs(page.text));
        Some(match op {
            Op::Yank => return None,
            Op::Delete => operate::delete(page, pieces, goals),
            Op::Change => operate::empty(page, pieces),
            Op::Letters(letters) => operate::letters(page, pieces, letters),
            Op::Indent => operate::shift(page, pieces, self.columns, false, hard(), goals),
            Op::Dedent => operate::shift(page, pieces, self.columns, true, hard(), goals),
            Op::Reindent => self.reindent(page, pieces, hard),
            Op::Format => {
                let edit =
                    reflow::reflow(page.text, &covering(pieces), self.wrap, self.tab_width, self.signs);
                last_lines(page.text, edit, self.tab_width)
            }
            Op::Comment => {
                let edit = comment::toggle_lines(page.text, &covering(pieces), self.signs?);
                let starts = pieces.iter().map(|piece| Range::cursor(piece.start)).collect();
                let selection = Selection::new(starts, 0).map(&edit.changes);
                edit.select(selection)
            }
        })
    }

    /// Indents lines as the code says, or as those before them are where it says nothing.
    fn reindent(&self, page: Page<'_>, pieces: &[Piece], hard: impl Fn() -> bool) -> Transaction {
        let Some(tree) = &self.tree else { return operate::reindent(page, pieces, hard()) };
        let all = covering(pieces);
        let lines = touched_lines(page.text, &all);
        let edit = indent::reindent(page.text, &all, lines, &self.unit, |line| tree.of(page.text, line));
        let mut after = page.text.clone();
        edit.changes.apply(&mut after);
        let start = |piece: &Piece| Range::cursor(motion::indent_end(&after, page.line(piece.start)));
        edit.select(Selection::new(pieces.iter().map(start).collect(), 0))
    }
}

fn covering(pieces: &[Piece]) -> Selection {
    let range = |piece: &Piece| {
        let end = piece.spans.last().map_or(piece.start, |span| span.end);
        Range::new(piece.spans[0].start, end)
    };
    Selection::new(pieces.iter().map(range).collect(), 0)
}

/// The cursor goes to the last line of what was broken anew.
fn last_lines(text: &Text, edit: Transaction, tab_width: usize) -> Transaction {
    let mut after = text.clone();
    edit.changes.apply(&mut after);
    let page = Page::new(&after, tab_width);
    let selection = edit.selection.clone().unwrap_or_else(|| Selection::cursor(page.last()));
    let ends = selection.transform(|range| {
        let end = if range.is_empty() { range.head } else { after.prev_grapheme(range.end()) };
        Range::cursor(page.first_non_blank(page.line(end)))
    });
    edit.select(ends)
}
