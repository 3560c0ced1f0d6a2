//! Shape of the caret: in a modal key map it shows the mode.

use crate::ide::core::keys::keymap::ModalStyle;
use crate::ide::core::keys::modal::Mode;
use crate::ide::core::state::State;
use crate::ide::editor::modal::cursors;
use crate::tui::screen::CursorShape;

/// Returns the shape of the caret.
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
