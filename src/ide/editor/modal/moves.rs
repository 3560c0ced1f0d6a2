//! Motions and text objects: they move cursors, extend selections, or give a waiting operator its range.

use std::sync::Arc;

use crate::ide::core::context::Cx;
use crate::ide::core::keys::modal::{InsertNormal, Mode, Op, PendingOperator};
use crate::ide::editor::modal::cursors::{fail_motion, set_selection};
use crate::ide::editor::modal::{operators, visual};
use crate::syntax::Syntax;
use crate::syntax::structure::objects::SyntaxObject as Node;
use crate::text::modal::motion::modal_text::{CharClass, ModalText};
use crate::text::modal::motion::motion_target::{Extent, MotionTarget};
use crate::text::modal::motion::motions::{self, Move};
use crate::text::modal::motion::words;
use crate::text::modal::objects::{self, SelectedRange, TextObject};
use crate::text::modal::operator::spans;
use crate::text::position::{Byte, Column};
use crate::text::selection::{Range, Selection};

/// Applies a motion to every cursor.
pub fn move_cursors(cx: &mut Cx<'_>, motion: Move) {
    if let Move::Find(find, false) = motion {
        cx.state.modal.find = Some(find);
    }
    if let (Move::LineHere, Some(waiting @ PendingOperator { forced: None, .. })) =
        (motion, cx.state.modal.operator)
    {
        return operators::operate_on_whole_lines(cx, waiting.op);
    }
    let far = matches!(
        motion,
        Move::Top
            | Move::Bottom
            | Move::Match
            | Move::Paragraph
            | Move::ParagraphBack
            | Move::Sentence
            | Move::SentenceBack
    );
    cx.state.modal.is_far_motion = far && !matches!(motion, Move::Top | Move::Bottom);
    if far && cx.state.modal.operator.is_none() && !cx.state.modal.mode.is_visual() {
        cx.state.note_jump();
    }
    let op = cx.state.modal.operator.map(|waiting| waiting.op);
    let count = cx.state.modal.take_count();
    let from_end = matches!(motion, Move::LineEnd);
    if from_end && let Some(once) = &mut cx.state.modal.typing.once {
        // Typing continues at the end of that line.
        let buffer = cx.state.buffers.current();
        let line = buffer.map_or(0, |buffer| buffer.area.text().line_of(buffer.area.caret()).0);
        *once = InsertNormal { at_end: true, line, ..*once };
    }
    apply_motion(cx, |page, range| {
        if let (Some(Op::Change), Move::Word(big)) = (op, motion)
            && page.class(range.head, big) != CharClass::Blank
        {
            let to = words::end(page, range.head, count.unwrap_or(1), big, true);
            return Some(MotionTarget::new(to.unwrap_or_else(|at| at), Extent::Inclusive));
        }
        if op.is_some() && from_end && page.is_empty_line(page.line(range.head)) && count.is_none() {
            // On an empty line the range is the empty rest of it.
            return Some(MotionTarget::new(range.head, Extent::Exclusive).with_goal(Column(usize::MAX)));
        }
        // Only deleting operators include the end of the line before.
        let operator = op.is_some_and(|op| motion != Move::Backward || matches!(op, Op::Delete | Op::Change));
        let vertical = matches!(motion, Move::Down | Move::Up | Move::Top | Move::Bottom | Move::Match);
        let goal = if vertical { Some(page.goal_column(range)) } else { range.goal };
        let landing = motions::motion_target(page, range.head, goal, motion, count, operator);
        // A selection ends on the last character of the text, not after it.
        let last = |landing: MotionTarget| match motion {
            Move::Paragraph if op.is_none() && landing.to == page.last() => {
                MotionTarget { to: page.last_of(page.last_line()), ..landing }
            }
            _ => landing,
        };
        let landing = landing.map(last);
        let stays = motion == Move::Backward && op.is_some();
        landing.or(stays.then(|| MotionTarget::new(range.head, Extent::Exclusive)))
    });
}

