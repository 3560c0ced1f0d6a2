//! A dialog: text, and its answers as keys in the footer.

use ratatui::layout::Rect;

use super::frame;
use crate::base::width::text_width;
use crate::ide::state::overlay::Dialog;
use crate::tui::canvas::Canvas;
use crate::tui::widgets::line;

/// Widest text.
const COLS: u16 = 78;

/// The text wrapped for a dialog of that width.
fn wrapped(dialog: &Dialog, cols: u16) -> Vec<String> {
    let width = usize::from(cols.saturating_sub(4)).max(1);
    dialog.lines.iter().flat_map(|text| line::wrap_text(text, width)).collect()
}

/// Where it is.
pub fn place(size: (u16, u16), dialog: &Dialog) -> Rect {
    let widest = dialog.lines.iter().map(|line| text_width(line)).max().unwrap_or(0);
    let cols = (widest.max(text_width(&footer(dialog))) as u16).saturating_add(6).clamp(30, COLS);
    let rows = wrapped(dialog, cols.min(size.0)).len() as u16 + 2;
    frame::place(size, cols, rows.max(3))
}

fn footer(dialog: &Dialog) -> String {
    let choices = dialog.choices.iter().map(|choice| match choice.key {
        '\n' => format!("Enter {}", choice.label),
        key => format!("{key} {}", choice.label),
    });
    choices.collect::<Vec<_>>().join("  ")
}

/// Draws it.
pub fn draw(canvas: &mut Canvas<'_>, dialog: &Dialog) {
    let (cols, _) = canvas.size();
    let lines = wrapped(dialog, cols);
    let inner = frame::draw(canvas, &dialog.title, "", &footer(dialog));
    let more = lines.len() > usize::from(inner.height);
    let top = if more { dialog.top.min(lines.len() - usize::from(inner.height).min(lines.len())) } else { 0 };
    let style = canvas.style("ui.overlay");
    for (n, text) in lines.iter().skip(top).take(usize::from(inner.height)).enumerate() {
        canvas.text(inner.x + 1, inner.y + n as u16, text, style);
    }
}
