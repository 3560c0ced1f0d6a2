//! The pane below the overlay: draws the view that a prompt or a dialog stands above.

use crate::ide::core::damage::Part;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::state::State;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// Its row in the table.
pub const PANE: PaneSpec = PaneSpec { part: Part::View, layer: 1, make: || Box::new(ViewPane) };

struct ViewPane;

impl Component<State> for ViewPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        if let Some(layer) = state.layers.view_below() {
            layer.draw(canvas, state);
        }
    }
}
