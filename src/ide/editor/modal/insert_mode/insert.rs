//! Insert mode: how typing begins and what happens when it ends.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::core::keys::modal::{InsertNormal, InsertState, Mode};
use crate::ide::editor::commands::{edit, indent};
use crate::ide::editor::modal::{cursors, insert_mode, visual};
use crate::text::anchors::named_positions::PositionName;
use crate::text::changes::{ChangeSet, Side};
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::operator::replace;
use crate::text::movement::motion;
use crate::text::position::Byte;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::{Grouping, Transaction};
use crate::tui::input::{Key, KeyCode, Mods};

/// Where typing begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsertAt {
    /// At the cursor.
    Here,
    /// After the cursor.
    After,
    /// At the first character of the line that is no white space.
    LineStart,
    /// At the end of the line.
    LineEnd,
    /// At the first column.
    FirstColumn,
    /// Where typing last ended.
    LastInsert,
}

/// Begins typing.
pub fn begin(cx: &mut Cx<'_>, typing: InsertState) {
    cx.state.modal.mode = Mode::Insert;
    cx.state.modal.operator = None;
    cx.state.modal.overtyped.clear();
    cx.state.modal.typed.clear();
    cx.state.modal.typing = InsertState { untyped: true, ..typing };
    cx.state.modal.changed = true;
    if let Some(buffer) = cx.state.buffers.current_mut() {
        let at = buffer.area.selection.primary().head;
        // On an opened line typing began before its indentation.
        let start = buffer.area.text().line_start(buffer.area.text().line_of(at));
        let stop = if typing.lines.is_some() { start } else { at };
        buffer.area.document.positions_mut().set(PositionName::EraseStop, stop);
        buffer.area.document.positions_mut().set(PositionName::InsertStart, at);
        buffer.area.document.positions_mut().set(PositionName::LeftmostTyped, at);
        buffer.area.caret_override = None;
    }
    cx.state.damage.add(Part::Editor);
}

/// Places every cursor where typing begins, and begins.
pub fn insert(cx: &mut Cx<'_>, at: InsertAt) {
    let times = cx.state.modal.take_count().unwrap_or(1);
    cx.state.modal.register = None;
    if refuse_read_only(cx) {
        return;
    }
    if cx.state.modal.mode == Mode::VisualBlock {
        let rows = insert_mode::block::insert_block(cx, at == InsertAt::After || at == InsertAt::LineEnd);
        if rows.is_some() {
            begin(cx, InsertState { block: rows, times, ..InsertState::default() });
        }
        return;
    }
    let visual = cx.state.modal.mode.is_visual();
    let mut up = false;
    if visual {
        let above = |range: &Range| at_line(cx, range.head) < at_line(cx, range.anchor);
        up = cx.state.modal.visual.ranges.iter().any(above);
        let ends = |range: &Range| match at {
            InsertAt::After | InsertAt::LineEnd => range.end(),
            _ => range.start(),
        };
        let cursors = cx.state.modal.visual.ranges.iter().map(|range| Range::cursor(ends(range))).collect();
        visual::save_visual(cx);
        visual::end_at(cx, cursors);
    }
    let at = match at {
        // If the cursor is above the start of the selection it stays.
        InsertAt::LineStart if up => InsertAt::Here,
        InsertAt::LineStart if visual => InsertAt::FirstColumn,
        InsertAt::LineEnd if visual => InsertAt::After,
        at => at,
    };
    let tab_width = cx.state.tab_width();
    if let Some(buffer) = cx.state.buffers.current_mut() {
        let last = buffer.area.document.positions().mark('^');
        let text = buffer.area.text().clone();
        let page = ModalText::new(&text, tab_width);
        buffer.area.selection = buffer.area.selection.transform(|range| {
            let line = page.line(range.head);
            Range::cursor(match at {
                InsertAt::Here => range.head,
                InsertAt::After => page.right(range.head),
                InsertAt::LineStart => motion::indent_end(&text, line),
                InsertAt::LineEnd => page.end(line),
                InsertAt::FirstColumn => page.start(line),
                InsertAt::LastInsert => last.unwrap_or(range.head).min(page.last()),
            })
        });
    }
    begin(cx, InsertState { times, ..InsertState::default() });
    if at == InsertAt::LastInsert {
        // A repetition inserts at the cursor.
        cx.state.modal.keys = vec![Key::char('i')];
    }
}

fn at_line(cx: &Cx<'_>, at: Byte) -> usize {
    cx.state.buffers.current().map_or(0, |buffer| buffer.area.text().line_of(at).0)
}

