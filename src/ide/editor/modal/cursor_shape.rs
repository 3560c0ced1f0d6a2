//! Which shape the caret has: in a map with modes it tells the mode.

use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::core::keys::modal::Mode;
use crate::ide::core::state::State;
use crate::ide::editor::modal::cursors;
use crate::tui::screen::CursorShape;

/// The shape that the caret is to have.
pub fn cursor_shape(state: &State) -> CursorShape {
    if state.keymap.modal_style() == ModalStyle::None {
        return CursorShape::Default;
    }
    if !cursors::is_modal_editor(state) {
        return CursorShape::Bar;
    }
    match state.modal.mode {
        Mode::Insert => CursorShape::Bar,
        Mode::Replace => CursorShape::Underline,
        Mode::Normal if state.modal.operator.is_some() => CursorShape::Underline,
        _ => CursorShape::Block,
    }
}
