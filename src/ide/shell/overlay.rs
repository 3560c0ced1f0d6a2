//! Whatever floats on top of the panes: only the topmost is drawn.

use ratatui::layout::Rect;

use crate::ide::core::damage::Part;
use crate::ide::core::layers::{dialog, picker, question};
use crate::ide::core::overlay::Overlay;
use crate::ide::core::pane::Row;
use crate::ide::core::state::State;
use crate::ide::features::{context, diff, login, questions, restore, sessions, undo_tree};
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
        Overlay::Undo(shown) => undo_tree::draw::place(state.size, shown),
        Overlay::Diff(_) => diff::draw::place(state.size),
        Overlay::Session(_) => sessions::draw::place(state.size),
        Overlay::Contents(_) => context::draw::place(state.size),
        Overlay::Login(shown) => login::draw::place(state.size, shown),
        Overlay::Inquiry(shown) => questions::draw::place(state.size, shown),
        Overlay::WayBack(_) => restore::draw::place(state.size),
    })
}

impl Component<State> for Floating {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        match state.overlays.last() {
            Some(Overlay::Picker(shown)) => picker::draw(canvas, shown),
            Some(Overlay::Question(shown)) => question::draw(canvas, shown, &state.keymap),
            Some(Overlay::Dialog(shown)) => dialog::draw(canvas, shown),
            Some(Overlay::Undo(shown)) => undo_tree::draw::draw(canvas, shown, state),
            Some(Overlay::Diff(shown)) => diff::draw::draw(canvas, shown, state),
            Some(Overlay::Session(shown)) => sessions::draw::draw(canvas, shown, &state.keymap),
            Some(Overlay::Contents(shown)) => context::draw::draw(canvas, shown, &state.keymap),
            Some(Overlay::Login(shown)) => login::draw::draw(canvas, shown),
            Some(Overlay::Inquiry(shown)) => questions::draw::draw(canvas, shown),
            Some(Overlay::WayBack(shown)) => restore::draw::draw(canvas, shown),
            None => {}
        }
    }

    fn cursor(&self, size: (u16, u16), state: &State) -> Option<(u16, u16)> {
        match state.overlays.last()? {
            Overlay::Picker(shown) => Some(picker::cursor(shown)),
            Overlay::Question(shown) => Some(question::cursor(shown, size.0)),
            Overlay::Login(shown) => login::draw::cursor(shown, size),
            Overlay::Inquiry(shown) => questions::draw::cursor(shown, size),
            Overlay::Dialog(_)
            | Overlay::Undo(_)
            | Overlay::Diff(_)
            | Overlay::Session(_)
            | Overlay::Contents(_)
            | Overlay::WayBack(_) => None,
        }
    }
}
