//! Draws the current message over the bottom of the focused pane: above the prompt, or at the end of the text. Must not
//! know what the message is about.

use std::time::Duration;

use ratatui::layout::Rect;

use crate::ide::core::damage::Part;
use crate::ide::core::layout::Areas;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::view::layout::rows_of_caret;
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

/// Returns when the current message is to be removed, on the monotonic clock.
pub fn deadline(state: &State) -> Option<Duration> {
    state.status.deadline().filter(|_| !state.asks_for_key())
}

/// Returns where the current message is drawn; `None` if there is none or the status line has it.
pub fn area(state: &State, areas: &Areas) -> Option<Rect> {
    if state.status.message.is_empty() || state.asks_for_key() {
        return None;
    }
    let screen = Rect::new(0, 0, state.size.0, areas.status.map_or(state.size.1, |status| status.y));
    let pane = pane_below(state, areas, screen);
    let rows_max = if pane.height == 0 { 1 } else { ROWS_MAX as u16 };
    let most = pane.width.max(screen.width.min(COLS_MAX / 2)).min(COLS_MAX);
    let lines = lines(state, most);
    let widest = lines.iter().map(|line| line::width(line)).max().unwrap_or(0);
    let (cols, rows) = ((widest as u16 + 2).min(most), (lines.len() as u16).min(screen.height).min(rows_max));
    let x = pane.right().saturating_sub(cols);
    let area = Rect::new(x, pane.bottom().saturating_sub(rows), cols, rows);
    Some(beside_caret(state, areas, area)).filter(|area| !area.is_empty())
}

/// Returns the part of the screen over whose last rows the message is drawn: the focused pane where that leaves its
/// caret free, else rows that the keys do not go to.
fn pane_below(state: &State, areas: &Areas, screen: Rect) -> Rect {
    // Without room the message stands in the place of the status line.
    let status = areas.status.map_or(screen, |status| Rect { y: status.bottom(), height: 0, ..status });
    if let Some(layer) = state.layers.last() {
        let layer = layer.area(state.size);
        let below = screen.bottom().saturating_sub(layer.bottom());
        return match layer.y {
            _ if below >= ROWS_MAX as u16 => screen,
            0 => Rect { height: screen.height.saturating_sub(1), ..screen },
            y => Rect { height: y, ..screen },
        };
    }
    match state.panes.focus {
        Focus::Agent => areas.transcript.unwrap_or(status),
        Focus::Terminal => areas.editor.or(areas.transcript).unwrap_or(status),
        Focus::Editor | Focus::Files => areas.editor.or(areas.transcript).unwrap_or(screen),
    }
}

/// Moves an area above the rows of the editor's caret.
fn beside_caret(state: &State, areas: &Areas, area: Rect) -> Rect {
    let Some(editor) = areas.editor.filter(|_| state.panes.focus == Focus::Editor) else { return area };
    let rows = rows_of_caret(state);
    let covered = |rows: &std::ops::Range<u16>| {
        (rows.start + editor.y..rows.end + editor.y).any(|row| (area.top()..area.bottom()).contains(&row))
    };
    match rows.iter().filter(|rows| covered(rows)).map(|rows| rows.start + editor.y).min() {
        Some(top) => Rect { y: top.saturating_sub(area.height), ..area },
        None => area,
    }
}
