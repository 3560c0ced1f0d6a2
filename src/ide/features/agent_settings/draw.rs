//! Draws the panel: a row for each setting with its value and what that means.

use ratatui::layout::Rect;

use crate::base::width::{text_width, truncate};
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::frame;
use crate::ide::core::state::State;
use crate::ide::features::agent_settings::layer::SettingsView;
use crate::ide::features::agent_settings::rows::SETTINGS;
use crate::tui::canvas::Canvas;

/// Maximum width with the frame.
const COLS: u16 = 84;
/// Where names and values begin.
const NAME_X: u16 = 2;
const VALUE_X: u16 = 18;
/// Keys in the footer, with short descriptions.
const KEYS: &[(&str, &str)] =
    &[("agent.next-value", "change"), ("list.accept", "list"), ("app.escape", "close")];

/// Returns its area.
pub fn view_area(size: (u16, u16)) -> Rect {
    frame::frame_area(size, COLS, SETTINGS.len() as u16 + 2)
}

/// Draws the panel.
pub fn draw(canvas: &mut Canvas<'_>, view: &SettingsView, state: &State) {
    let key = |(id, name): &(&str, &str)| {
        Some(format!("{} {name}", state.keymap.keys_for(KeyContext::AgentSettings, id)?))
    };
    let footer = KEYS.iter().filter_map(key).collect::<Vec<_>>().join("  ");
    let inner = frame::draw(canvas, "Agent settings", "from the next request on", &footer);
    let mut rows = canvas.sub(inner);
    let (cols, height) = rows.size();
    let (plain, soft) = (rows.style("ui.overlay"), rows.style("ui.overlay.soft"));
    // A screen of few rows shows those around the selected one.
    let first = (view.selected + 1).saturating_sub(usize::from(height));
    for (y, (n, setting)) in (0..height).zip(SETTINGS.iter().enumerate().skip(first)) {
        rows.text(NAME_X, y, setting.name, plain);
        let (value, about) = (setting.value)(state);
        let room = usize::from(cols.saturating_sub(VALUE_X + 1));
        let value = truncate(&value, room);
        rows.text(VALUE_X, y, &value, plain);
        let used = text_width(&value) + 2;
        if used < room {
            rows.text(VALUE_X + used as u16, y, &truncate(&about, room - used), soft);
        }
        if n == view.selected {
            let row = rows.style("ui.row");
            rows.text(0, y, "▸", plain);
            rows.select_row(Rect::new(0, y, cols, 1), row);
        }
    }
}
