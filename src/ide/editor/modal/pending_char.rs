//! Handles the character that a modal command waited for.

use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::core::keys::modal::ModalChar;
use crate::ide::core::keys::pending_char::PendingChar;
use crate::ide::editor::commands::locations;
use crate::ide::editor::modal::insert_mode;
use crate::ide::editor::modal::{cursors, edits, helix, moves, repeat};
use crate::text::clipboard::registers;
use crate::text::modal::motion::find::Find;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::motion::motion_target::Extent;
use crate::text::modal::motion::motions::Move;
use crate::tui::input::{Key, KeyCode};

/// Passes the next character to a command.
pub fn await_char(cx: &mut Cx<'_>, ask: ModalChar) {
    cx.state.pending_char = Some(PendingChar::Modal(ask));
}

/// Handles the awaited key.
pub fn on_char(cx: &mut Cx<'_>, ask: ModalChar, key: Key) {
    let c = match (key.code, key.typed()) {
        (_, Some(c)) => c,
        (KeyCode::Enter, _) => '\n',
        (KeyCode::Tab, _) => '\t',
        _ => return cx.state.modal.reset_pending(),
    };
    if cx.state.keymap.modal_style() == ModalStyle::Helix {
        match ask {
            ModalChar::Find { forward, till } => {
                return helix::move_cursors(cx, Move::Find(Find { target: c, forward, till }, false));
            }
            ModalChar::Replace => {
                return helix::map_chars(
                    cx,
                    |old| if old == '\n' { "\n".to_string() } else { c.to_string() },
                );
            }
            _ => {}
        }
    }
    match ask {
        ModalChar::Object(outer) => helix::select_object(cx, c, outer),
        ModalChar::Register => set_register(cx, c),
        ModalChar::Find { forward, till } => {
            moves::move_cursors(cx, Move::Find(Find { target: c, forward, till }, false));
        }
        ModalChar::Replace => edits::replace_char(cx, c),
        ModalChar::SetMark => locations::set_mark(cx, c),
        ModalChar::GoMark(line) => go_to_mark(cx, c, line),
        ModalChar::Record => repeat::start_recording(cx, c),
        ModalChar::Play => repeat::play_macro(cx, c),
        ModalChar::Insert => edits::insert_register(cx, c),
    }
    if matches!(ask, ModalChar::Replace) && cx.state.modal.mode.is_typing() {
        insert_mode::insert::end_insert(cx);
    }
}

/// A register was named.
fn set_register(cx: &mut Cx<'_>, c: char) {
    if registers::is_writable(c) || "/:.%".contains(c) {
        cx.state.modal.register = Some(c);
        cx.state.damage.add(crate::ide::core::damage::Part::Status);
    } else {
        cx.state.modal.reset_pending();
        cx.state.set_error(format!("No such register: {c}"));
    }
}

/// Goes to a mark: to the first character of its line, or to its position.
fn go_to_mark(cx: &mut Cx<'_>, letter: char, line: bool) {
    let letter = if letter == '`' { '\'' } else { letter };
    let Some(at) = locations::mark_position(cx, letter) else {
        let waits = cx.state.modal.operator.is_some();
        cursors::fail_motion(cx);
        if waits || cx.state.jumps.mark(letter).is_none() {
            return cx.state.set_error(format!("Mark not set: {letter}"));
        }
        return locations::go_to_mark(cx, letter);
    };
    if cx.state.modal.operator.is_none() && !cx.state.modal.mode.is_visual() {
        cx.state.note_jump();
    }
    cx.state.modal.is_far_motion = !line;
    if !line {
        return moves::go_to(cx, at, Extent::Exclusive);
    }
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let at = page.first_non_blank(page.line(at));
    moves::go_to(cx, at, Extent::Lines);
}
