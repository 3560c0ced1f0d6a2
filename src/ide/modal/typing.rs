//! Typing: how it begins and what its end brings about.

use super::{cursors, visual};
use crate::ide::commands::Cx;
use crate::ide::commands::{edit, indenting};
use crate::ide::effect::Effect;
use crate::ide::keys::Modes;
use crate::ide::state::damage::Part;
use crate::ide::state::modal::{Mode, Once, Typing, Visual};
use crate::text::changes::{ChangeSet, Side};
use crate::text::lines;
use crate::text::modal::page::Page;
use crate::text::modal::{replace, spans};
use crate::text::motion;
use crate::text::places::Name;
use crate::text::position::{Byte, Column, Line};
use crate::text::selection::{Range, Selection};
use crate::text::transaction::{Grouping, Transaction};
use crate::tui::input::{Key, KeyCode, Mods};

/// Where typing begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// At the cursor.
    Here,
    /// Behind it.
    Behind,
    /// At the first character of the line that is no white space.
    LineStart,
    /// At the end of the line.
    LineEnd,
    /// At the first column.
    FirstColumn,
    /// Where typing ended last.
    Last,
}

/// Begins to type.
pub fn begin(cx: &mut Cx<'_>, typing: Typing) {
    cx.state.modal.mode = Mode::Insert;
    cx.state.modal.operator = None;
    cx.state.modal.overtyped.clear();
    cx.state.modal.typed.clear();
    cx.state.modal.typing = typing;
    cx.state.modal.changed = true;
    if let Some(buffer) = cx.state.buffers.current_mut() {
        let at = buffer.area.selection.primary().head;
        buffer.area.document.places_mut().set(Name::Typing, at);
        buffer.area.standing = None;
    }
    cx.state.damage.add(Part::Editor);
}

/// Puts every cursor where typing is to begin, and begins.
pub fn insert(cx: &mut Cx<'_>, at: At) {
    let times = cx.state.modal.take_count().unwrap_or(1);
    cx.state.modal.register = None;
    if refused(cx) {
        return;
    }
    if cx.state.modal.mode == Mode::VisualBlock {
        return insert_block(cx, at == At::Behind || at == At::LineEnd);
    }
    let visual_mode = cx.state.modal.mode.is_visual().then_some(cx.state.modal.mode);
    if let Some(mode) = visual_mode {
        let ends = |range: &Range| match (at, mode) {
            (At::Behind | At::LineEnd, _) => range.end(),
            _ => range.start(),
        };
        let cursors = cx.state.modal.visual.ranges.iter().map(|range| Range::cursor(ends(range))).collect();
        visual::remember(cx);
        visual::end_at(cx, cursors);
    }
    let at = match (at, visual_mode) {
        (At::LineStart, Some(Mode::Visual)) => At::Here,
        (At::LineStart, Some(_)) => At::FirstColumn,
        (At::LineEnd, Some(Mode::Visual)) => At::Behind,
        (at, _) => at,
    };
    let tab_width = cx.state.tab_width();
    if let Some(buffer) = cx.state.buffers.current_mut() {
        let last = buffer.area.document.places().mark('^');
        let text = buffer.area.text().clone();
        let page = Page::new(&text, tab_width);
        buffer.area.selection = buffer.area.selection.transform(|range| {
            let line = page.line(range.head);
            Range::cursor(match at {
                At::Here => range.head,
                At::Behind => page.right(range.head),
                At::LineStart => motion::indent_end(&text, line),
                At::LineEnd => page.end(line),
                At::FirstColumn => page.start(line),
                At::Last => last.unwrap_or(range.head).min(page.last()),
            })
        });
    }
    begin(cx, Typing { times, ..Typing::default() });
}

fn refused(cx: &mut Cx<'_>) -> bool {
    let reason = cx.state.buffers.current().and_then(super::super::state::buffers::Buffer::read_only);
    if let Some(reason) = reason {
        cx.state.fail(reason);
    }
    reason.is_some()
}