fn refuse_read_only(cx: &mut Cx<'_>) -> bool {
    let reason = cx.state.buffers.current().and_then(crate::ide::model::buffers::Buffer::read_only);
    if let Some(reason) = reason {
        cx.state.set_error(reason);
    }
    reason.is_some()
}

/// Opens a line and begins typing there.
pub fn open(cx: &mut Cx<'_>, below: bool) {
    let times = cx.state.modal.take_count().unwrap_or(1);
    cx.state.modal.register = None;
    if refuse_read_only(cx) {
        return;
    }
    open_line(cx, below);
    begin(cx, InsertState { times, lines: Some(below), ..InsertState::default() });
    note_indent(cx);
}

/// Records that the line was indented automatically.
fn note_indent(cx: &mut Cx<'_>) {
    let indented = cx.state.buffers.current().and_then(|buffer| {
        let (text, head) = (buffer.area.text(), buffer.area.selection.primary().head);
        let line = text.line_of(head);
        let blank = text.slice(text.line_start(line)..head).chars().all(|c| c == ' ' || c == '\t');
        blank.then(|| buffer.area.document.version())
    });
    cx.state.modal.typing.indented = indented;
}

/// Returns whether the line was indented automatically, and nothing was typed since.
pub fn is_indented(cx: &Cx<'_>) -> bool {
    let version = cx.state.buffers.current().map(|buffer| buffer.area.document.version());
    version.is_some() && cx.state.modal.typing.indented == version
}

fn open_line(cx: &mut Cx<'_>, below: bool) {
    let tab_width = cx.state.tab_width();
    if cx.state.buffers.current().is_some_and(|buffer| buffer.area.text().end() == Byte(0)) {
        // An empty text counts as one empty line, which stays.
        edit::apply(cx, |text, selection| {
            let feed = ChangeSet::replace(text.end().0, [(Byte(0)..Byte(0), "\n".to_string())]);
            Transaction::new(feed).select(selection.clone())
        });
    }
    indent::open(cx, below, |text, selection| {
        let page = ModalText::new(text, tab_width);
        // Nothing follows the last line feed: a line opened below the last one comes before it.
        selection.transform(|range| Range::cursor(range.head.min(page.last())))
    });
}

/// Begins overwriting.
pub fn overtype(cx: &mut Cx<'_>) {
    let times = cx.state.modal.take_count().unwrap_or(1);
    if refuse_read_only(cx) {
        return;
    }
    begin(cx, InsertState { times, ..InsertState::default() });
    cx.state.modal.mode = Mode::Replace;
}

/// Overwrites with a typed character.
pub fn overtype_char(cx: &mut Cx<'_>, typed: &str) {
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), tab_width);
    let old = |range: &Range| page.text.slice(range.head..page.right(range.head)).into_owned();
    let old: Vec<String> = buffer.area.selection.ranges().iter().map(old).collect();
    cx.state.modal.overtyped.push(if typed == "\n" { Vec::new() } else { old });
    edit::apply(cx, |text, selection| replace::overtype(ModalText::new(text, tab_width), selection, typed));
}

