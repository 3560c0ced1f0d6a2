//! A picker: the query, the matches, how many there are.

use ratatui::layout::Rect;

use crate::base::width::{text_width, truncate};
use crate::ide::core::layers::frame;
use crate::ide::core::overlay::Picker;
use crate::ide::model::area::Area;
use crate::ide::shell::pickers::PICKERS;
use crate::tui::canvas::Canvas;

/// Where it is.
pub fn place(size: (u16, u16)) -> Rect {
    frame::place(size, 96, 22)
}

/// Rows of matches in a picker of that height.
fn list_rows(height: u16) -> u16 {
    height.saturating_sub(3)
}

/// Draws it.
pub fn draw(canvas: &mut Canvas<'_>, picker: &Picker) {
    let row = PICKERS.iter().find(|row| row.id == picker.id);
    let (title, footer) = row.map_or(("", ""), |row| (row.title, row.footer));
    let more = if picker.filling { "…" } else { "" };
    let count = format!("{} / {}{more}", picker.matches(), picker.total());
    let inner = frame::draw(canvas, title, &count, &format!("{footer}  Escape close"));
    let mut inside = canvas.sub(inner);
    draw_query(&mut inside, &picker.query);
    let height = list_rows(inner.height + 2);
    // The selected row stays in sight: pages, so that a step does not redraw the whole list.
    let first = picker.selected / u32::from(height.max(1)) * u32::from(height.max(1));
    for (n, row) in picker.rows(first, u32::from(height)).enumerate() {
        let y = n as u16 + 1;
        let selected = first + n as u32 == picker.selected;
        draw_row(&mut inside, y, row, selected, picker.marked.contains(&row.pick));
    }
    if picker.matches() == 0 && !picker.filling {
        let style = inside.style("ui.overlay.soft");
        inside.text(2, 1, "nothing matches", style);
    }
}

fn draw_query(canvas: &mut Canvas<'_>, query: &Area) {
    let (sign, text) = (canvas.style("ui.prompt"), canvas.style("ui.overlay"));
    let ground = text.bg;
    canvas.text(1, 0, "›", ratatui::style::Style { bg: ground, ..sign });
    canvas.text(3, 0, &query.text().line(crate::text::position::Line(0)), text);
}

fn draw_row(
    canvas: &mut Canvas<'_>,
    y: u16,
    row: &crate::ide::core::overlay::PickRow,
    selected: bool,
    marked: bool,
) {
    let (cols, _) = canvas.size();
    let (plain, soft) = (canvas.style("ui.overlay"), canvas.style("ui.overlay.faint"));
    let detail_width = text_width(&row.detail).min(usize::from(cols) / 2);
    let room = usize::from(cols).saturating_sub(detail_width + 6);
    canvas.text(1, y, if marked { "✓" } else { " " }, plain);
    canvas.text(3, y, &truncate(&row.text, room), plain);
    let x = usize::from(cols).saturating_sub(detail_width + 1) as u16;
    canvas.text(x, y, &truncate(&row.detail, detail_width), soft);
    if selected {
        let style = canvas.style("ui.row");
        canvas.put_style(Rect::new(0, y, cols, 1), style);
    }
}

/// Where the caret is, in the overlay's coordinates.
pub fn cursor(picker: &Picker) -> (u16, u16) {
    let before =
        picker.query.text().slice(crate::text::position::Byte(0)..picker.query.selection.primary().head);
    (4 + text_width(&before) as u16, 1)
}