/// Types into every row of a rectangle; lines that are too short are filled up behind it.
fn insert_block(cx: &mut Cx<'_>, behind: bool) {
    let tab_width = cx.state.tab_width();
    let Some(first) = cx.state.modal.visual.ranges.first().copied() else { return };
    let to_end = cx.state.modal.visual.to_end;
    visual::remember(cx);
    cx.state.modal.mode = Mode::Normal;
    cx.state.modal.visual = Visual::default();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = Page::new(buffer.area.text(), tab_width);
    let (left, right) = spans::columns(page, first.anchor, first.head);
    let (page_line, page_column) = (page.line(first.start()).0, left.0);
    let rows = spans::block(page, first.anchor, first.head, to_end).spans;
    let mut edits = Vec::new();
    let mut places = Vec::new();
    for row in rows {
        let column = if behind { right } else { left };
        let end = page.end_of(row.start);
        let reaches = page.column(end) >= column;
        if !behind && page.column(end) < column && end > page.start_of(end) || !behind && !reaches {
            continue;
        }
        if behind && !to_end && !reaches {
            edits.push((end..end, " ".repeat(column.0 - page.column(end).0)));
        }
        places.push(if behind { row.end.max(row.start) } else { row.start });
    }
    let changes = ChangeSet::replace(page.text.end().0, edits);
    let mapping = &changes;
    let cursors: Vec<Range> = places.iter().map(|at| Range::cursor(mapping.map(*at, Side::After))).collect();
    if cursors.is_empty() {
        return;
    }
    let start = Selection::cursor(first.start());
    cursors::set(cx, start);
    let selection = Selection::new(cursors, 0);
    if changes.is_identity() {
        cursors::set(cx, selection);
    } else {
        edit::apply(cx, |_, _| Transaction::new(changes).select(selection));
    }
    let start = (page_line, page_column);
    begin(cx, Typing { block: Some(Some(start)), times: 1, ..Typing::default() });
}

/// Opens a line and types there.
pub fn open(cx: &mut Cx<'_>, below: bool) {
    let times = cx.state.modal.take_count().unwrap_or(1);
    cx.state.modal.register = None;
    if refused(cx) {
        return;
    }
    open_line(cx, below);
    begin(cx, Typing { times, lines: Some(below), ..Typing::default() });
}

fn open_line(cx: &mut Cx<'_>, below: bool) {
    let tab_width = cx.state.tab_width();
    indenting::open(cx, below, |text, selection| {
        let page = Page::new(text, tab_width);
        // A line behind the last line feed is none: what is opened below the last one comes before it.
        selection.transform(|range| Range::cursor(range.head.min(page.last())))
    });
}

/// Begins to type over what is there.
pub fn overtype(cx: &mut Cx<'_>) {
    let times = cx.state.modal.take_count().unwrap_or(1);
    if refused(cx) {
        return;
    }
    begin(cx, Typing { times, ..Typing::default() });
    cx.state.modal.mode = Mode::Replace;
}

/// A character was typed over what is there.
pub fn over(cx: &mut Cx<'_>, typed: &str) {
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = Page::new(buffer.area.text(), tab_width);
    let old = |range: &Range| page.text.slice(range.head..page.right(range.head)).into_owned();
    let old: Vec<String> = buffer.area.selection.ranges().iter().map(old).collect();
    cx.state.modal.overtyped.push(if typed == "\n" { Vec::new() } else { old });
    edit::apply(cx, |text, selection| replace::overtype(Page::new(text, tab_width), selection, typed));
}

/// Takes the last overtyped character back; before those the cursor goes back only.
pub fn over_back(cx: &mut Cx<'_>) {
    let old = cx.state.modal.overtyped.pop();
    edit::apply(cx, |text, selection| {
        let mut edits = Vec::new();
        let mut cursors = Vec::new();
        for (n, range) in selection.ranges().iter().enumerate() {
            let before = text.prev_grapheme(range.head);
            cursors.push(Range::cursor(before));
            if let Some(old) = &old {
                edits.push((before..range.head, old.get(n).cloned().unwrap_or_default()));
            }
        }
        let changes = ChangeSet::replace(text.end().0, edits);
        let after = Selection::new(cursors, selection.primary_index());
        let mapping = &changes;
        let after = after.transform(|range| Range::cursor(mapping.map(range.head, Side::Before)));
        Transaction::new(changes).select(after)
    });
    if old.is_none()
        && let Some(buffer) = cx.state.buffers.current_mut()
    {
        let text = buffer.area.text().clone();
        buffer.area.selection =
            buffer.area.selection.transform(|r| Range::cursor(text.prev_grapheme(r.head)));
        cx.state.damage.add(Part::Editor);
    }
}

