//! Draws the list of completions at the editor's caret, with what is said about the selected one beside or below it. Must
//! not know where rows come from.

use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::base::width::{text_width, truncate, visible};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::at_caret;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::state::State;
use crate::ide::features::completion::rank;
use crate::ide::features::completion::state::{COMPLETIONS, Documentation, OpenList, ROWS_SHOWN};
use crate::ide::features::language_servers::hover;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;
use crate::tui::widgets::line::Line;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Completions, layer: 1, make: || Box::new(CompletionsPane) };

/// Cells before a row's text: the sign of the selected one.
const MARGIN: u16 = 2;
/// Minimum cells between columns.
const GAP: usize = 2;
/// Minimum and maximum columns of the list.
const COLS: (usize, usize) = (16, 56);
/// Minimum and maximum columns of the documentation beside the list.
const DOCUMENTATION_COLS: (u16, u16) = (24, 46);
/// Columns around it: the line before it, and the margins.
const BESIDE: u16 = 3;
/// Maximum rows of the documentation beside a list that has fewer.
const DOCUMENTATION_ROWS: usize = 10;
/// Maximum rows of the documentation below the list.
const BELOW_ROWS: usize = 6;

struct CompletionsPane;

/// The texts of a row.
struct Texts {
    label: String,
    suffix: String,
    kind: &'static str,
}

impl Texts {
    fn of(open: &OpenList, found: rank::Match) -> Self {
        let item = &open.row(found.row).item;
        let origin = if item.origin.is_empty() { String::new() } else { format!("  {}", item.origin) };
        Self {
            label: visible(item.label.trim()).into_owned(),
            suffix: visible(&format!("{}{origin}", item.suffix)).into_owned(),
            kind: item.kind,
        }
    }

    fn width(&self) -> usize {
        let kind = if self.kind.is_empty() { 0 } else { GAP + text_width(self.kind) };
        text_width(&self.label) + text_width(&self.suffix) + kind
    }
}

/// Returns the cell at which the list stands, below what was typed, and its columns.
fn place(state: &State) -> Option<((u16, u16), u16)> {
    let open = state.slots[COMPLETIONS].open.as_ref()?;
    let caret = state.buffers.current()?.area.caret();
    let at = at_caret::cell(state, caret.back(open.selected_row().map_or(0, |row| open.back(row))))?;
    let (_, shown) = open.shown(ROWS_SHOWN);
    let widest = shown.iter().map(|found| Texts::of(open, *found).width()).max().unwrap_or(0);
    let cols = widest.clamp(COLS.0, COLS.1) as u16 + MARGIN + 1;
    Some(((at.0.saturating_sub(MARGIN), at.1), cols.min(state.size.0)))
}

/// Returns the columns at the right of the list; nothing if they are too few for documentation.
fn room_beside(state: &State) -> Option<u16> {
    let room = place(state).map_or(0, |((x, _), cols)| state.size.0.saturating_sub(x + cols + BESIDE));
    (room >= DOCUMENTATION_COLS.0).then_some(room)
}

/// Returns the columns for documentation beside the list, or below it in a narrow window; 0 if there is too little room.
pub fn documentation_width(state: &State) -> u16 {
    let room = room_beside(state).unwrap_or_else(|| state.size.0.saturating_sub(BESIDE));
    if room < DOCUMENTATION_COLS.0 { 0 } else { room.min(DOCUMENTATION_COLS.1) }
}

/// What is said about the selected row.
fn said(open: &OpenList) -> Option<&Documentation> {
    open.documentation.as_ref().filter(|said| !said.lines.is_empty())
}

/// Where the list and its documentation are drawn.
struct Layout {
    /// Around both, on the screen.
    area: Rect,
    /// The list, within the area.
    list: Rect,
    /// The documentation with its line, within the area; empty without any.
    said: Rect,
    /// Whether the documentation is beside the list.
    is_beside: bool,
}

/// Returns where the list is drawn; `None` if none is. It stays where it is when the documentation comes.
fn layout(state: &State) -> Option<Layout> {
    if !state.shows_editor_completions || state.is_accessible() || !state.layers.is_empty() {
        return None;
    }
    let open = state.slots[COMPLETIONS].open.as_ref()?;
    let (at, cols) = place(state)?;
    let rows = open.shown(ROWS_SHOWN).1.len() as u16;
    let size = (state.size.0, state.areas.status.map_or(state.size.1, |status| status.y));
    let kept = open.is_above.filter(|is_above| at_caret::stays_on_side(at.1, rows, size.1, *is_above));
    let list = at_caret::area_on_side(at, (cols, rows), size, kept);
    let Some(said) = said(open) else {
        let inside = Rect { x: 0, y: 0, ..list };
        return Some(Layout { area: list, list: inside, said: Rect::ZERO, is_beside: false });
    };
    let is_beside = room_beside(state).is_some();
    let lines = said.lines.len();
    let wanted = if is_beside {
        (lines.min(DOCUMENTATION_ROWS) as u16).saturating_sub(list.height)
    } else {
        // Behind a line.
        1 + lines.min(BELOW_ROWS) as u16
    };
    // Further rows are away from the caret.
    let is_above = list.y < at.1;
    let room = if is_above { list.y } else { size.1.saturating_sub(list.bottom()) };
    let more = if room < 2 { 0 } else { wanted.min(room) };
    let above = if is_above { more } else { 0 };
    let for_said = said.width + BESIDE;
    let width = if is_beside { list.width + for_said } else { list.width.max(for_said) }.min(size.0);
    let height = list.height + more;
    let area = Rect { x: list.x.min(size.0 - width), y: list.y - above, width, height };
    if is_beside {
        let list_width = width.saturating_sub(for_said).max(width / 2);
        let said = Rect { x: list_width, y: 0, width: width - list_width, height };
        let list = Rect { x: 0, y: above, width: list_width, height: list.height };
        return Some(Layout { area, list, said, is_beside });
    }
    let said = Rect { x: 0, y: if is_above { 0 } else { list.height }, width, height: more };
    let list = Rect { x: list.x - area.x, y: above, ..list };
    Some(Layout { area, list, said, is_beside })
}

