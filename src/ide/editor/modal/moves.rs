//! Motions and text objects: they move cursors, extend selections, or tell an operator that
//! waits what to take.

use std::sync::Arc;

use crate::ide::core::context::Cx;
use crate::ide::core::keys::modal::{Mode, Once, Op, Waiting};
use crate::ide::editor::modal::cursors::{fail, set};
use crate::ide::editor::modal::{operators, visual};
use crate::syntax::Syntax;
use crate::syntax::structure::objects::Object as Node;
use crate::text::modal::motion::landing::{Extent, Landing};
use crate::text::modal::motion::motions::{self, Move};
use crate::text::modal::motion::page::{Class, Page};
use crate::text::modal::motion::words;
use crate::text::modal::objects::{self, Held, Object};
use crate::text::modal::operator::spans;
use crate::text::position::{Byte, Column};
use crate::text::selection::{Range, Selection};

/// Makes a motion from every cursor.
pub fn go(cx: &mut Cx<'_>, motion: Move) {
    if let Move::Find(find, false) = motion {
        cx.state.modal.find = Some(find);
    }
    if let (Move::LineHere, Some(waiting @ Waiting { forced: None, .. })) = (motion, cx.state.modal.operator)
    {
        return operators::whole_lines(cx, waiting.op);
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
    cx.state.modal.far = far && !matches!(motion, Move::Top | Move::Bottom);
    if far && cx.state.modal.operator.is_none() && !cx.state.modal.mode.is_visual() {
        cx.state.note_jump();
    }
    let op = cx.state.modal.operator.map(|waiting| waiting.op);
    let count = cx.state.modal.take_count();
    let from_end = matches!(motion, Move::LineEnd);
    if from_end && let Some(once) = &mut cx.state.modal.typing.once {
        // Typing goes on at the end of that line.
        let buffer = cx.state.buffers.current();
        let line = buffer.map_or(0, |buffer| buffer.area.text().line_of(buffer.area.caret()).0);
        *once = Once { at_end: true, line, ..*once };
    }
    land(cx, |page, range| {
        if let (Some(Op::Change), Move::Word(big)) = (op, motion)
            && page.class(range.head, big) != Class::Blank
        {
            let to = words::end(page, range.head, count.unwrap_or(1), big, true);
            return Some(Landing::new(to.unwrap_or_else(|at| at), Extent::Inclusive));
        }
        if op.is_some() && from_end && page.is_empty_line(page.line(range.head)) && count.is_none() {
            // Of an empty line the empty rest is taken.
            return Some(Landing::new(range.head, Extent::Exclusive).aiming(Column(usize::MAX)));
        }
        // Only what deletes takes the end of the line before.
        let operator = op.is_some_and(|op| motion != Move::Back || matches!(op, Op::Delete | Op::Change));
        let vertical = matches!(motion, Move::Down | Move::Up | Move::Top | Move::Bottom | Move::Match);
        let goal = if vertical { Some(page.aimed(range)) } else { range.goal };
        let landing = motions::land(page, range.head, goal, motion, count, operator);
        // A selection ends on the last character of the text, not behind it.
        let last = |landing: Landing| match motion {
            Move::Paragraph if op.is_none() && landing.to == page.last() => {
                Landing { to: page.last_of(page.last_line()), ..landing }
            }
            _ => landing,
        };
        let landing = landing.map(last);
        let stays = motion == Move::Back && op.is_some();
        landing.or(stays.then(|| Landing::new(range.head, Extent::Exclusive)))
    });
}

/// Takes every cursor to where `find` says, or gives the way there to the operator that waits.
pub fn land(cx: &mut Cx<'_>, find: impl Fn(Page<'_>, &Range) -> Option<Landing>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let text = buffer.area.text().clone();
    let page = visual::page(cx, &text);
    if let Some(waiting) = cx.state.modal.operator {
        let cursors = buffer.area.selection.ranges().to_vec();
        let deletes = waiting.op == Op::Delete;
        let way = |range: &Range| {
            let landing = find(page, range).filter(|landing| !landing.fails)?;
            Some(spans::way(page, range.head, &landing, waiting.forced, deletes))
        };
        let pieces: Vec<_> = cursors.iter().filter_map(way).collect();
        if pieces.is_empty() {
            let as_far =
                |range| find(page, &range).map_or(range, |landing| Range::cursor(page.rest(landing.to)));
            let selection = buffer.area.selection.transform(as_far);
            set(cx, selection);
            return fail(cx);
        }
        return operators::apply(cx, waiting.op, &pieces);
    }
    if cx.state.modal.mode.is_visual() {
        let mut moved = false;
        let mut ranges = cx.state.modal.visual.ranges.clone();
        let (mut to_end, mut short) = (false, false);
        for range in &mut ranges {
            let Some(landing) = find(page, range) else { continue };
            moved = true;
            short |= landing.fails;
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
            return fail(cx);
        }
        cx.state.modal.visual.ranges = ranges;
        // The rows of a rectangle go to their ends while its corner aims there.
        cx.state.modal.visual.to_end = to_end;
        if short {
            fail(cx);
        }
        return visual::show(cx);
    }
    let mut moved = false;
    let selection = buffer.area.selection.transform(|range| match find(page, &range) {
        Some(landing) => {
            moved |= !landing.fails;
            Range { goal: landing.goal, ..Range::cursor(page.rest(landing.to)) }
        }
        None => range,
    });
    if !moved {
        fail(cx);
    }
    set(cx, selection);
}