/// Types on after one command: behind the last character of the line where typing was, or that was aimed at.
pub fn go_on(cx: &mut Cx<'_>, once: Once) {
    let behind = cx.state.buffers.current().is_some_and(|buffer| {
        let page = Page::new(buffer.area.text(), cx.state.tab_width());
        let range = buffer.area.selection.primary();
        let beyond = range.goal.is_some_and(|goal| goal > page.column(range.head));
        let wanted = once.at_end && page.line(range.head).0 == once.line || beyond;
        wanted && page.at_end(page.right(range.head))
    });
    insert(cx, if behind { At::Behind } else { At::Here });
}

/// The version of the text and the main cursor, while keys are typed into a file.
pub fn place(cx: &Cx<'_>) -> Option<(u64, Byte)> {
    let types = cursors::in_editor(cx.state) && cx.state.modal.mode.types();
    let buffer = cx.state.buffers.current().filter(|_| types)?;
    Some((buffer.area.document.version(), buffer.area.selection.primary().head))
}

/// Keys that move the cursor while others are typed.
const MOVES: [KeyCode; 4] = [KeyCode::Home, KeyCode::End, KeyCode::PageUp, KeyCode::PageDown];

/// Those that may find nothing to go to.
const STEPS: [KeyCode; 4] = [KeyCode::Left, KeyCode::Right, KeyCode::Up, KeyCode::Down];

fn is_shift(key: Key) -> bool {
    key.mods == Mods::CTRL && matches!(key.code, KeyCode::Char('t' | 'd'))
}

/// Whether a key erases while others are typed.
fn erases(key: Key) -> bool {
    let control = |c| key.code == KeyCode::Char(c) && key.mods == Mods::CTRL;
    matches!(key.code, KeyCode::Backspace | KeyCode::Delete) || ['h', 'w', 'u'].into_iter().any(control)
}

/// After a key of typing: one that only moved the cursor begins to type anew there. What was typed before is a
/// step of its own, does not come again by a count, and `.` repeats what is typed from here on.
pub fn follow(cx: &mut Cx<'_>, key: Option<Key>) {
    let (Some(before), Some(now)) = (cx.state.modal.before_key, place(cx)) else { return };
    if cx.state.modal.typing.block.is_some() || cx.state.keymap.modes() != Modes::Vim {
        return;
    }
    let modal = &mut cx.state.modal;
    let steps = |key: Key| STEPS.contains(&key.code);
    let moves = key.is_some_and(|key| MOVES.contains(&key.code) || steps(key) && before.1 != now.1);
    if before == now && key.is_some_and(|key| erases(key) || steps(key)) {
        // A key that does nothing at a border does not come again.
        modal.keys.pop();
        modal.typed.pop();
        return;
    }
    if before.0 == now.0 && moves {
        modal.keys.pop();
        modal.typed.clear();
        modal.typing = Typing { times: 1, moved: true, once: modal.typing.once, ..Typing::default() };
        modal.overtyped.clear();
        if let Some(buffer) = cx.state.buffers.current_mut() {
            buffer.area.document.places_mut().set(Name::Typing, now.1);
        }
        cursors::group(cx.state);
    } else if before.0 != now.0 && modal.typing.moved {
        let last = modal.keys.pop();
        modal.keys = std::iter::once(Key::char('i')).chain(last).collect();
        modal.used_count = None;
        modal.typing.moved = false;
    }
}

/// Ends typing by a key. What was to be typed more than once is typed again before.
pub fn end(cx: &mut Cx<'_>) {
    let modal = &mut cx.state.modal;
    modal.typed.pop();
    let again = modal.typing.times.saturating_sub(1);
    if again > 0 && (modal.typing.lines.is_some() || !modal.typed.is_empty()) {
        modal.typing.times = 1;
        return cx.effects.push(Effect::Retype { keys: modal.typed.clone(), times: again });
    }
    finish(cx);
}

/// Before keys are typed again: on a line of its own where they began one.
pub fn again(cx: &mut Cx<'_>) {
    if cx.state.modal.typing.lines.is_none() {
        return;
    }
    let typed = typed(cx);
    strip_indent(cx, &typed);
    let ending = cx.state.line_style().ending;
    edit::apply(cx, |text, selection| lines::open(text, selection, true, ending, |_| None));
}

