//! The session tree as a layer: its key handlers.

use ratatui::layout::Rect;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
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
        draw::draw(canvas, self, &state.keymap);
    }

    fn is_view(&self) -> bool {
        true
    }

    fn actions(&self) -> Actions {
        Actions { step, accept: events::go_to_selected, escape, ..Actions::default() }
    }
}

fn step(cx: &mut Cx<'_>, by: isize) {
    if let Some(view) = cx.state.layers.top_mut::<SessionView>() {
        view.step(by);
    }
}

/// Ends a search; or takes a mark away; or cancels a summary being written; or closes the tree.
fn escape(cx: &mut Cx<'_>) {
    if events::end_search(cx) {
        return;
    }
    if cx.state.layers.top_mut::<SessionView>().is_some_and(|view| view.marked.take().is_some()) {
        return cx.state.damage.add(Part::Overlay);
    }
    if cx.state.agent.summarizing.is_some() {
        if let Some(session) = cx.session {
            session.abort();
        }
        return;
    }
    cx.state.pop_layer();
}
