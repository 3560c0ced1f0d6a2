//! User questions as a layer: their key handlers.

use ratatui::layout::Rect;

use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer, LayerId};
use crate::ide::core::state::State;
use crate::ide::features::questions::draw;
use crate::ide::features::questions::events;
use crate::ide::features::questions::view::QuestionsView;
use crate::tui::canvas::Canvas;

impl Layer for QuestionsView {
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

    fn unsolicited_id(&self) -> Option<LayerId> {
        Some(LayerId { kind: "questions", number: self.number })
    }

    fn actions(&self) -> Actions {
        Actions { key: events::key, paste: events::paste, ..Actions::default() }
    }
}