/// What was typed so far.
fn typed(cx: &Cx<'_>) -> String {
    let Some(buffer) = cx.state.buffers.current() else { return String::new() };
    let head = buffer.area.selection.primary().head;
    let begun = buffer.area.document.places().get(Name::Typing).unwrap_or(head).min(head);
    buffer.area.text().slice(begun..head).into_owned()
}

/// Ends typing: cursors step back onto what was typed last.
pub fn finish(cx: &mut Cx<'_>) {
    let typing = cx.state.modal.typing;
    let tab_width = cx.state.tab_width();
    let typed = typed(cx);
    strip_indent(cx, &typed);
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let text = buffer.area.text().clone();
    let page = Page::new(&text, tab_width);
    let stopped = buffer.area.selection.primary().head;
    buffer.area.document.places_mut().set_mark('^', stopped);
    let mut selection = buffer
        .area
        .selection
        .transform(|range| Range::cursor(if typing.stays { range.head } else { page.left(range.head) }));
    match typing.block {
        Some(Some((line, column))) => {
            selection = Selection::cursor(page.at(Line(line).min(page.last_line()), Column(column)));
        }
        Some(None) => selection = Selection::cursor(selection.ranges()[0].head),
        None => {}
    }
    buffer.area.select(selection);
    if !typed.is_empty() {
        cx.state.modal.inserted = typed;
    }
    cx.state.modal.mode = Mode::Normal;
    cx.state.modal.typing = Typing::default();
    cx.state.damage.add(Part::Editor);
}

/// Breaks the line; one that got its indentation by itself and nothing else loses it.
pub fn newline(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let head = buffer.area.selection.primary().head;
    let begun = buffer.area.document.places().get(Name::Typing).unwrap_or(head).min(head);
    let typed = buffer.area.text().slice(begun..head).into_owned();
    let line = buffer.area.text().line_of(head);
    let indent = buffer.area.text().slice(buffer.area.text().line_start(line)..head).into_owned();
    // This key is the last one that was pressed.
    let pressed = cx.state.modal.typed.pop();
    strip_indent(cx, &typed);
    cx.state.modal.typed.extend(pressed);
    let stripped = cx.state.buffers.current().is_some_and(|b| b.area.selection.primary().head < head);
    edit::newline(cx);
    if stripped {
        // The next line is indented as the one before was.
        edit::insert(cx, &indent, Grouping::Typing);
    }
}

/// A line that got its indentation by itself and nothing else loses it.
fn strip_indent(cx: &mut Cx<'_>, typed: &str) {
    let made = cx.state.modal.typing.lines.is_some() || cx.state.modal.typing.indented;
    let own_line = made && typed.is_empty();
    let after_break =
        typed.rfind('\n').is_some_and(|at| typed[at + 1..].chars().all(|c| c == ' ' || c == '\t'));
    // White space that was typed behind the break stays.
    let last = cx.state.modal.typed.iter().rev().find(|key| !is_shift(**key));
    let after_break = after_break && last.is_none_or(|key| key.code == KeyCode::Enter);
    if !own_line && !after_break {
        return;
    }
    let Some(buffer) = cx.state.buffers.current() else { return };
    let text = buffer.area.text();
    let blank = |at: Byte| {
        let line = text.line_of(at);
        let span = text.line_start(line)..text.line_end(line);
        (at == span.end && text.slice(span.clone()).chars().all(|c| c == ' ' || c == '\t')).then_some(span)
    };
    let edits: Vec<_> = buffer.area.selection.ranges().iter().filter_map(|range| blank(range.head)).collect();
    if edits.iter().any(|span| span.start < span.end) {
        edit::apply(cx, |text, _| {
            let edits = edits.into_iter().map(|span| (span, String::new()));
            Transaction::new(ChangeSet::replace(text.end().0, edits))
        });
    }
}

/// One command is made, then typing goes on. The cursor stays where it is, save at the end of a line.
pub fn once(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = Page::new(buffer.area.text(), cx.state.tab_width());
    let head = buffer.area.selection.primary().head;
    let (at_end, line) = (page.at_end(head), page.line(head).0);
    cx.state.modal.typing.stays = !at_end;
    // What was typed before the command is not typed again after it.
    cx.state.modal.typing.times = 1;
    end(cx);
    cursors::ungroup(cx.state);
    cx.state.modal.typing.once = Some(Once { at_end, line, begins: true });
}