/// Moves every cursor to the position returned by `find`, or gives the waiting operator the range to it.
pub fn apply_motion(cx: &mut Cx<'_>, find: impl Fn(ModalText<'_>, &Range) -> Option<MotionTarget>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let text = buffer.area.text().clone();
    let page = visual::page(cx, &text);
    if let Some(waiting) = cx.state.modal.operator {
        return operate_on_motion(cx, page, waiting, find);
    }
    if cx.state.modal.mode.is_visual() {
        return extend_selections(cx, page, find);
    }
    let mut moved = false;
    let selection = buffer.area.selection.transform(|range| match find(page, &range) {
        Some(landing) => {
            moved |= !landing.is_partial;
            Range { goal: landing.goal, ..Range::cursor(page.cursor_position(landing.to)) }
        }
        None => range,
    });
    if !moved {
        fail_motion(cx);
    }
    set_selection(cx, selection);
}

/// Runs the waiting operator on what lies between every cursor and its landing. If no motion is possible in
/// full, the cursors move as far as they can.
fn operate_on_motion(
    cx: &mut Cx<'_>,
    page: ModalText<'_>,
    waiting: PendingOperator,
    find: impl Fn(ModalText<'_>, &Range) -> Option<MotionTarget>,
) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let deletes = waiting.op == Op::Delete;
    let span = |range: &Range| {
        let landing = find(page, range).filter(|landing| !landing.is_partial)?;
        Some(spans::motion_span(page, range.head, &landing, waiting.forced, deletes))
    };
    let pieces: Vec<_> = buffer.area.selection.ranges().iter().filter_map(span).collect();
    if pieces.is_empty() {
        let as_far = |range| {
            find(page, &range).map_or(range, |landing| Range::cursor(page.cursor_position(landing.to)))
        };
        let selection = buffer.area.selection.transform(as_far);
        set_selection(cx, selection);
        return fail_motion(cx);
    }
    operators::apply(cx, waiting.op, &pieces);
}

