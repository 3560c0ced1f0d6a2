//! Operators: what waits for a motion, and what it does to what it gets.

use super::{cursors, typing, visual};
use crate::ide::commands::Cx;
use crate::ide::commands::edit::{self, signs};
use crate::ide::commands::registers;
use crate::ide::state::damage::Part;
use crate::ide::state::modal::{Mode, Op, Typing, Visual, Waiting};
use crate::text::comment;
use crate::text::content::Shape;
use crate::text::edit::{indents_by_tabs, touched_lines};
use crate::text::indent::{self, Levels};
use crate::text::modal::operate;
use crate::text::modal::page::Page;
use crate::text::modal::spans::{self, Forced, Piece};
use crate::text::motion;
use crate::text::position::{Column, Line};
use crate::text::reflow;
use crate::text::registers::Taken;
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
        spans::lines(page, first, Line(last.min(page.last_line().0)), range.head)
    };
    let pieces: Vec<Piece> = buffer.area.selection.ranges().iter().map(line).collect();
    apply(cx, op, &pieces);
}

/// Edits through `make`, then puts the cursors at rest.
pub fn change(cx: &mut Cx<'_>, make: impl FnOnce(Page<'_>, &Selection) -> Transaction) -> bool {
    let tab_width = cx.state.tab_width();
    cx.state.modal.changed = true;
    edit::apply(cx, |text, selection| make(Page::new(text, tab_width), selection))
}

/// Does what an operator does.
pub fn apply(cx: &mut Cx<'_>, op: Op, pieces: &[Piece]) {
    let name = cx.state.modal.register.take();
    let was_visual = cx.state.modal.mode.is_visual();
    let used = cx.state.modal.used_count;
    cx.state.modal.operator = None;
    if pieces.is_empty() {
        return;
    }
    let Some(buffer) = cx.state.buffers.current() else { return };
    if let Some(reason) = buffer.read_only().filter(|_| op != Op::Yank) {
        cursors::fail(cx);
        return cx.state.fail(reason);
    }
    let page = Page::new(buffer.area.text(), cx.state.tab_width());
    let far = std::mem::take(&mut cx.state.modal.far);
    let visual_ranges = &cx.state.modal.visual.ranges;
    let ranges = if was_visual { visual_ranges.as_slice() } else { buffer.area.selection.ranges() };
    let goals = goals(page, ranges, pieces);
    let stop = pieces.last().map_or(pieces[0].start, |p| p.spans[p.spans.len() - 1].end);
    let last = page.text.prev_grapheme(stop).max(pieces[0].spans[0].start);
    let block = pieces[0].shape == Shape::Block;
    let starts: Vec<Range> = pieces.iter().map(|piece| Range::cursor(piece.start)).collect();
    if matches!(op, Op::Delete | Op::Yank | Op::Change) {
        let content = spans::content(page, pieces);
        let several = |piece: &Piece| page.line(piece.spans[0].start) != page.line(piece.spans[0].end);
        let cut = pieces[0].shape == Shape::Lines
            || block && pieces[0].spans.len() > 1
            || pieces.iter().any(several);
        let taken = match op {
            Op::Yank => Taken::Copied,
            _ if cut => Taken::Cut,
            _ if far && !was_visual => Taken::CutFar,
            _ => Taken::CutSmall,
        };
        let nothing = content.texts.iter().all(String::is_empty);
        if !nothing || op == Op::Yank {
            registers::write(cx, name, content, taken);
        }
    }
    let first = pieces[0].spans[0].start;

    if was_visual {
        cx.state.modal.mode = Mode::Normal;
        cx.state.modal.visual = Visual::default();
    }
    // The step begins where the operator does, which is where undo comes back to.
    cursors::set(cx, Selection::new(starts, 0));
    match op {
        Op::Yank => {
            if let Some(buffer) = cx.state.buffers.current_mut() {
                let places = buffer.area.document.places_mut();
                places.set_mark('[', first);
                places.set_mark(']', last);
            }
        }
        Op::Delete => {
            change(cx, |page, _| operate::delete(page, pieces, &goals));
        }
        Op::Change => {
            if change(cx, |page, _| operate::empty(page, pieces)) {
                let indented = pieces[0].shape == Shape::Lines;
                let block = block.then_some(None);
                typing::begin(cx, Typing { block, indented, times: 1, ..Typing::default() });
            }
        }
        other => {
            change_lines(cx, other, pieces, &goals, used.filter(|_| was_visual));
        }
    }
}

/// The columns that cursors aim at, in the order of pieces.
fn goals(page: Page<'_>, ranges: &[Range], pieces: &[Piece]) -> Vec<Column> {
    let goal = |(n, piece): (usize, &Piece)| {
        let Some(range) = ranges.get(n) else { return page.column(piece.start) };
        range.goal.unwrap_or_else(|| page.column(range.head))
    };
    pieces.iter().enumerate().map(goal).collect()
}

fn change_lines(cx: &mut Cx<'_>, op: Op, pieces: &[Piece], goals: &[Column], stops: Option<usize>) {
    let (wrap, tab_width) = (cx.state.wrap_column(), cx.state.tab_width());
    let signs = signs(cx);
    let (indent, by_tabs) = cx.state.indentation();
    let columns = stops.unwrap_or(1) * indent;
    let hard = |page: Page<'_>| by_tabs.unwrap_or_else(|| indents_by_tabs(page.text));
    match op {
        Op::Letters(letters) => change(cx, |page, _| operate::letters(page, pieces, letters)),
        Op::Indent => change(cx, |page, _| operate::shift(page, pieces, columns, false, hard(page), goals)),
        Op::Dedent => change(cx, |page, _| operate::shift(page, pieces, columns, true, hard(page), goals)),
        Op::Reindent => reindent(cx, pieces, &hard),
        Op::Format => change(cx, |page, _| {
            let edit = reflow::reflow(page.text, &covering(pieces), wrap, tab_width, signs);
            last_lines(page.text, edit, tab_width)
        }),
        Op::Comment => {
            if let Some(signs) = signs {
                change(cx, |page, _| {
                    let edit = comment::toggle_lines(page.text, &covering(pieces), signs);
                    let starts = pieces.iter().map(|piece| Range::cursor(piece.start)).collect();
                    let selection = Selection::new(starts, 0).map(&edit.changes);
                    edit.select(selection)
                })
            } else {
                cx.state.say("how comments are written here is not known");
                false
            }
        }
        Op::Delete | Op::Yank | Op::Change => false,
    };
}

/// Indents lines as the code says, or as those before them are where it says nothing.
fn reindent(cx: &mut Cx<'_>, pieces: &[Piece], hard: &dyn Fn(Page<'_>) -> bool) -> bool {
    let Some(tree) = cx.state.tree_now().filter(|tree| tree.knows_indents()) else {
        return change(cx, |page, _| operate::reindent(page, pieces, hard(page)));
    };
    let unit = cx.state.line_style().unit;
    change(cx, |page, _| {
        let all = covering(pieces);
        let lines = touched_lines(page.text, &all);
        let edit = indent::reindent(page.text, &all, lines, &unit, |line| tree.of(page.text, line));
        let mut after = page.text.clone();
        edit.changes.apply(&mut after);
        let start = |piece: &Piece| Range::cursor(motion::indent_end(&after, page.line(piece.start)));
        edit.select(Selection::new(pieces.iter().map(start).collect(), 0))
    })
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
