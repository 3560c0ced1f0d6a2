//! Commands on marks, jumps and changes: positions to return to.

use crate::ide::core::condition;
use crate::ide::core::context::{Command, Cx, await_char, command};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::pending_char::PendingChar;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::model::buffers::BufferId;
use crate::ide::model::jumps::{JumpLocation, current_position};
use crate::text::position::Byte;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("mark.set", "Set mark", &["bookmark"], |cx| {
        await_char(cx, PendingChar::MarkSet, "Mark letter: a-z in this file, A-Z in any");
    })
    .when(condition::has_file),
    command("mark.go", "Go to mark", &["bookmark"], |cx| await_char(cx, PendingChar::MarkGo, "Which mark?")),
    command("mark.picker", "Show marks", &["bookmarks"], |cx| cx.defer_picker("marks")),
    command("jump.back", "Go back", &["navigate back", "previous location"], |cx| step_jumps(cx, 1))
        .when(condition::has_file),
    command("jump.forward", "Go forward", &["navigate forward", "next location"], |cx| step_jumps(cx, -1))
        .when(condition::has_file),
    command("jump.picker", "Show jump list", &["history", "locations"], |cx| {
        cx.defer_picker("jumps");
    }),
    command("jump.older-change", "Go to previous edit location", &["last edit", "change list"], |cx| {
        step_changes(cx, 1);
    })
    .when(condition::has_file),
    command("jump.newer-change", "Go to next edit location", &["change list"], |cx| step_changes(cx, -1))
        .when(condition::has_file),
];

/// Sets a mark at the main cursor.
pub fn set_mark(cx: &mut Cx<'_>, letter: char) {
    let tab_width = cx.state.tab_width();
    let Some(buffer) = cx.state.buffers.current_mut() else { return cx.state.set_status("No file open") };
    let at = buffer.area.caret();
    match letter {
        'A'..='Z' => cx.state.jumps.set_mark(&mut cx.state.buffers, letter, at, tab_width),
        'a'..='z' | '<' | '>' | '[' | ']' => buffer.area.document.positions_mut().set_mark(letter, at),
        '\'' | '`' => buffer.area.document.positions_mut().set_mark('\'', at),
        _ => return cx.state.set_error(format!("Mark must be a letter, not {letter}")),
    }
    cx.state.set_status(format!("Mark set: {letter}"));
}

/// Returns the position of a mark of the shown file.
pub fn mark_position(cx: &Cx<'_>, letter: char) -> Option<Byte> {
    let buffer = cx.state.buffers.current()?;
    let letter = if letter == '`' { '\'' } else { letter };
    if letter.is_ascii_uppercase() && cx.state.jumps.mark(letter).is_none_or(|spot| spot.buffer != buffer.id)
    {
        return None;
    }
    let at = buffer.area.document.positions().mark(letter)?;
    let text = buffer.area.text();
    Some(text.grapheme_floor(at.min(text.end())))
}

/// Goes to a mark, in any file.
pub fn go_to_mark(cx: &mut Cx<'_>, letter: char) {
    if let Some(at) = mark_position(cx, letter) {
        cx.state.note_jump();
        return show_at(cx, at);
    }
    match cx.state.jumps.mark(letter).cloned() {
        Some(spot) => {
            cx.state.note_jump();
            go_to_location(cx, &spot);
        }
        None => cx.state.set_error(format!("Mark not set: {letter}")),
    }
}

/// Goes to a position in a version of the shown file, if it is still the current one.
pub fn go_to(cx: &mut Cx<'_>, buffer: BufferId, version: u64, at: Byte) {
    let shown = cx.state.buffers.current();
    if !shown.is_some_and(|shown| shown.id == buffer && shown.area.document.version() == version) {
        return cx.state.set_error("Text changed meanwhile: search again");
    }
    cx.state.note_jump();
    show_at(cx, at);
}

fn show_at(cx: &mut Cx<'_>, at: Byte) {
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.area.go_to(at);
    }
    cx.state.damage.add(Part::Editor);
}

/// Goes to a position in a file, opening it if needed.
pub fn go_to_location(cx: &mut Cx<'_>, spot: &JumpLocation) {
    let tab_width = cx.state.tab_width();
    let at = current_position(&mut cx.state.buffers, spot, tab_width);
    if let Some(buffer) = cx.state.buffers.get_mut(spot.buffer) {
        buffer.place_cursor(at, tab_width);
        cx.state.buffers.show(spot.buffer);
        cx.state.damage.add_all();
    } else if let Some(path) = spot.path.clone() {
        (cx.state.catalog.open_file)(cx, path, Some(at));
    }
    panes::focus(cx, Focus::Editor);
}

/// Goes back in the jump list, or forward if negative.
pub fn step_jumps(cx: &mut Cx<'_>, back: isize) {
    let Some(here) = cx.state.buffers.current().map(|buffer| buffer.area.caret()) else { return };
    let tab_width = cx.state.tab_width();
    match cx.state.jumps.step(&mut cx.state.buffers, here, back, tab_width) {
        Some(spot) => go_to_location(cx, &spot),
        None => cx.state.set_status(if back > 0 { "No older jump" } else { "No newer jump" }),
    }
}

/// Goes through the changes of the file, to older ones if positive.
pub fn step_changes(cx: &mut Cx<'_>, older: isize) {
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    let changes = buffer.area.document.positions().changes();
    let Some(last) = changes.len().checked_sub(1) else { return cx.state.set_status("No changes yet") };
    let version = buffer.area.document.version();
    let now = match buffer.last_visited_change {
        Some((seen, at)) if seen == version => at as isize,
        _ => changes.len() as isize,
    };
    let wanted = (now - older).clamp(0, last as isize);
    let at = changes[wanted as usize];
    buffer.last_visited_change = Some((version, wanted as usize));
    if wanted == now {
        return cx.state.set_status(if older > 0 { "At oldest change" } else { "At newest change" });
    }
    let text = buffer.area.text();
    let at = text.grapheme_floor(at.min(text.end()));
    show_at(cx, at);
}
