//! The review as a layer: its key handlers.

use ratatui::layout::Rect;

use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::review::draw;
use crate::ide::features::review::events;
use crate::ide::features::review::view::ReviewView;
use crate::tui::canvas::Canvas;

impl Layer for ReviewView {
    fn context(&self) -> KeyContext {
        KeyContext::Review
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
            step: events::step,
            accept: events::accept_row,
            escape: events::escape,
            ..Actions::default()
        }
    }
}
