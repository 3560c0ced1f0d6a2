//! Draws the box that takes keys: the keys so far, and what they do.

use crate::base::width::truncate;
use crate::ide::core::layers::frame;
use crate::ide::core::state::State;
use crate::ide::features::key_editor::recorder::Recorder;
use crate::ide::features::key_editor::rows::{losses, meanings};
use crate::ide::features::key_editor::store::sequence_text;
use crate::tui::canvas::Canvas;

/// Columns of the names of contexts.
const CONTEXT_COLS: u16 = 15;

/// Draws the box.
pub fn draw(canvas: &mut Canvas<'_>, recorder: &Recorder, state: &State) {
    let (title, footer) = match &recorder.target {
        Some(target) => (format!("New key: {}", target.title), "Enter save  Backspace back  Escape cancel"),
        None => ("What a key does".to_string(), "Escape close"),
    };
    let inner = frame::draw(canvas, &title, recorder.context.name(), footer);
    let mut inside = canvas.sub(inner);
    let (cols, rows) = inside.size();
    let (plain, soft) = (inside.style("ui.overlay"), inside.style("ui.overlay.soft"));
    if recorder.keys.is_empty() {
        inside.text(1, 0, &truncate("Press the keys", usize::from(cols.saturating_sub(2))), soft);
        return;
    }
    let key = plain.patch(inside.style("ui.key"));
    inside.text(1, 0, &truncate(&sequence_text(&recorder.keys), usize::from(cols.saturating_sub(2))), key);
    let is_new = recorder.target.is_some();
    let (lost, found) = if is_new {
        (losses(state, recorder.context, &recorder.keys), Vec::new())
    } else {
        (Vec::new(), meanings(state, recorder.context, &recorder.keys))
    };
    if found.is_empty() && lost.is_empty() {
        let text = if is_new { "Free" } else { "Does nothing here" };
        inside.text(1, 2.min(rows.saturating_sub(1)), text, soft);
        return;
    }
    let warning = inside.style("ui.overlay.title");
    for (y, text) in (2..rows).zip(&lost) {
        inside.text(1, y, &truncate(text, usize::from(cols.saturating_sub(2))), warning);
    }
    for (y, meaning) in (2..rows).zip(&found) {
        let style = if meaning.counts { plain } else { soft };
        inside.text(1, y, meaning.context.name(), soft);
        let x = 1 + CONTEXT_COLS;
        let hidden = if meaning.counts { "" } else { "  (hidden)" };
        let text = format!("{}{hidden}", meaning.text);
        inside.text(x, y, &truncate(&text, usize::from(cols.saturating_sub(x + 1))), style);
    }
}
