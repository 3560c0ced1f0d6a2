//! The context report as a layer: its key handlers.

use ratatui::layout::Rect;

use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::context::draw;
use crate::ide::features::context::events;
use crate::ide::features::context::view::ContextView;
use crate::tui::canvas::Canvas;

impl Layer for ContextView {
    fn context(&self) -> KeyContext {
        KeyContext::ContextView
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        draw::view_area(size)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, state: &State) {
        draw::draw(canvas, self, &state.keymap);
    }

    fn is_view(&self) -> bool {
        true
    }

    fn actions(&self) -> Actions {
        Actions {
            step: |cx, by| {
                if let Some(view) = cx.state.layers.top_mut::<Self>() {
                    view.step(by);
                }
            },
            accept: events::go_to_entry,
            ..Actions::default()
        }
    }
}
