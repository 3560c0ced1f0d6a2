//! The comparison as a layer: its key handlers.

use ratatui::layout::Rect;

use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::comparison::draw;
use crate::ide::features::comparison::events;
use crate::ide::features::comparison::view::ComparisonView;
use crate::tui::canvas::Canvas;

impl Layer for ComparisonView {
    fn context(&self) -> KeyContext {
        KeyContext::Dialog
    }

    fn area(&self, (cols, rows): (u16, u16)) -> Rect {
        Rect::new(0, 0, cols, rows - u16::from(rows > 4))
    }

    fn draw(&self, canvas: &mut Canvas<'_>, _state: &State) {
        draw::draw(canvas, self);
    }

    fn is_view(&self) -> bool {
        true
    }

    fn actions(&self) -> Actions {
        Actions {
            key: events::key,
            step: |cx, by| {
                if let Some(view) = cx.state.layers.top_mut::<Self>() {
                    view.step(by);
                }
            },
            ..Actions::default()
        }
    }
}