/// Extends every visual selection to its landing, or selects the text object that was found.
fn extend_selections(
    cx: &mut Cx<'_>,
    page: ModalText<'_>,
    find: impl Fn(ModalText<'_>, &Range) -> Option<MotionTarget>,
) {
    let mut moved = false;
    let mut ranges = cx.state.modal.visual.ranges.clone();
    let (mut to_end, mut short) = (false, false);
    for range in &mut ranges {
        let Some(landing) = find(page, range) else { continue };
        moved = true;
        short |= landing.is_partial;
        to_end = landing.goal == Some(Column(usize::MAX));
        if let Some(from) = landing.from {
            let anchor = range.anchor;
            *range = object_range(page, from, &landing);
            if landing.extent == Extent::Lines && page.line(anchor) == page.line(range.anchor) {
                range.anchor = anchor;
            }
        } else {
            *range = Range { anchor: range.anchor, head: landing.to, goal: landing.goal };
        }
    }
    if !moved {
        return fail_motion(cx);
    }
    cx.state.modal.visual.ranges = ranges;
    // The rows of a rectangle extend to their ends while its corner has that goal.
    cx.state.modal.visual.to_end = to_end;
    if short {
        fail_motion(cx);
    }
    visual::show_selection(cx);
}

/// Returns a text object as a selection with both ends on characters.
fn object_range(page: ModalText<'_>, from: Byte, landing: &MotionTarget) -> Range {
    let last = match landing.extent {
        Extent::Exclusive if landing.to > from => {
            let line = page.line(landing.to);
            let whole = from == page.start_of(from);
            if landing.to == page.start(line) && line.0 > 0 && whole {
                page.end(crate::text::position::Line(line.0 - 1))
            } else if landing.to == page.start(line) && line.0 > 0 {
                page.last_of(crate::text::position::Line(line.0 - 1))
            } else {
                page.back(landing.to).1
            }
        }
        _ => landing.to,
    };
    Range::new(from, last)
}

/// Moves the primary cursor to a position, or gives the waiting operator the range to it.
pub fn go_to(cx: &mut Cx<'_>, at: Byte, extent: Extent) {
    if cx.state.modal.operator.is_none() && !cx.state.modal.mode.is_visual() {
        let Some(buffer) = cx.state.buffers.current() else { return };
        let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
        let at = page.cursor_position(at);
        return set_selection(cx, Selection::cursor(at));
    }
    apply_motion(cx, |_, _| Some(MotionTarget::new(at, extent)));
}

/// Returns the mode of a selection that was extended by a text object.
fn mode_of(mode: Mode, object: TextObject, taken: SelectedRange, page: ModalText<'_>) -> Mode {
    let one_line = page.line(taken.anchor) == page.line(taken.head);
    match object {
        TextObject::Paragraph if one_line => Mode::VisualLine,
        TextObject::Paragraph => mode,
        TextObject::Sentence if taken.anchor != taken.head => mode,
        TextObject::Word(_) | TextObject::Quotes(_) if mode == Mode::VisualBlock => mode,
        _ => Mode::Visual,
    }
}

/// Selects a text object, or gives it to the waiting operator.
pub fn object(cx: &mut Cx<'_>, object: TextObject, outer: bool) {
    let count = cx.state.modal.take_count().unwrap_or(1);
    let mode = cx.state.modal.mode;
    let (visual, lines) = (mode.is_visual(), mode == Mode::VisualLine);
    let taken = |range: &Range| {
        let anchor = if visual { range.anchor } else { range.head };
        SelectedRange { anchor, head: range.head, visual, lines }
    };
    let failed = std::mem::take(&mut cx.state.modal.failed);
    if let (Some(buffer), Some(first), true) =
        (cx.state.buffers.current(), cx.state.modal.visual.ranges.first(), visual)
    {
        let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
        cx.state.modal.mode = mode_of(mode, object, taken(first), page);
    }
    apply_motion(cx, |page, range| {
        objects::around(ModalText { can_rest_at_end: false, ..page }, taken(range), object, outer, count)
    });
    if visual && cx.state.modal.failed {
        // If there is no such object the selection is unchanged.
        cx.state.modal.mode = mode;
        visual::show_selection(cx);
    }
    cx.state.modal.failed |= failed;
}

/// Repeats the search for a character in the line, in the other direction if `back`.
pub fn repeat_find(cx: &mut Cx<'_>, back: bool) {
    let Some(mut find) = cx.state.modal.find else { return fail_motion(cx) };
    find.forward ^= back;
    move_cursors(cx, Move::Find(find, true));
}

/// Goes to the first, middle or last line of the screen.
pub fn screen_line(cx: &mut Cx<'_>, column: Column) {
    let rows = cx.state.areas.editor.map_or(1, |area| usize::from(area.height));
    let count = cx.state.modal.take_count().unwrap_or(1);
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let (top, last) = (page.line(buffer.area.per_view.view.top).0, page.last_line().0);
    let bottom = (top + rows - 1).min(last);
    let line = match column.0 {
        0 => (top + count - 1).min(bottom),
        1 => top + (bottom - top) / 2,
        _ => bottom.saturating_sub(count - 1).max(top),
    };
    let at = page.first_non_blank(crate::text::position::Line(line));
    if cx.state.modal.operator.is_none() && !cx.state.modal.mode.is_visual() {
        cx.state.note_jump();
    }
    go_to(cx, at, Extent::Lines);
}

/// Selects a syntax node, or gives it to the waiting operator.
pub fn syntax_object(cx: &mut Cx<'_>, object: Node, outer: bool) {
    cx.state.modal.take_count();
    let Some(syntax) = tree(cx) else { return };
    let visual = cx.state.modal.mode.is_visual();
    apply_motion(cx, |page, range| {
        let taken = if visual && range.anchor != range.head {
            range.start()..page.next(range.end()).1
        } else {
            range.head..range.head
        };
        let found = syntax.object(page.text, &taken, object, outer)?;
        Some(MotionTarget::object(found.start, found.end, Extent::Exclusive))
    });
}

/// Goes to the start of the next or the previous syntax node of a kind.
pub fn syntax_move(cx: &mut Cx<'_>, object: Node, forward: bool) {
    let count = cx.state.modal.take_count().unwrap_or(1);
    let Some(syntax) = tree(cx) else { return };
    if cx.state.modal.operator.is_none() && !cx.state.modal.mode.is_visual() {
        cx.state.note_jump();
    }
    apply_motion(cx, |page, range| {
        let step = |at: &Byte| syntax.next_object(page.text, *at, object, forward).map(|found| found.start);
        let to = std::iter::successors(Some(range.head), step).take(count + 1).last()?;
        (to != range.head).then(|| MotionTarget::new(to, Extent::Exclusive))
    });
}

fn tree(cx: &mut Cx<'_>) -> Option<Arc<Syntax>> {
    let tree = cx.state.tree_now();
    if tree.is_none() {
        fail_motion(cx);
        cx.state.set_status("This file is not parsed, or not yet");
    }
    tree
}