/// Restores the last overwritten character; before the start only moves the cursor back.
pub fn undo_overtype(cx: &mut Cx<'_>) {
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

/// Resumes typing after one command: after the last character of the line where typing was, or that is the
/// goal.
pub fn resume_insert(cx: &mut Cx<'_>, once: InsertNormal) {
    let behind = cx.state.buffers.current().is_some_and(|buffer| {
        let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
        let range = buffer.area.selection.primary();
        let beyond = range.goal.is_some_and(|goal| goal > page.column(range.head));
        let wanted = once.at_end && page.line(range.head).0 == once.line || beyond;
        wanted && page.at_end(page.right(range.head))
    });
    insert(cx, if behind { InsertAt::After } else { InsertAt::Here });
    // Text typed from here on is a separate insertion, and none if nothing is typed.
    cx.state.modal.changed = false;
    cx.state.modal.typing.moved = Some(cx.state.modal.keys.len());
}

/// The version of the text and the main cursor, while keys are typed into a file.
pub fn version_and_cursor(cx: &Cx<'_>) -> Option<(u64, Byte)> {
    let types = cursors::is_modal_editor(cx.state) && cx.state.modal.mode.is_typing();
    let buffer = cx.state.buffers.current().filter(|_| types)?;
    Some((buffer.area.document.version(), buffer.area.selection.primary().head))
}

/// Keys that move the cursor while typing.
const MOVES: [KeyCode; 4] = [KeyCode::Home, KeyCode::End, KeyCode::PageUp, KeyCode::PageDown];

/// Those that may have nowhere to go.
const STEPS: [KeyCode; 4] = [KeyCode::Left, KeyCode::Right, KeyCode::Up, KeyCode::Down];

/// Returns whether a key leaves a line's automatic indentation unchanged.
fn keeps_indent(key: Key) -> bool {
    let control = |c| key.code == KeyCode::Char(c) && key.mods == Mods::CTRL;
    key.code == KeyCode::Backspace || ['h', 'w', 'u', 't', 'd'].into_iter().any(control)
}

/// Returns whether a key erases while typing.
fn is_erasing(key: Key) -> bool {
    let control = |c| key.code == KeyCode::Char(c) && key.mods == Mods::CTRL;
    matches!(key.code, KeyCode::Backspace | KeyCode::Delete) || ['h', 'w', 'u'].into_iter().any(control)
}

/// Runs after a key while typing: if it only moved the cursor, typing starts again there. Text typed before
/// is a separate step, is not repeated by a count, and `.` repeats what is typed from here on.
pub fn after_key(cx: &mut Cx<'_>, key: Option<Key>) {
    let (Some(before), Some(now)) = (cx.state.modal.before_key, version_and_cursor(cx)) else { return };
    if cx.state.keymap.modal_style() != ModalStyle::Vim {
        return;
    }
    let modal = &mut cx.state.modal;
    let steps = |key: Key| STEPS.contains(&key.code);
    let moves = key.is_some_and(|key| MOVES.contains(&key.code) || steps(key) && before.1 != now.1);
    let empty = |key: Key| is_erasing(key) && key.code != KeyCode::Delete || steps(key);
    if before == now && key.is_some_and(empty) {
        // A key that does nothing at a border is not repeated.
        modal.keys.pop();
        modal.typed.pop();
        return;
    }
    if before.0 == now.0 && moves {
        modal.keys.pop();
        modal.typed.clear();
        let (block, once) = (modal.typing.block, modal.typing.once);
        let earlier = block.is_none().then_some(modal.keys.len());
        let InsertState { untyped, stops, .. } = modal.typing;
        modal.typing =
            InsertState { times: 1, moved: earlier, block, once, untyped, stops, ..InsertState::default() };
        modal.overtyped.clear();
        if let Some(buffer) = cx.state.buffers.current_mut() {
            buffer.area.document.positions_mut().set(PositionName::InsertStart, now.1);
            buffer.area.document.positions_mut().set(PositionName::LeftmostTyped, now.1);
        }
        cursors::begin_undo_group(cx.state);
    } else if before.0 != now.0 {
        let before_move = modal.typing.moved.take();
        update_erase_stop(cx, before_move.is_some(), now.1, key.is_some_and(is_erasing));
        let (modal, Some(earlier)) = (&mut cx.state.modal, before_move) else { return };
        let keys = modal.keys.split_off(earlier.min(modal.keys.len()));
        modal.keys = std::iter::once(Key::char('i')).chain(keys).collect();
        modal.changed = true;
        modal.used_count = None;
    }
}

/// Updates the limit for erasing after a key: it is where typing started again, except if the cursor moved
/// right past the typed text, or something before that position was erased.
fn update_erase_stop(cx: &mut Cx<'_>, moved: bool, head: Byte, erased: bool) {
    let typing = &mut cx.state.modal.typing;
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let text = buffer.area.text().clone();
    let positions = buffer.area.document.positions_mut();
    let at = |name| positions.line_and_column(name, &text);
    let (Some(mut stop), Some(began)) = (at(PositionName::EraseStop), at(PositionName::InsertStart)) else {
        return;
    };
    typing.stops |= moved && !typing.untyped && began.1 > stop.1;
    typing.untyped = false;
    if moved && !typing.stops {
        stop = began;
    }
    let line = text.line_of(head);
    let column = head - text.line_start(line);
    if erased && stop.0 == line && column < stop.1 {
        stop.1 = column;
    }
    positions.set_at_column(PositionName::EraseStop, &text, stop.0, stop.1);
}

/// Ends typing with a key. Text wanted more than once is typed again before.
pub fn end_insert(cx: &mut Cx<'_>) {
    let modal = &mut cx.state.modal;
    modal.typed.pop();
    let repeats = modal.typing.times.saturating_sub(1);
    if repeats > 0 && (modal.typing.lines.is_some() || !modal.typed.is_empty()) {
        modal.typing.times = 1;
        let keys = modal.typed.clone();
        return cx.defer(move |cx| (cx.state.catalog.retype)(cx, &keys, repeats));
    }
    finish(cx);
}

/// Whether keys go to the file: not once one of them, or what happened meanwhile, has given them to something else.
pub fn has_keys(cx: &mut Cx<'_>) -> bool {
    matches!(cx.state.text_target(), Some((_, _, Part::Editor)))
}

/// Prepares typing the keys again: after the line break that they began with, if any.
pub fn retype(cx: &mut Cx<'_>) {
    if cx.state.modal.typing.lines.is_some() {
        let ending = cx.state.line_style().ending;
        break_line(cx, |cx, indent| {
            edit::insert(cx, &format!("{}{indent}", ending.text()), Grouping::Typing);
        });
    }
}

/// Replaces the keys that insert a register by its text in what is kept for `.` and counts. Keys that would
/// do something else than type are kept.
pub fn spell_out(cx: &mut Cx<'_>, text: &str) {
    if text.chars().any(char::is_control) {
        return;
    }
    let modal = &mut cx.state.modal;
    let keys = || text.chars().map(Key::char);
    if modal.mode.is_typing() && modal.typed.len() >= 2 {
        modal.typed.truncate(modal.typed.len() - 2);
        modal.typed.extend(keys());
    }
    if !modal.repeating && modal.keys.len() >= 2 {
        modal.keys.truncate(modal.keys.len() - 2);
        modal.keys.extend(keys());
    }
}

/// Replaces the last key by others in all that is kept for `.`, counts and macros: pressed again they type what a completion
/// has put there, where no list is shown.
pub fn replace_last_key(cx: &mut Cx<'_>, keys: &[Key]) {
    if cx.state.modal.repeating || cx.state.macros.replaying {
        return;
    }
    cx.state.macros.replace_last_key(keys);
    let modal = &mut cx.state.modal;
    let recording = modal.recording.as_mut().map(|(_, keys)| keys);
    let typed = modal.mode.is_typing().then_some(&mut modal.typed);
    for kept in recording.into_iter().chain(typed).chain([&mut modal.keys]) {
        if kept.pop().is_some() {
            kept.extend(keys);
        }
    }
}

/// Presses a key; an automatic indentation stays automatic if the key does not change it.
pub fn carry_indent(cx: &mut Cx<'_>, key: Key, press: impl FnOnce(&mut Cx<'_>)) {
    let indented = is_indented(cx);
    press(cx);
    if key.code == KeyCode::Delete {
        cx.state.modal.typing.indented = None;
    }
    if indented && keeps_indent(key) && !(is_erasing(key) && is_near_start(cx)) {
        note_indent(cx);
    }
}

