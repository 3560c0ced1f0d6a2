//! The overlay pane: draws the topmost layer.

use crate::ide::core::damage::Part;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::state::State;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// Its row in the table.
pub const PANE: PaneSpec = PaneSpec { part: Part::Overlay, layer: 1, make: || Box::new(OverlayPane) };

struct OverlayPane;

impl Component<State> for OverlayPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        if let Some(layer) = state.layers.last() {
            layer.draw(canvas, state);
        }
    }

    fn cursor(&self, size: (u16, u16), state: &State) -> Option<(u16, u16)> {
        let layer = state.layers.last()?;
        if state.is_accessible() && layer.has_caret_in_list() {
            return None;
        }
        layer.cursor(size)
    }
}
