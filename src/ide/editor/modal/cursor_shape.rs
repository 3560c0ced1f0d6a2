//! Which shape the caret has: in a map with modes it tells the mode.

use crate::ide::core::keymap::{Modes, Place};
use crate::ide::core::state::State;
use crate::ide::editor::modal::cursors;
use crate::ide::editor::modal::state::Mode;
use crate::tui::screen::CursorShape;

/// The shape that the caret is to have.
pub fn wanted(state: &State) -> CursorShape {
    if state.place() == Place::Terminal {
        return state.terminals.active().map_or(CursorShape::Default, |terminal| terminal.grid.shape);
    }
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
