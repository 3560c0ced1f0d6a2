//! The editor pane: the text of an open file with gutter, selections, caret and decorations.
//!
//! Draws exactly the rows of the last layout. The cost of a line ends at the right edge, except that its
//! start must be walked to find the first visible column.

mod content;
mod gutter;
mod overlays;
pub mod title;

use ratatui::layout::Rect;

use crate::base::width::text_width;
use crate::ide::core::damage::Part;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::model::buffers::Buffer;
use crate::ide::model::view::visible_rows::VisibleRows;
use crate::text::display::rows::{self, DisplayMap};
use crate::text::position::Byte;
use crate::text::selection::Selection;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Editor, layer: 0, make: || Box::new(EditorPane) };

struct EditorPane;

/// A view of a text to draw.
struct DrawContext<'a> {
    state: &'a State,
    buffer: &'a Buffer,
    shown: &'a VisibleRows,
    selection: &'a Selection,
    lens: DisplayMap<'a>,
}

impl DrawContext<'_> {
    /// Returns the cells of a range in a row, from the pane's left edge; may be empty.
    fn cells(&self, row: &rows::Row, from: Byte, to: Byte) -> (u16, u16) {
        let cell = |at| self.cell(self.lens.column(row, at));
        (cell(from), cell(to))
    }

    /// Returns the maximum columns of a line from the project or the settings, or 0.
    fn line_max(&self) -> usize {
        self.buffer.rules.line_length.unwrap_or(self.state.display.line_max)
    }

    /// Returns the cell of a column, from the pane's left edge, clamped to the visible part.
    fn cell(&self, column: usize) -> u16 {
        let right = usize::from(self.shown.cols);
        self.shown.gutter + column.saturating_sub(self.shown.left).min(right) as u16
    }
}

impl Component<State> for EditorPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        if state.buffers.current().is_none() {
            return draw_welcome(canvas, state);
        }
        let Some(part) = state.areas.editor else { return };
        for shown in state.visible_rows.iter().chain(&state.other_visible_rows) {
            let Some(buffer) = state.buffers.all().iter().find(|buffer| buffer.id == shown.buffer) else {
                continue;
            };
            let parked = buffer.area.per_view.other_views.iter().find(|parked| parked.window == shown.window);
            let selection = parked.map_or(&buffer.area.selection, |parked| &parked.selection);
            let lens = DisplayMap {
                wrap: shown.wrap,
                ..buffer.area.display_map(buffer.tab_width(state.text_options.tab_width))
            };
            let drawn = DrawContext { state, buffer, shown, selection, lens };
            if let Some(title_area) = shown.title {
                title::draw(&mut canvas.sub(to_local(part, title_area)), &drawn);
            }
            let mut view = canvas.sub(to_local(part, shown.area));
            if buffer.is_image {
                (state.catalog.draw_image)(&mut view, state, buffer.id);
            } else {
                draw_view(&mut view, &drawn);
            }
        }
        let border = canvas.style("ui.border");
        for line in state.borders.iter().filter(|border| border.is_side_by_side) {
            let line = to_local(part, line.area);
            for y in line.top()..line.bottom() {
                canvas.put_symbol(line.x, y, "│", border);
            }
        }
    }

    fn cursor(&self, _: (u16, u16), state: &State) -> Option<(u16, u16)> {
        let buffer = state.buffers.current().filter(|buffer| !buffer.is_image)?;
        let shown = state.visible_rows.as_ref()?;
        let area = to_local(state.areas.editor?, shown.area);
        let head = buffer.area.per_view.folds.nearest_visible(buffer.area.caret());
        let y = shown.row_of(head)?;
        let lens = buffer.area.display_map(buffer.tab_width(state.text_options.tab_width));
        let x = lens.column(&shown.rows[usize::from(y)], head).checked_sub(shown.left)?;
        let x = u16::try_from(x).ok().filter(|x| *x < shown.cols)?;
        Some((area.x + shown.gutter + x, area.y + y))
    }
}

/// Returns a rectangle of the screen in the coordinates of a part of it.
fn to_local(part: Rect, area: Rect) -> Rect {
    Rect { x: area.x.saturating_sub(part.x), y: area.y.saturating_sub(part.y), ..area }
}

fn draw_view(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>) {
    let found = overlays::matches_in(drawn, canvas.dirty_rows());
    for y in canvas.dirty_rows() {
        match drawn.shown.rows.get(usize::from(y)) {
            Some(row) => {
                gutter::draw_caret_line(canvas, drawn, row, y);
                overlays::draw_rulers(canvas, drawn, y);
                gutter::draw(canvas, drawn, row, y);
                let width = drawn.shown.gutter + drawn.shown.cols;
                let mut text = canvas.sub(Rect::new(0, 0, width, y + 1));
                content::draw(&mut text, drawn, row, y);
                overlays::draw(&mut text, drawn, row, y, &found);
            }
            None => overlays::draw_rulers(canvas, drawn, y),
        }
        gutter::draw_bar(canvas, drawn, y);
    }
}

/// Minimum cells for the keys of the welcome.
const KEY_CELLS: usize = 7;

/// A row of the welcome: a command with its key from where the caret is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WelcomeRow {
    /// The key.
    pub key: String,
    /// The command.
    pub command: &'static str,
    /// What it does.
    pub text: &'static str,
}

/// What can be done first, the most wanted before. Not every context has a key for each: a program in a terminal gets
/// nearly all.
const WELCOME: [(&str, &str); 3] = [
    ("view.files-picker", "go to file"),
    ("view.focus-agent", "focus agent prompt"),
    ("app.palette", "show command palette"),
];

/// From there the others have keys.
const TO_EDITOR: (&str, &str) = ("view.focus-editor", "focus editor");

/// Returns the rows of the welcome: those with a key where the caret is.
pub fn welcome_rows(state: &State) -> Vec<WelcomeRow> {
    let context = state.base_key_context();
    let row = |(command, text)| {
        let key = state.keymap.keys_for(context, command)?;
        Some(WelcomeRow { key, command, text })
    };
    let mut rows: Vec<WelcomeRow> = WELCOME.into_iter().filter_map(row).collect();
    if rows.len() < WELCOME.len() && state.panes.focus != Focus::Editor {
        rows.splice(..0, row(TO_EDITOR));
    }
    rows
}

fn draw_welcome(canvas: &mut Canvas<'_>, state: &State) {
    let (cols, rows) = canvas.size();
    let shown = welcome_rows(state);
    let (strong, soft) = (canvas.style("ui.key"), canvas.style("ui.text.soft"));
    let top = rows.saturating_sub(shown.len() as u16) / 2;
    let widest = shown.iter().map(|row| text_width(&row.key)).max().unwrap_or(0).max(KEY_CELLS) as u16;
    let left = cols.saturating_sub(28) / 2;
    for (n, row) in shown.iter().enumerate() {
        let y = top + n as u16;
        canvas.text(left, y, &row.key, strong);
        canvas.text(left + widest + 2, y, row.text, soft);
    }
}
