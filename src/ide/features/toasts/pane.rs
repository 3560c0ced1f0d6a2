//! Draws the current message where it hides least: at the end of the focused pane, but over no title, no footer of a
//! list, and not the row with the caret. Must not know what the message is about.

use std::time::Duration;

use ratatui::layout::Rect;

use crate::ide::core::damage::Part;
use crate::ide::core::layout::Areas;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;
use crate::tui::widgets::line::{self, BreakMode, Line, Span};

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Toast, layer: 2, make: || Box::new(ToastPane) };

/// Maximum rows; the log has the rest.
const ROWS_MAX: usize = 4;
/// Maximum columns.
const COLS_MAX: u16 = 76;
/// Maximum bytes that are wrapped.
const TEXT_MAX: usize = 2_000;

struct ToastPane;

impl Component<State> for ToastPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        let ground = canvas.style("ui.overlay");
        canvas.fill(Rect::new(0, 0, cols, rows), ground);
        for (y, line) in (0..rows).zip(&lines(state, cols)) {
            let mut x = 1;
            for span in line {
                let style = canvas.style(span.scope);
                x = canvas.text(x, y, &span.text, style);
            }
        }
    }
}

/// Returns the rows of the message in a pane of that width.
fn lines(state: &State, cols: u16) -> Vec<Line> {
    let status = &state.status;
    let text = &status.message[..status.message.floor_char_boundary(TEXT_MAX)];
    let (sign, scope) = if status.is_error { ("✗ ", "ui.toast.error") } else { ("", "ui.overlay") };
    let spans = [Span::new(text, scope)];
    let (first, rest) = ([Span::new(sign, scope)], [Span::new(" ".repeat(sign.chars().count()), scope)]);
    let mut lines = line::wrap(&spans, cols.saturating_sub(2), &first, &rest, BreakMode::Words);
    if lines.len() > ROWS_MAX {
        lines.truncate(ROWS_MAX);
        let last = &mut lines[ROWS_MAX - 1];
        let room = usize::from(cols.saturating_sub(2));
        if let Some(span) = last.last_mut() {
            let taken = text_before(&span.text, room.saturating_sub(sign.chars().count() + 1));
            span.text = format!("{taken}…");
        }
    }
    lines
}

fn text_before(text: &str, cols: usize) -> String {
    crate::base::width::truncate(text, cols).trim_end_matches('…').to_string()
}

/// Returns when the current message is to be removed, on the monotonic clock. For screen readers it stays until the next.
pub fn deadline(state: &State) -> Option<Duration> {
    state.status.deadline().filter(|_| !state.asks_for_key() && !state.is_accessible())
}

/// Returns where the current message is drawn; `None` if there is none or the last line has it.
pub fn area(state: &State, areas: &Areas) -> Option<Rect> {
    if state.status.message.is_empty() || state.asks_for_key() || state.is_accessible() {
        return None;
    }
    let bottom = areas.status.map_or(state.size.1, |status| status.y);
    let screen = Rect::new(0, 0, state.size.0, bottom);
    let pane = preferred_pane(state, areas, screen);
    let most = pane.width.max(screen.width.min(COLS_MAX / 2)).min(COLS_MAX);
    let lines = lines(state, most);
    let widest = lines.iter().map(|line| line::width(line)).max().unwrap_or(0);
    let (cols, rows) = ((widest as u16 + 2).min(most), (lines.len() as u16).min(screen.height));
    let x = pane.right().saturating_sub(cols);
    let wanted = Rect::new(x, pane.bottom().saturating_sub(rows), cols, rows);
    let kept = kept_areas(state, areas);
    let body = state.layers.last().map(|layer| state.layer_area(layer));
    let columns =
        [x, pane.x.min(screen.right().saturating_sub(cols)), screen.right().saturating_sub(cols), 0];
    let top = screen.bottom().saturating_sub(rows);
    let free = columns.iter().flat_map(|x| (0..=top).rev().map(|y| Rect { x: *x, y, ..wanted }));
    // The last resort is the place of the status line, which has one row.
    let status = areas.status.map(|status| Rect { y: status.y, height: 1, ..wanted });
    let cost = |area: &Rect| {
        let hidden: u32 = kept.iter().map(|kept| kept.intersection(*area).area()).sum();
        let over_list = body.map_or(0, |body| u32::from(body.intersection(*area).height));
        let far = u32::from(area.y.abs_diff(wanted.y)) + 2 * u32::from(area.x != wanted.x);
        let last_resort = if area.y >= bottom { STATUS_COST } else { 0 };
        hidden * KEPT_COST + over_list * LIST_ROW_COST + far + last_resort
    };
    free.chain(status).min_by_key(cost).filter(|area| !area.is_empty())
}

/// Cost of hiding a cell that the user needs, of hiding the status line, and of hiding a row of a list; the unit is a
/// row away from where messages are expected.
const KEPT_COST: u32 = 10_000;
const STATUS_COST: u32 = 2_000;
const LIST_ROW_COST: u32 = 30;

/// Returns the part of the screen at whose end messages are expected: the conversation above the prompt, or the text.
fn preferred_pane(state: &State, areas: &Areas, screen: Rect) -> Rect {
    let text = areas.editor.or(areas.transcript).unwrap_or(screen);
    match state.panes.focus {
        _ if !state.layers.is_empty() => screen,
        Focus::Agent => areas.transcript.unwrap_or(screen),
        Focus::Terminal | Focus::Editor | Focus::Files | Focus::SessionTree => text,
    }
}

/// Returns what a message must not hide: the row with the caret, titles, the keys at the end of lists, what has the
/// keys.
fn kept_areas(state: &State, areas: &Areas) -> Vec<Rect> {
    let row = |area: Rect, y: u16| Rect { y, height: 1, ..area };
    let fixed = [areas.tabs, areas.agent_title, areas.prompt, areas.approval];
    let mut kept: Vec<Rect> = fixed.into_iter().flatten().collect();
    let windows = state.visible_rows.iter().chain(&state.other_visible_rows);
    kept.extend(windows.filter_map(|shown| shown.title));
    if let Some(layer) = state.layers.last() {
        let area = state.layer_area(layer);
        kept.extend([row(area, area.y), row(area, area.bottom().saturating_sub(1))]);
        kept.extend(layer.cursor((area.width, area.height)).map(|(_, y)| row(area, area.y + y)));
        if area.height <= SMALL_LAYER {
            kept.push(area);
        }
    }
    match state.panes.focus {
        Focus::Editor => kept.extend(caret_row(state)),
        Focus::Terminal => kept.extend(areas.terminal),
        Focus::Agent | Focus::Files | Focus::SessionTree => {}
    }
    kept
}

/// A layer of at most so many rows, such as a prompt, is left free as a whole.
const SMALL_LAYER: u16 = 5;

/// Returns the row of the text with the caret.
fn caret_row(state: &State) -> Option<Rect> {
    let (shown, buffer) = (state.visible_rows.as_ref()?, state.buffers.current()?);
    let head = buffer.area.per_view.folds.nearest_visible(buffer.area.caret());
    let y = shown.area.y + shown.row_of(head)?;
    Some(Rect { y, height: 1, ..shown.area })
}
