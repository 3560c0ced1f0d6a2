//! The diff view as a layer: its key handlers.

use ratatui::layout::Rect;

use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::diff::draw;
use crate::ide::features::diff::events;
use crate::ide::features::diff::view::DiffView;
use crate::tui::canvas::Canvas;

impl Layer for DiffView {
    fn context(&self) -> KeyContext {
        KeyContext::Diff
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        draw::view_area(size)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, state: &State) {
        draw::draw(canvas, self, state);
    }

    fn is_view(&self) -> bool {
        true
    }

    fn actions(&self) -> Actions {
        Actions {
            step: |cx, by| events::with_view(cx, false, |view, side_by_side| view.step(by, side_by_side)),
            accept: events::jump_to_line,
            ..Actions::default()
        }
    }
}
