//! The pane of the terminals: a row of their titles, and the grid of one of them.

use ratatui::layout::Rect;

use crate::base::width::{text_width, truncate};
use crate::ide::core::damage::Part;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::features::terminal::events::divide;
use crate::ide::features::terminal::state::TERMINALS;
use crate::ide::features::terminal::state::{ShellState, Terminal};
use crate::tui::canvas::Canvas;
use crate::tui::screen::CursorShape;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Terminal, layer: 0, make: || Box::new(TerminalPane) };

/// Cells of a program's own title.
const TITLE_COLS_MAX: usize = 30;

struct TerminalPane;

/// A terminal's text in the title row.
fn label(index: usize, terminal: &Terminal) -> String {
    if let Some(job) = &terminal.job {
        return format!(" {} ", job.label());
    }
    let sign = match terminal.shell {
        ShellState::Ended(_) | ShellState::Failed(_) => " ✗",
        ShellState::Starting | ShellState::Running => "",
    };
    let name = match &terminal.name {
        name if name.is_empty() => "shell",
        name => name,
    };
    let title = match &terminal.grid.title {
        Some(title) => format!(" {}", truncate(title, TITLE_COLS_MAX)),
        None => String::new(),
    };
    format!(" {} {name}{title}{sign} ", index + 1)
}

/// Returns the shown titles, such that the active terminal's is among them: index, column, width.
fn title_spans(state: &State, cols: u16) -> Vec<(usize, u16, u16)> {
    let all = state.slots[TERMINALS].all().iter().enumerate();
    let widths: Vec<u16> = all.map(|(index, one)| text_width(&label(index, one)) as u16).collect();
    let active = state.slots[TERMINALS].active_index();
    let mut first = 0;
    while first < active
        && widths[first..=active].iter().map(|w| u32::from(*w)).sum::<u32>() > u32::from(cols)
    {
        first += 1;
    }
    let mut x = 0;
    let mut spans = Vec::new();
    for (index, width) in widths.into_iter().enumerate().skip(first) {
        if x >= cols {
            break;
        }
        spans.push((index, x, width));
        x += width;
    }
    spans
}

/// Returns the terminal whose title is at a column of a title row of that width.
pub fn title_at(state: &State, cols: u16, x: u16) -> Option<usize> {
    let spans = title_spans(state, cols);
    spans.into_iter().find(|(_, from, width)| (*from..from + width).contains(&x)).map(|(index, ..)| index)
}

impl Component<State> for TerminalPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        let (title, grid) = divide(Rect::new(0, 0, cols, rows));
        if title.is_some() {
            draw_titles(canvas, state, cols);
        }
        let Some(terminal) = state.slots[TERMINALS].active() else { return };
        draw_grid(&mut canvas.sub(grid), terminal);
    }

    fn cursor(&self, (cols, rows): (u16, u16), state: &State) -> Option<(u16, u16)> {
        let grid = divide(Rect::new(0, 0, cols, rows)).1;
        let (x, y) = state.slots[TERMINALS].active()?.grid.cursor?;
        (x < grid.width && y < grid.height).then_some((grid.x + x, grid.y + y))
    }
}

fn draw_titles(canvas: &mut Canvas<'_>, state: &State, cols: u16) {
    if canvas.is_accessible() {
        return draw_title_in_words(canvas, state, cols);
    }
    let ground = canvas.style("ui.title");
    let focused = state.panes.focus == Focus::Terminal;
    let (active, strong) = (canvas.style("ui.tab.active"), canvas.style("ui.title.focus"));
    canvas.fill(Rect::new(0, 0, cols, 1), ground);
    let mut end = 0;
    for (index, x, _) in title_spans(state, cols) {
        let style = match (index == state.slots[TERMINALS].active_index(), focused) {
            (true, true) => active.patch(strong),
            (true, false) => active,
            (false, _) => ground,
        };
        end = canvas.text(x, 0, &label(index, &state.slots[TERMINALS].all()[index]), style);
    }
    let back = state.slots[TERMINALS].active().map_or(0, |terminal| terminal.grid.back);
    if back > 0 {
        let sign = format!(" ↑ {back} rows back ");
        let width = text_width(&sign) as u16;
        if end + width <= cols {
            canvas.text(cols - width, 0, &sign, strong);
        } else if cols > 2 {
            canvas.text(cols - 2, 0, "↑ ", strong);
        }
    }
}

/// Draws the title for screen readers: which terminal, its program, and whether older rows are shown.
fn draw_title_in_words(canvas: &mut Canvas<'_>, state: &State, cols: u16) {
    let style = canvas.style("ui.title.focus");
    canvas.fill(Rect::new(0, 0, cols, 1), style);
    let terminals = &state.slots[TERMINALS];
    let Some(terminal) = terminals.active() else { return };
    let name = match &terminal.job {
        Some(job) => job.title(),
        None if terminal.name.is_empty() => "shell".to_string(),
        None => terminal.name.clone(),
    };
    let mut parts = vec![format!("Terminal: {name}")];
    let count = terminals.all().len();
    if count > 1 {
        parts.push(format!("{} of {count}", terminals.active_index() + 1));
    }
    if let Some(job) = &terminal.job {
        parts.push(job.end_words().unwrap_or_else(|| "running".to_string()));
    } else if terminal.has_ended() {
        parts.push("ended".to_string());
    }
    if terminal.grid.back > 0 {
        parts.push(format!("{} rows back", terminal.grid.back));
    }
    canvas.content(0, 0, &truncate(&parts.join(", "), usize::from(cols)), style);
}

fn draw_grid(canvas: &mut Canvas<'_>, terminal: &Terminal) {
    let (cols, rows) = canvas.size();
    let (ground, selected) = (canvas.style("ui.text"), canvas.style("ui.selection"));
    canvas.fill(Rect::new(0, 0, cols, rows), ground);
    let dirty = canvas.dirty_rows();
    for (y, row) in (0..rows).zip(&terminal.grid.rows).filter(|(y, _)| dirty.contains(y)) {
        for run in &**row {
            let style = ground.patch(run.style);
            canvas.content(run.x, y, &run.text, if run.selected { style.patch(selected) } else { style });
        }
    }
    let Some((status_text, scope)) = end_row(terminal) else { return };
    let style = canvas.style(scope);
    let y = rows.saturating_sub(1);
    canvas.fill(Rect::new(0, y, cols, 1), style);
    canvas.text(1, y, &truncate(&status_text, usize::from(cols.saturating_sub(2))), style);
}

/// Returns what the last row says about a terminal that has ended, and its style.
fn end_row(terminal: &Terminal) -> Option<(String, &'static str)> {
    if let Some(job) = &terminal.job {
        if let ShellState::Failed(error) = &terminal.shell {
            return Some((format!("Its output cannot be shown: {error}"), "ui.status.error"));
        }
        let words = job.end_words()?;
        return Some((format!("Background job ended: {words}"), "ui.status.warning"));
    }
    Some(match &terminal.shell {
        ShellState::Starting | ShellState::Running => return None,
        ShellState::Ended(code) => (format!("Shell ended with {code}. Restart: Enter"), "ui.status.warning"),
        ShellState::Failed(error) => (format!("No shell: {error}. Retry: Enter"), "ui.status.error"),
    })
}

/// Returns the shape of the caret in the shown terminal.
pub fn cursor_shape(state: &State) -> CursorShape {
    state.slots[TERMINALS].active().map_or(CursorShape::Default, |terminal| terminal.grid.shape)
}
