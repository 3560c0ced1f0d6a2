//! Draws the list of completions at the editor's caret, with what is said about the selected one beside it. Must not know
//! where rows come from.

use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::base::width::{text_width, truncate, visible};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::at_caret;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::state::State;
use crate::ide::features::completion::rank;
use crate::ide::features::completion::state::{COMPLETIONS, OpenList, ROWS_SHOWN};
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
/// Maximum rows of the documentation, where the list has fewer.
const DOCUMENTATION_ROWS: usize = 10;

struct CompletionsPane;

/// The texts of a row.
struct Texts {
    label: String,
    suffix: String,
    kind: &'static str,
}

impl Texts {
    fn of(open: &OpenList, found: rank::Match) -> Self {
        let item = &open.rows[found.row as usize].item;
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

/// Returns the columns for documentation at the right of the list; 0 if there is too little room.
pub fn documentation_width(state: &State) -> u16 {
    let room = place(state).map_or(0, |((x, _), cols)| state.size.0.saturating_sub(x + cols + BESIDE));
    if room < DOCUMENTATION_COLS.0 { 0 } else { room.min(DOCUMENTATION_COLS.1) }
}

/// Returns the columns that the documentation takes beside a list.
fn beside(open: &OpenList) -> u16 {
    let said = open.documentation.as_ref().filter(|said| !said.lines.is_empty());
    said.map_or(0, |said| said.width + BESIDE)
}

/// Returns where the list is drawn; `None` if none is.
pub fn area(state: &State) -> Option<Rect> {
    if !state.shows_editor_completions || state.is_accessible() || !state.layers.is_empty() {
        return None;
    }
    let open = state.slots[COMPLETIONS].open.as_ref()?;
    let (at, list) = place(state)?;
    let said = open.documentation.as_ref().map_or(0, |said| said.lines.len());
    let rows = open.shown(ROWS_SHOWN).1.len().max(said.min(DOCUMENTATION_ROWS)) as u16;
    let size = (state.size.0, state.areas.status.map_or(state.size.1, |status| status.y));
    Some(at_caret::area(at, (list + beside(open), rows), size))
}

impl Component<State> for CompletionsPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        let plain = canvas.style("ui.overlay");
        canvas.fill(Rect::new(0, 0, cols, rows), plain);
        let Some(open) = &state.slots[COMPLETIONS].open else { return };
        let said = open.documentation.as_ref().filter(|said| !said.lines.is_empty());
        let beside = beside(open).min(cols / 2);
        let width = cols - beside;
        let (first, shown) = open.shown(usize::from(rows).min(ROWS_SHOWN));
        for (y, (n, found)) in (0_u16..).zip(shown.iter().enumerate()) {
            draw_row(&mut canvas.sub(Rect::new(0, y, width, 1)), open, *found, first + n == open.selected);
        }
        if let Some(said) = said {
            draw_documentation(&mut canvas.sub(Rect::new(width, 0, beside, rows)), &said.lines);
        }
    }
}

fn draw_row(canvas: &mut Canvas<'_>, open: &OpenList, found: rank::Match, is_selected: bool) {
    let (cols, _) = canvas.size();
    let (plain, soft) = (canvas.style("ui.overlay"), canvas.style("ui.overlay.faint"));
    let row = &open.rows[found.row as usize];
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

fn draw_documentation(canvas: &mut Canvas<'_>, lines: &[Line]) {
    let (cols, rows) = canvas.size();
    let border = canvas.style("ui.overlay.border");
    for y in 0..rows {
        canvas.text(0, y, "│", border);
    }
    let mut inside = canvas.sub(Rect::new(2, 0, cols.saturating_sub(3), rows));
    hover::draw_lines(&mut inside, lines.iter());
    if lines.len() > usize::from(rows) && rows > 0 && cols > 3 {
        canvas.text(cols - 2, rows - 1, "…", border);
    }
}