/// A thing as a selection whose both ends are on characters.
fn object_range(page: Page<'_>, from: Byte, landing: &Landing) -> Range {
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

/// Takes the main cursor to a place, or gives the way there to the operator that waits.
pub fn go_to(cx: &mut Cx<'_>, at: Byte, extent: Extent) {
    if cx.state.modal.operator.is_none() && !cx.state.modal.mode.is_visual() {
        let Some(buffer) = cx.state.buffers.current() else { return };
        let page = Page::new(buffer.area.text(), cx.state.tab_width());
        let at = page.rest(at);
        return set(cx, Selection::cursor(at));
    }
    land(cx, |_, _| Some(Landing::new(at, extent)));
}

/// The mode of a selection that was extended by a thing.
fn mode_of(mode: Mode, object: Object, taken: Held, page: Page<'_>) -> Mode {
    let one_line = page.line(taken.anchor) == page.line(taken.head);
    match object {
        Object::Paragraph if one_line => Mode::VisualLine,
        Object::Paragraph => mode,
        Object::Sentence if taken.anchor != taken.head => mode,
        Object::Word(_) | Object::Quotes(_) if mode == Mode::VisualBlock => mode,
        _ => Mode::Visual,
    }
}

/// Selects a thing, or gives it to the operator that waits.
pub fn object(cx: &mut Cx<'_>, object: Object, outer: bool) {
    let count = cx.state.modal.take_count().unwrap_or(1);
    let mode = cx.state.modal.mode;
    let (visual, lines) = (mode.is_visual(), mode == Mode::VisualLine);
    let taken = |range: &Range| {
        let anchor = if visual { range.anchor } else { range.head };
        Held { anchor, head: range.head, visual, lines }
    };
    let failed = std::mem::take(&mut cx.state.modal.failed);
    if let (Some(buffer), Some(first), true) =
        (cx.state.buffers.current(), cx.state.modal.visual.ranges.first(), visual)
    {
        let page = Page::new(buffer.area.text(), cx.state.tab_width());
        cx.state.modal.mode = mode_of(mode, object, taken(first), page);
    }
    land(cx, |page, range| objects::around(Page { past: false, ..page }, taken(range), object, outer, count));
    if visual && cx.state.modal.failed {
        // What there is none of leaves the selection as it was.
        cx.state.modal.mode = mode;
        visual::show(cx);
    }
    cx.state.modal.failed |= failed;
}

/// The search for a character in the line again; the other way when `back`.
pub fn find_again(cx: &mut Cx<'_>, back: bool) {
    let Some(mut find) = cx.state.modal.find else { return fail(cx) };
    find.forward ^= back;
    go(cx, Move::Find(find, true));
}

/// To a line of the screen: the first one, the middle one, the last one.
pub fn screen_line(cx: &mut Cx<'_>, place: Column) {
    let rows = cx.state.areas.editor.map_or(1, |area| usize::from(area.height));
    let count = cx.state.modal.take_count().unwrap_or(1);
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = Page::new(buffer.area.text(), cx.state.tab_width());
    let (top, last) = (page.line(buffer.area.per_view.view.top).0, page.last_line().0);
    let bottom = (top + rows - 1).min(last);
    let line = match place.0 {
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

/// Selects a part of the code by its tree, or gives it to the operator that waits.
pub fn syntax_object(cx: &mut Cx<'_>, object: Node, outer: bool) {
    cx.state.modal.take_count();
    let Some(syntax) = tree(cx) else { return };
    let visual = cx.state.modal.mode.is_visual();
    land(cx, |page, range| {
        let taken = if visual && range.anchor != range.head {
            range.start()..page.next(range.end()).1
        } else {
            range.head..range.head
        };
        let found = syntax.object(page.text, &taken, object, outer)?;
        Some(Landing::object(found.start, found.end, Extent::Exclusive))
    });
}

/// To the start of the next part of the code of a kind, or of the one before.
pub fn syntax_move(cx: &mut Cx<'_>, object: Node, forward: bool) {
    let count = cx.state.modal.take_count().unwrap_or(1);
    let Some(syntax) = tree(cx) else { return };
    if cx.state.modal.operator.is_none() && !cx.state.modal.mode.is_visual() {
        cx.state.note_jump();
    }
    land(cx, |page, range| {
        let step = |at: &Byte| syntax.next(page.text, *at, object, forward).map(|found| found.start);
        let to = std::iter::successors(Some(range.head), step).take(count + 1).last()?;
        (to != range.head).then(|| Landing::new(to, Extent::Exclusive))
    });
}

fn tree(cx: &mut Cx<'_>) -> Option<Arc<Syntax>> {
    let tree = cx.state.tree_now();
    if tree.is_none() {
        fail(cx);
        cx.state.say("This file is not parsed, or not yet");
    }
    tree
}
