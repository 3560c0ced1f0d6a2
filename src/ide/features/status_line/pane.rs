//! The pane of the status line: draws the segments that fit.

use ratatui::layout::Rect;

use crate::ide::core::damage::Part;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::state::State;
use crate::ide::features::accessible::announcement;
use crate::ide::features::status_line::segments::place;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Status, layer: 0, make: || Box::new(StatusLine) };

struct StatusLine;

impl Component<State> for StatusLine {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        if canvas.is_accessible() {
            return announcement::draw(canvas, state);
        }
        let (cols, _) = canvas.size();
        let ground = canvas.style("ui.status");
        canvas.fill(Rect::new(0, 0, cols, 1), ground);
        for placed in place(state, cols) {
            let style = canvas.style(placed.segment.scope);
            canvas.text(placed.x, 0, &placed.text, style);
        }
    }
}