/// Returns whether the cursor is in the first two columns, in bytes: an indentation that remains there counts
/// as typed.
fn is_near_start(cx: &Cx<'_>) -> bool {
    let Some(buffer) = cx.state.buffers.current() else { return false };
    let (text, head) = (buffer.area.text(), buffer.area.selection.primary().head);
    head - text.line_start(text.line_of(head)) <= 1
}

/// Returns the text typed so far.
fn typed_text(cx: &Cx<'_>) -> String {
    let Some(buffer) = cx.state.buffers.current() else { return String::new() };
    let head = buffer.area.selection.primary().head;
    let begun = buffer.area.document.positions().get(PositionName::InsertStart).unwrap_or(head).min(head);
    buffer.area.text().slice(begun..head).into_owned()
}

/// Returns whether typing ends in a line's automatic indentation before its last character, where the cursor
/// stays: as in Vim, which counts that as one byte.
fn is_before_last(cx: &Cx<'_>) -> bool {
    let Some(buffer) = cx.state.buffers.current().filter(|_| is_indented(cx)) else { return false };
    let (text, head) = (buffer.area.text(), buffer.area.selection.primary().head);
    let line = text.line_of(head);
    head > text.line_start(line) && head + 1 == text.line_end(line)
}

/// Ends typing: cursors move left onto the last typed character.
pub fn finish(cx: &mut Cx<'_>) {
    let typing = cx.state.modal.typing;
    let tab_width = cx.state.tab_width();
    let typed = typed_text(cx);
    let stays = typing.stays || is_before_last(cx);
    let goal = cursors::goal_column(cx);
    // After a removed indentation its column remains the goal.
    let goal = strip_indent(cx, false).then_some(goal);
    close_last_line(cx);
    let filled = typing.block.and_then(|rows| insert_mode::block::fill_rows(cx, rows));
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let text = buffer.area.text().clone();
    let page = ModalText::new(&text, tab_width);
    let stopped = buffer.area.selection.primary().head;
    buffer.area.document.positions_mut().set_mark('^', stopped);
    let mut selection = buffer.area.selection.transform(|range| Range {
        goal,
        ..Range::cursor(if stays { range.head } else { page.left(range.head) })
    });
    if let Some(at) = filled {
        selection = Selection::cursor(page.cursor_position(at));
    }
    buffer.area.select(selection);
    if !typed.is_empty() {
        cx.state.modal.last_inserted = typed;
    }
    cx.state.modal.mode = Mode::Normal;
    cx.state.modal.typing = InsertState::default();
    cx.state.damage.add(Part::Editor);
}

