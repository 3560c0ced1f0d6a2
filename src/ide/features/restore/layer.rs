//! The preview of a restore as a layer: its key handlers.

use ratatui::layout::Rect;

use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::restore::draw;
use crate::ide::features::restore::events;
use crate::ide::features::restore::view::RestoreView;
use crate::tui::canvas::Canvas;

impl Layer for RestoreView {
    fn context(&self) -> KeyContext {
        KeyContext::Dialog
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
