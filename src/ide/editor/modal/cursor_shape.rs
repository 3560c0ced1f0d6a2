//! Which shape the caret has: in a map with modes it tells the mode.

use crate::ide::core::keys::keymap::Modes;
use crate::ide::core::keys::modal::Mode;
use crate::ide::core::state::State;
use crate::ide::editor::modal::cursors;
use crate::tui::screen::CursorShape;

/// The shape that the caret is to have.
pub fn wanted(state: &State) -> CursorShape {
    if state.keymap.modes() == Modes::None {
        return CursorShape::Default;
    }
    if !cursors::in_editor(state) {
        return CursorShape::Bar;
    }
    match state.modal.mode {
        Mode::Insert => CursorShape::Bar,
        Mode::Replace => CursorShape::Underline,
        Mode::Normal if state.modal.operator.is_some() => CursorShape::Underline,
        _ => CursorShape::Block,
    }
}
