//! Draws the keys that continue a prefix above the status line: one row a key, in as many columns as fit. Must not know
//! what the commands do.

use ratatui::layout::Rect;

use crate::base::width::{text_width, truncate};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::{GROUP, MORE_KEYS};
use crate::ide::core::layout::Areas;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::state::State;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::KeyHints, layer: 2, make: || Box::new(KeyHintsPane) };

/// Cells before a key, between key and title, and between columns.
const MARGIN: usize = 2;
/// Cells that a column has at least, where there are several, and at most.
const COLUMN_MIN: usize = 38;
const COLUMN_MAX: usize = 48;
/// Rows of a window below which the status line has the keys alone.
const ROWS_MIN: u16 = 8;

struct KeyHintsPane;

/// A key, and what it does.
struct Hint<'a> {
    key: &'a str,
    title: &'a str,
}

/// Returns the keys with the titles of their commands or groups.
fn hints(state: &State) -> Vec<Hint<'_>> {
    let title = |id: &'_ str| state.catalog.command(id).map(|command| command.title);
    state.hints.iter().map(|(key, id)| Hint { key, title: title(id).unwrap_or(id) }).collect()
}

/// How the hints are divided into columns.
struct Columns {
    key: usize,
    width: usize,
    rows: usize,
}

fn columns(hints: &[Hint<'_>], cols: u16) -> Columns {
    let key = hints.iter().map(|hint| text_width(hint.key)).max().unwrap_or(0);
    let count = (usize::from(cols) / COLUMN_MIN).clamp(1, hints.len().max(1));
    Columns { key, width: (usize::from(cols) / count).min(COLUMN_MAX), rows: hints.len().div_ceil(count) }
}

/// Returns where the keys are drawn; `None` if none are.
pub fn area(state: &State, areas: &Areas) -> Option<Rect> {
    let (cols, height) = state.size;
    // A screen reader gets them in the line of announcements.
    if state.hints.is_empty() || height < ROWS_MIN || state.is_accessible() {
        return None;
    }
    let bottom = areas.status.map_or(height, |status| status.y);
    // Half of the window at most; a line above sets them apart.
    let rows = (columns(&hints(state), cols).rows as u16 + 1).min(bottom / 2 + 1);
    Some(Rect::new(0, bottom.saturating_sub(rows), cols, rows))
}

impl Component<State> for KeyHintsPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        let plain = canvas.style("ui.overlay");
        let (border, head) = (canvas.style("ui.overlay.border"), canvas.style("ui.overlay.title"));
        let (key_style, soft) = (plain.patch(canvas.style("ui.key")), canvas.style("ui.overlay.soft"));
        canvas.fill(Rect::new(0, 0, cols, rows), plain);
        canvas.text(0, 0, &"─".repeat(usize::from(cols)), border);
        let keys: Vec<String> = state.pending.iter().map(ToString::to_string).collect();
        // An operator of a modal map waits without a prefix.
        let title = if keys.is_empty() { "Then".to_string() } else { format!("{} …", keys.join(" ")) };
        canvas.text(1, 0, &format!(" {title} "), head);
        let hints = hints(state);
        let columns = columns(&hints, cols);
        let shown = usize::from(rows.saturating_sub(1));
        for (n, hint) in hints.iter().enumerate() {
            let (column, row) = (n / columns.rows.max(1), n % columns.rows.max(1));
            if row >= shown {
                continue;
            }
            let x = column * columns.width + MARGIN;
            let y = row as u16 + 1;
            canvas.text(x as u16, y, hint.key, key_style);
            let x = x + columns.key + MARGIN;
            let room = usize::from(cols).min((column + 1) * columns.width).saturating_sub(x);
            let style = if hint.title == MORE_KEYS || hint.title.starts_with(GROUP) { soft } else { plain };
            canvas.text(x as u16, y, &truncate(hint.title, room), style);
        }
        let hidden = columns.rows.saturating_sub(shown);
        if hidden > 0 {
            let more = format!(" {hidden} more rows ");
            canvas.text(cols.saturating_sub(more.len() as u16 + 1), 0, &more, border);
        }
    }
}
