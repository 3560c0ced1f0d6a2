//! The pane of the line of tabs above the editor.

use crate::base::width::text_width;
use crate::ide::core::damage::Part;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;
use ratatui::layout::Rect;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Tabs, layer: 0, make: || Box::new(TabLine) };

struct TabLine;

/// Returns the shown tabs, such that the current one is among them: buffer index and columns.
pub fn tab_spans(state: &State, cols: u16) -> Vec<(usize, u16, u16)> {
    let current = state.buffers.current().map(|b| b.id);
    let widths: Vec<u16> = state.buffers.all().iter().map(|b| text_width(&b.label()) as u16).collect();
    let at = state.buffers.all().iter().position(|b| Some(b.id) == current).unwrap_or(0);
    let mut first = 0;
    while first < at && widths[first..=at].iter().map(|w| u32::from(*w)).sum::<u32>() > u32::from(cols) {
        first += 1;
    }
    let mut x = 0;
    let mut spans = Vec::new();
    for (n, width) in widths.iter().enumerate().skip(first) {
        if x >= cols {
            break;
        }
        spans.push((n, x, *width));
        x += width;
    }
    spans
}

impl Component<State> for TabLine {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        let ground = canvas.style("ui.tab");
        canvas.fill(Rect::new(0, 0, cols, rows), ground);
        let current = state.buffers.current().map(|b| b.id);
        for (n, x, _) in tab_spans(state, cols) {
            let buffer = &state.buffers.all()[n];
            let focused = state.panes.focus == Focus::Editor;
            let style = match (Some(buffer.id) == current, focused) {
                (true, true) => canvas.style("ui.tab.active").patch(canvas.style("ui.title.focus")),
                (true, false) => canvas.style("ui.tab.active"),
                (false, _) => ground,
            };
            canvas.text(x, 0, &buffer.label(), style);
        }
    }
}
