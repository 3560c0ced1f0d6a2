//! Draws the undo tree beside the text, which shows the selected revision.

use ratatui::layout::Rect;

use crate::base::width::{text_width, truncate, visible};
use crate::ide::core::layers::frame;
use crate::ide::core::state::State;
use crate::ide::features::undo_tree::view::{UndoView, author, summary};
use crate::ide::model::age::ago;
use crate::tui::canvas::Canvas;

/// Columns; the text beside it stays readable.
const COLS: u16 = 56;
/// Below this width the tree is over the text instead of beside it.
const WIDE: u16 = 100;

/// Returns its area: at the right edge of a wide screen, else as for other overlays.
pub fn view_area(size: (u16, u16), view: &UndoView) -> Rect {
    let rows = view.rows.len().min(1_000) as u16 + 2;
    let frame_area = frame::frame_area(size, COLS, rows.max(4));
    if size.0 < WIDE || frame_area.width >= size.0 {
        return frame_area;
    }
    Rect { x: size.0 - frame_area.width - 1, ..frame_area }
}

/// Draws the tree.
pub fn draw(canvas: &mut Canvas<'_>, view: &UndoView, state: &State) {
    let count = format!("{} / {}", view.selected + 1, view.rows.len());
    let inner = frame::draw(canvas, "Undo tree", &count, "Enter restore  Escape cancel");
    let mut inside = canvas.sub(inner);
    let (cols, rows) = inside.size();
    let Some(buffer) = state.buffers.all().iter().find(|buffer| buffer.id == view.buffer) else { return };
    let history = buffer.area.document.history();
    let (plain, soft, branch) =
        (inside.style("ui.overlay"), inside.style("ui.overlay.faint"), inside.style("ui.overlay.border"));
    let first = view.selected / usize::from(rows.max(1)) * usize::from(rows.max(1));
    let graph_width = view.rows.iter().skip(first).take(usize::from(rows));
    let graph_width = graph_width.map(|row| text_width(&row.graph)).max().unwrap_or(1) as u16;
    for (n, row) in view.rows.iter().enumerate().skip(first).take(usize::from(rows)) {
        let y = (n - first) as u16;
        inside.text(1, y, &row.graph, branch);
        let (text, detail) = match history.revision(row.revision) {
            None => ("as opened".to_string(), String::new()),
            Some(revision) => {
                let detail = format!("{}, {}", author(&revision.author), ago(view.now_ms, revision.time_ms));
                (visible(&summary(revision)).into_owned(), detail)
            }
        };
        let x = graph_width + 2;
        let detail_width = text_width(&detail) as u16;
        let room = usize::from(cols.saturating_sub(x + detail_width + 2));
        let here = row.revision == view.origin;
        inside.text(
            x,
            y,
            &truncate(&text, room),
            if here { inside.style("ui.overlay.title") } else { plain },
        );
        inside.text(cols.saturating_sub(detail_width + 1), y, &detail, soft);
        if n == view.selected {
            let style = inside.style("ui.row");
            inside.select_row(Rect::new(0, y, cols, 1), style);
        }
    }
}
