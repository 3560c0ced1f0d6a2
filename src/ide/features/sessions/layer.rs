//! The session tree as a layer: its key handlers.

use ratatui::layout::Rect;

use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::features::sessions::draw;
use crate::ide::features::sessions::events;
use crate::ide::features::sessions::view::SessionView;
use crate::tui::canvas::Canvas;

impl Layer for SessionView {
    fn context(&self) -> KeyContext {
        KeyContext::SessionTree
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
        Actions { step: events::step, accept: events::go_to_selected, escape, ..Actions::default() }
    }
}

/// Takes a step back in the tree, or closes it.
fn escape(cx: &mut Cx<'_>) {
    if !events::escape(cx) {
        cx.state.pop_layer();
    }
}
