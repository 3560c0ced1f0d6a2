//! The pane of the agent's prompt, with the queued messages above it.

use ratatui::layout::Rect;

use crate::base::width::truncate;
use crate::ide::core::damage::Part;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::text::position::Byte;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Prompt, layer: 0, make: || Box::new(PromptPane) };

/// Maximum number of queued messages shown.
const QUEUE_ROWS: usize = 3;
/// Cells before the text.
const MARGIN: u16 = 2;

struct PromptPane;

/// Returns the number of rows wanted for the prompt and the queue in a pane of that width.
pub fn rows_needed(state: &State, cols: u16) -> u16 {
    let queue = (state.agent.steering.len() + state.agent.follow_up.len()).min(QUEUE_ROWS);
    let text = state.prompt.rows(text_cols(cols)).len();
    (1 + queue + text).min(usize::from(u16::MAX)) as u16
}

fn text_cols(cols: u16) -> usize {
    usize::from(cols.saturating_sub(MARGIN + 1)).max(1)
}

/// The row of an offset among wrapped rows.
fn row_of(rows: &[(Byte, Byte)], at: Byte) -> usize {
    rows.iter().rposition(|(start, _)| *start <= at).unwrap_or(0)
}

/// Returns the rows of the queue in a pane of that height, and the first row shown of the text.
fn layout(state: &State, height: u16, rows: &[(Byte, Byte)]) -> (Vec<(String, bool)>, usize) {
    let steering = state.agent.steering.iter().map(|text| (text.clone(), true));
    let follow_up = state.agent.follow_up.iter().map(|text| (text.clone(), false));
    let room = usize::from(height.saturating_sub(2)).min(QUEUE_ROWS);
    let queue: Vec<_> = steering.chain(follow_up).take(room).collect();
    let ruler = usize::from(height > 1);
    let text_rows = usize::from(height).saturating_sub(queue.len() + ruler).max(1);
    let caret = row_of(rows, state.prompt.area.selection.primary().head);
    (queue, (caret + 1).saturating_sub(text_rows))
}

impl Component<State> for PromptPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, height) = canvas.size();
        let focused = state.panes.focus == Focus::Agent;
        let rows = state.prompt.rows(text_cols(cols));
        let (queue, first) = layout(state, height, &rows);
        let mut y = 0;
        if height > 1 {
            let style = canvas.style(if focused { "ui.border.focus" } else { "ui.border" });
            canvas.text(0, 0, &"─".repeat(usize::from(cols)), style);
            y = 1;
        }
        for (text, steers) in &queue {
            let style = canvas.style("agent.queued");
            let label = if *steers { "steers" } else { "queued" };
            let line = format!("{label}  {}", text.replace('\n', " "));
            canvas.text(MARGIN, y, &truncate(&line, text_cols(cols)), style);
            y += 1;
        }
        let sign = canvas.style(if focused { "ui.prompt" } else { "ui.border" });
        let area = &state.prompt.area;
        if area.text().is_empty() {
            let hint = match (state.agent.connected, state.agent.working_since) {
                (false, _) => "Starting…",
                (true, Some(_)) => "Type to steer, Alt-Enter to queue",
                (true, None) => "Ask, or describe a task",
            };
            let style = canvas.style("ui.placeholder");
            canvas.text(MARGIN, y, &truncate(hint, text_cols(cols)), style);
        }
        let (style, selected) = (canvas.style("ui.input"), canvas.style("ui.selection"));
        for (start, end) in &rows[first..] {
            if y >= height {
                break;
            }
            canvas.text(0, y, "┃", sign);
            canvas.text(MARGIN, y, &area.text().slice(*start..*end).replace('\t', " "), style);
            for range in area.selection.ranges() {
                let (from, to) = (range.start().clamp(*start, *end), range.end().clamp(*start, *end));
                if from < to {
                    let x =
                        |at| MARGIN + crate::base::width::text_width(&area.text().slice(*start..at)) as u16;
                    canvas.put_style(Rect::new(x(from), y, x(to) - x(from), 1), selected);
                }
            }
            y += 1;
        }
    }

    fn cursor(&self, (cols, height): (u16, u16), state: &State) -> Option<(u16, u16)> {
        let area = &state.prompt.area;
        let rows = state.prompt.rows(text_cols(cols));
        let (queue, first) = layout(state, height, &rows);
        let head = area.selection.primary().head;
        let row = row_of(&rows, head);
        let x = crate::base::width::text_width(&area.text().slice(rows[row].0..head)) as u16 + MARGIN;
        let y = queue.len() as u16 + u16::from(height > 1) + (row - first) as u16;
        (y < height).then_some((x.min(cols.saturating_sub(1)), y))
    }
}