/// Keeps the list on the side of the caret's line on which it is, while it gets shorter or longer, as long as there is
/// room for it.
pub fn keep_side(state: &mut State) {
    let Some(Layout { area, list, .. }) = layout(state) else { return };
    let Some(((_, y), _)) = place(state) else { return };
    if let Some(open) = &mut state.slots[COMPLETIONS].open {
        open.is_above = Some(area.y + list.y < y);
    }
}

/// Returns where the list is drawn; `None` if none is.
pub fn area(state: &State) -> Option<Rect> {
    layout(state).map(|layout| layout.area)
}

impl Component<State> for CompletionsPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        let plain = canvas.style("ui.overlay");
        canvas.fill(Rect::new(0, 0, cols, rows), plain);
        let (Some(open), Some(layout)) = (&state.slots[COMPLETIONS].open, layout(state)) else { return };
        let (first, shown) = open.shown(layout.list.height.into());
        for (y, (n, found)) in (0_u16..).zip(shown.iter().enumerate()) {
            let row = Rect { y: layout.list.y + y, height: 1, ..layout.list };
            draw_row(&mut canvas.sub(row), open, *found, first + n == open.selected);
        }
        let Some(said) = said(open).filter(|_| !layout.said.is_empty()) else { return };
        let mut canvas = canvas.sub(layout.said);
        if layout.is_beside {
            draw_beside(&mut canvas, &said.lines);
        } else {
            draw_below(&mut canvas, &said.lines, layout.list.y > layout.said.y);
        }
    }
}

fn draw_row(canvas: &mut Canvas<'_>, open: &OpenList, found: rank::Match, is_selected: bool) {
    let (cols, _) = canvas.size();
    let (plain, soft) = (canvas.style("ui.overlay"), canvas.style("ui.overlay.faint"));
    let row = open.row(found.row);
    let texts = Texts::of(open, found);
    canvas.text(0, 0, if is_selected { "▸" } else { " " }, plain);
    let room = usize::from(cols).saturating_sub(usize::from(MARGIN) + 1);
    let label = truncate(&texts.label, room);
    let crossed = if row.item.is_deprecated { Modifier::CROSSED_OUT } else { Modifier::empty() };
    let end = canvas.text(MARGIN, 0, &label, plain.add_modifier(crossed));
    let back = open.back(row);
    let query = rank::query(&open.before, back);
    let marked = canvas.style("ui.overlay.title");
    let letters = rank::letters(&label, query);
    let mut x = MARGIN;
    for (n, letter) in (0_u32..).zip(label.chars()) {
        let width = text_width(letter.encode_utf8(&mut [0; 4])) as u16;
        if letters.contains(&n) {
            canvas.put_style(Rect::new(x, 0, width, 1), marked.add_modifier(crossed));
        }
        x += width;
    }
    let kind = texts.kind;
    let kind_cols = if kind.is_empty() { 0 } else { text_width(kind) + GAP };
    let room = usize::from(cols).saturating_sub(usize::from(end) + 1);
    // What tells two of the same name apart counts more than their kind.
    let with_kind = room >= kind_cols + text_width(&texts.suffix).min(GAP * 2);
    let for_suffix = if with_kind { room - kind_cols } else { room };
    canvas.text(end, 0, &truncate(&texts.suffix, for_suffix), soft);
    if with_kind && kind_cols > 0 {
        canvas.text(cols.saturating_sub(text_width(kind) as u16 + 1), 0, kind, soft);
    }
    if is_selected {
        let style = canvas.style("ui.row");
        canvas.select_row(Rect::new(0, 0, cols, 1), style);
    }
}

fn draw_beside(canvas: &mut Canvas<'_>, lines: &[Line]) {
    let (cols, rows) = canvas.size();
    let border = canvas.style("ui.overlay.border");
    for y in 0..rows {
        canvas.text(0, y, "│", border);
    }
    draw_lines(canvas, Rect::new(2, 0, cols.saturating_sub(3), rows), lines);
}

/// Draws it below the list, or above a list that is above the caret.
fn draw_below(canvas: &mut Canvas<'_>, lines: &[Line], is_above: bool) {
    let (cols, rows) = canvas.size();
    let border = canvas.style("ui.overlay.border");
    let (line, top) = if is_above { (rows - 1, 0) } else { (0, 1) };
    canvas.text(0, line, &"─".repeat(cols.into()), border);
    draw_lines(canvas, Rect::new(MARGIN, top, cols.saturating_sub(MARGIN + 1), rows - 1), lines);
}

/// Draws lines, and a sign where there are more.
fn draw_lines(canvas: &mut Canvas<'_>, place: Rect, lines: &[Line]) {
    hover::draw_lines(&mut canvas.sub(place), lines.iter());
    if lines.len() > usize::from(place.height) && place.height > 0 && place.width > 0 {
        let border = canvas.style("ui.overlay.border");
        canvas.text(place.right() - 1, place.bottom() - 1, "…", border);
    }
}
