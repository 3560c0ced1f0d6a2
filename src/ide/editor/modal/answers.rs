//! The character that a modal command waited for.

use crate::ide::core::context::Cx;
use crate::ide::core::keys::awaiting::Awaiting;
use crate::ide::core::keys::keymap::Modes;
use crate::ide::core::keys::modal::Ask;
use crate::ide::editor::commands::locations;
use crate::ide::editor::modal::typing;
use crate::ide::editor::modal::{cursors, edits, helix, moves, repeat};
use crate::text::clipboard::registers;
use crate::text::modal::motion::find::Find;
use crate::text::modal::motion::landing::Extent;
use crate::text::modal::motion::motions::Move;
use crate::text::modal::motion::page::Page;
use crate::tui::input::{Key, KeyCode};

/// The next character goes to a command.
pub fn wait(cx: &mut Cx<'_>, ask: Ask) {
    cx.state.awaiting = Some(Awaiting::Modal(ask));
}

/// A key came.
pub fn answered(cx: &mut Cx<'_>, ask: Ask, key: Key) {
    let c = match (key.code, key.typed()) {
        (_, Some(c)) => c,
        (KeyCode::Enter, _) => '\n',
        (KeyCode::Tab, _) => '\t',
        _ => return cx.state.modal.forget(),
    };
    if cx.state.keymap.modes() == Modes::Helix {
        match ask {
            Ask::Find { forward, till } => {
                return helix::go(cx, Move::Find(Find { wanted: c, forward, till }, false));
            }
            Ask::Replace => {
                return helix::letters(cx, |old| if old == '\n' { "\n".to_string() } else { c.to_string() });
            }
            _ => {}
        }
    }
    match ask {
        Ask::Object(outer) => helix::object(cx, c, outer),
        Ask::Register => name(cx, c),
        Ask::Find { forward, till } => moves::go(cx, Move::Find(Find { wanted: c, forward, till }, false)),
        Ask::Replace => edits::replace_char(cx, c),
        Ask::SetMark => locations::set_mark(cx, c),
        Ask::GoMark(line) => mark(cx, c, line),
        Ask::Record => repeat::record(cx, c),
        Ask::Play => repeat::play(cx, c),
        Ask::Insert => edits::insert_register(cx, c),
    }
    if matches!(ask, Ask::Replace) && cx.state.modal.mode.types() {
        typing::insert::end(cx);
    }
}

/// A register was named.
fn name(cx: &mut Cx<'_>, c: char) {
    if registers::is_writable(c) || "/:.%".contains(c) {
        cx.state.modal.register = Some(c);
        cx.state.damage.add(crate::ide::core::damage::Part::Status);
    } else {
        cx.state.modal.forget();
        cx.state.fail(format!("No such register: {c}"));
    }
}

/// To a mark: to its line's first character, or to its place.
fn mark(cx: &mut Cx<'_>, letter: char, line: bool) {
    let letter = if letter == '`' { '\'' } else { letter };
    let Some(at) = locations::mark(cx, letter) else {
        let waits = cx.state.modal.operator.is_some();
        cursors::fail(cx);
        if waits || cx.state.jumps.mark(letter).is_none() {
            return cx.state.fail(format!("Mark not set: {letter}"));
        }
        return locations::go_to_mark(cx, letter);
    };
    if cx.state.modal.operator.is_none() && !cx.state.modal.mode.is_visual() {
        cx.state.note_jump();
    }
    cx.state.modal.far = !line;
    if !line {
        return moves::go_to(cx, at, Extent::Exclusive);
    }
    let Some(buffer) = cx.state.buffers.current() else { return };
    let page = Page::new(buffer.area.text(), cx.state.tab_width());
    let at = page.first_non_blank(page.line(at));
    moves::go_to(cx, at, Extent::Lines);
}
