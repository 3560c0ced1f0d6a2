//! Draws the keys that continue a prefix above the status line: one row a key, in as many columns as fit, by pages where
//! the window is low. Must not know what the commands do.

use ratatui::layout::Rect;

use crate::base::width::{text_width, truncate};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::hint_pages::Page;
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
/// Rows from which on there is a title row with the prefix and the page.
const TITLED_ROWS_MIN: u16 = 2;

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

/// Returns in how many columns that many hints are divided.
fn column_count(hints: usize, cols: u16) -> usize {
    (usize::from(cols) / COLUMN_MIN).clamp(1, hints.max(1))
}

/// Returns where the keys are drawn; `None` if none are.
pub fn area(state: &State, areas: &Areas) -> Option<Rect> {
    let (cols, height) = state.size;
    // A screen reader gets them in the announcement.
    if state.hints.is_empty() || state.is_accessible() {
        return None;
    }
    let bottom = areas.status.map_or(height, |status| status.y);
    let wanted = state.hints.len().div_ceil(column_count(state.hints.len(), cols)) as u16;
    // Half of the window at most, and a title row that sets them apart.
    let rows = (wanted + 1).min(bottom / 2 + 1).min(bottom);
    Some(Rect::new(0, bottom - rows, cols, rows))
}

/// Returns the page of the hints that is shown.
pub fn page(state: &State) -> Page {
    let size = area(state, &state.areas).map_or((0, 0), |area| (area.width, area.height));
    page_of(state, size)
}

fn page_of(state: &State, (cols, rows): (u16, u16)) -> Page {
    let (len, shown) = (state.hints.len(), usize::from(rows - title_rows(rows)));
    Page::of(len, shown * column_count(len, cols), state.hints_page)
}

fn title_rows(rows: u16) -> u16 {
    u16::from(rows >= TITLED_ROWS_MIN)
}

impl Component<State> for KeyHintsPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        let plain = canvas.style("ui.overlay");
        let (key_style, soft) = (plain.patch(canvas.style("ui.key")), canvas.style("ui.overlay.soft"));
        canvas.fill(Rect::new(0, 0, cols, rows), plain);
        let page = page_of(state, (cols, rows));
        let first = title_rows(rows);
        if first > 0 {
            draw_title(canvas, state, &page);
        }
        let hints = hints(state);
        let key_cols = hints.iter().map(|hint| text_width(hint.key)).max().unwrap_or(0);
        let count = column_count(hints.len(), cols);
        let width = (usize::from(cols) / count).min(COLUMN_MAX);
        let shown = &hints[page.range];
        let column_rows = shown.len().div_ceil(count).max(1);
        for (n, hint) in shown.iter().enumerate() {
            let (column, row) = (n / column_rows, n % column_rows);
            let x = column * width + MARGIN;
            let y = row as u16 + first;
            canvas.text(x as u16, y, hint.key, key_style);
            let x = x + key_cols + MARGIN;
            let room = usize::from(cols).min((column + 1) * width).saturating_sub(x);
            let style = if hint.title == MORE_KEYS || hint.title.starts_with(GROUP) { soft } else { plain };
            canvas.text(x as u16, y, &truncate(hint.title, room), style);
        }
    }
}

/// Draws the title row: the keys so far, and which page it is.
fn draw_title(canvas: &mut Canvas<'_>, state: &State, page: &Page) {
    let (cols, _) = canvas.size();
    let (border, head) = (canvas.style("ui.overlay.border"), canvas.style("ui.overlay.title"));
    canvas.text(0, 0, &"─".repeat(usize::from(cols)), border);
    let keys: Vec<String> = state.pending.iter().map(ToString::to_string).collect();
    // An operator of a modal map waits without a prefix.
    let title = if keys.is_empty() { "Then".to_string() } else { format!("{} …", keys.join(" ")) };
    let end = canvas.text(1, 0, &format!(" {title} "), head);
    let Some(label) = page.label() else { return };
    let room = usize::from(cols.saturating_sub(end + 1));
    let short = label.split(' ').next().unwrap_or_default();
    let fits = [label.as_str(), short].into_iter().find(|label| text_width(label) + 2 <= room);
    if let Some(label) = fits {
        let x = cols.saturating_sub(text_width(label) as u16 + 3);
        canvas.text(x, 0, &format!(" {label} "), border);
    }
}
