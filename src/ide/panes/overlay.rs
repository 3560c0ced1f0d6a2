//! Whatever floats on top of the panes: only the topmost is drawn.

use ratatui::layout::Rect;

use super::row::Row;
use crate::ide::overlays::{
    contents, dialog, diff, inquiry, login, picker, question, session_tree, undo_tree, way_back,
};
use crate::ide::state::State;
use crate::ide::state::damage::Part;
use crate::ide::state::overlay::Overlay;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: Row = Row { part: Part::Overlay, layer: 1, make: || Box::new(Floating) };

struct Floating;

/// Where the topmost overlay is, if there is one.
pub fn place(state: &State) -> Option<Rect> {
    Some(match state.overlays.last()? {
        Overlay::Picker(_) => picker::place(state.size),
        Overlay::Question(_) => question::place(state.size),
        Overlay::Dialog(shown) => dialog::place(state.size, shown),
        Overlay::Undo(shown) => undo_tree::place(state.size, shown),
        Overlay::Diff(_) => diff::place(state.size),
        Overlay::Session(_) => session_tree::place(state.size),
        Overlay::Contents(_) => contents::place(state.size),
        Overlay::Login(shown) => login::place(state.size, shown),
        Overlay::Inquiry(shown) => inquiry::place(state.size, shown),
        Overlay::WayBack(_) => way_back::place(state.size),
    })
}

impl Component<State> for Floating {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        match state.overlays.last() {
            Some(Overlay::Picker(shown)) => picker::draw(canvas, shown),
            Some(Overlay::Question(shown)) => question::draw(canvas, shown, &state.keymap),
            Some(Overlay::Dialog(shown)) => dialog::draw(canvas, shown),
            Some(Overlay::Undo(shown)) => undo_tree::draw(canvas, shown, state),
            Some(Overlay::Diff(shown)) => diff::draw(canvas, shown, state),
            Some(Overlay::Session(shown)) => session_tree::draw(canvas, shown, &state.keymap),
            Some(Overlay::Contents(shown)) => contents::draw(canvas, shown, &state.keymap),
            Some(Overlay::Login(shown)) => login::draw(canvas, shown),
            Some(Overlay::Inquiry(shown)) => inquiry::draw(canvas, shown),
            Some(Overlay::WayBack(shown)) => way_back::draw(canvas, shown),
            None => {}
        }
    }

    fn cursor(&self, size: (u16, u16), state: &State) -> Option<(u16, u16)> {
        match state.overlays.last()? {
            Overlay::Picker(shown) => Some(picker::cursor(shown)),
            Overlay::Question(shown) => Some(question::cursor(shown, size.0)),
            Overlay::Login(shown) => login::cursor(shown, size),
            Overlay::Inquiry(shown) => inquiry::cursor(shown, size),
            Overlay::Dialog(_)
            | Overlay::Undo(_)
            | Overlay::Diff(_)
            | Overlay::Session(_)
            | Overlay::Contents(_)
            | Overlay::WayBack(_) => None,
        }
    }
}