/// Breaks the line; the next one is indented by the syntax tree.
pub fn newline(cx: &mut Cx<'_>) {
    break_line(cx, |cx, _| edit::newline(cx));
}

/// Breaks the line with `make`, which gets its indentation. A line with only automatic indentation loses it,
/// and white space after the break is removed.
fn break_line(cx: &mut Cx<'_>, make: impl FnOnce(&mut Cx<'_>, &str)) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (text, head) = (buffer.area.text(), buffer.area.selection.primary().head);
    let line = text.line_of(head);
    let before = text.slice(text.line_start(line)..head.min(motion::indent_end(text, line))).into_owned();
    let stripped = strip_indent(cx, true);
    edit::apply(cx, |text, selection| {
        let blank = |range: &Range| {
            let end = text.line_end(text.line_of(range.head));
            let rest = text.slice(range.head..end);
            let blanks = rest.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            (range.head..range.head + blanks, String::new())
        };
        Transaction::new(ChangeSet::replace(text.end().0, apart(selection.ranges().iter().map(blank))))
    });
    make(cx, if stripped { "" } else { &before });
    if stripped {
        // The next line gets the indentation of the previous one.
        edit::insert(cx, &before, Grouping::Typing);
    }
    note_indent(cx);
}

/// Removes the automatic indentation of a line without other text, and of one that is broken after it if
/// `breaks`; returns whether it did.
fn strip_indent(cx: &mut Cx<'_>, breaks: bool) -> bool {
    if !is_indented(cx) || !has_keys(cx) {
        return false;
    }
    let Some(buffer) = cx.state.buffers.current() else { return false };
    let text = buffer.area.text();
    let blank = |at: Byte| {
        let line = text.line_of(at);
        let span = text.line_start(line)..if breaks { at } else { text.line_end(line) };
        (at == span.end && text.slice(span.clone()).chars().all(|c| c == ' ' || c == '\t')).then_some(span)
    };
    let edits: Vec<_> = buffer.area.selection.ranges().iter().filter_map(|range| blank(range.head)).collect();
    if edits.iter().all(std::ops::Range::is_empty) {
        return false;
    }
    edit::apply(cx, |text, _| {
        let edits = edits.into_iter().map(|span| (span, String::new()));
        Transaction::new(ChangeSet::replace(text.end().0, apart(edits)))
    })
}

/// Returns removals, sorted by their ends, without what the one before takes away: several cursors may stand in the
/// indentation of one line.
fn apart(
    edits: impl Iterator<Item = (std::ops::Range<Byte>, String)>,
) -> impl Iterator<Item = (std::ops::Range<Byte>, String)> {
    let mut taken = Byte(0);
    edits.map(move |(span, text)| {
        let start = span.start.max(taken);
        taken = span.end;
        (start..span.end, text)
    })
}

/// Keeps the cursor's line if nothing was typed on it: after the last line feed there is no line.
fn close_last_line(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let (text, head) = (buffer.area.text(), buffer.area.selection.primary().head);
    if head < text.end() || head == Byte(0) || text.byte_at(head.back(1)) != Some(b'\n') {
        return;
    }
    edit::apply(cx, |text, selection| {
        let feed = ChangeSet::replace(text.end().0, [(text.end()..text.end(), "\n".to_string())]);
        Transaction::new(feed).select(selection.clone())
    });
}

/// Runs one command, then typing resumes. The cursor stays, except at the end of a line.
pub fn insert_normal(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let head = buffer.area.selection.primary().head;
    let (at_end, line) = (page.at_end(head), page.line(head).0);
    cx.state.modal.typing.stays = !at_end;
    // Text typed before the command is not typed again after it.
    cx.state.modal.typing.times = 1;
    // A repetition ends here.
    cx.state.modal.keys.pop();
    cx.state.modal.keys.push(Key::new(KeyCode::Escape, Mods::NONE));
    end_insert(cx);
    cursors::end_undo_group(cx.state);
    cx.state.modal.typing.once = Some(InsertNormal { at_end, line, begins: true });
}
