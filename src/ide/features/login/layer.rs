//! A login as a layer: its key handlers.

use ratatui::layout::Rect;

use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::login::draw;
use crate::ide::features::login::events;
use crate::ide::features::login::view::LoginView;
use crate::tui::canvas::Canvas;

impl Layer for LoginView {
    fn context(&self) -> KeyContext {
        KeyContext::Dialog
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        draw::view_area(size, self)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, _state: &State) {
        draw::draw(canvas, self);
    }

    fn cursor(&self, size: (u16, u16)) -> Option<(u16, u16)> {
        draw::cursor(self, size)
    }

    fn actions(&self) -> Actions {
        Actions { raw_key: events::key, paste: events::paste, ..Actions::default() }
    }
}
