//! The undo tree as a layer: its key handlers.

use ratatui::layout::Rect;

use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::undo_tree::commands;
use crate::ide::features::undo_tree::draw;
use crate::ide::features::undo_tree::view::UndoView;
use crate::tui::canvas::Canvas;

impl Layer for UndoView {
    fn context(&self) -> KeyContext {
        KeyContext::Picker
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        draw::view_area(size, self)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, state: &State) {
        draw::draw(canvas, self, state);
    }

    fn is_view(&self) -> bool {
        true
    }

    fn actions(&self) -> Actions {
        Actions {
            step: commands::step,
            // The text already shows the selection.
            accept: |cx| drop(cx.state.pop_layer()),
            escape: |cx| {
                if let Some(view) = cx.state.layers.pop_as::<Self>() {
                    cx.state.damage.add_all();
                    commands::cancel(cx, &view);
                }
            },
            ..Actions::default()
        }
    }
}
