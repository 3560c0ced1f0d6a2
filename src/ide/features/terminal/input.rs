//! Sends keys, pastes and the mouse to a terminal. Must not know which keys the pane keeps: that is in the
//! key map.

use ratatui::layout::{Position, Rect};

use crate::ide::core::clicks::next_click;
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::terminal;
use crate::ide::features::terminal::agent_jobs;
use crate::ide::features::terminal::emulator::grid::{Modes, MouseReporting};
use crate::ide::features::terminal::emulator::mouse as reports;
use crate::ide::features::terminal::emulator::screen::{ScrollBy, SelectionUnit};
use crate::ide::features::terminal::events::divide;
use crate::ide::features::terminal::messages::TerminalRequest;
use crate::ide::features::terminal::pane::title_at;
use crate::ide::features::terminal::state::ShellState;
use crate::ide::features::terminal::state::TERMINALS;
use crate::tui::input::{Button, Key, KeyCode, Mods, Mouse, MouseKind};

/// Rows per notch of the wheel.
const WHEEL_ROWS: i32 = 3;

/// Sends a request to the shown terminal.
pub fn send_to_active(cx: &mut Cx<'_>, ask: TerminalRequest) {
    if let Some(id) = cx.state.slots[TERMINALS].active().map(|terminal| terminal.id) {
        terminal::tasks::send_request(cx, id, ask);
    }
}

/// Handles a key for the terminal.
pub fn key(cx: &mut Cx<'_>, key: Key) {
    let Some(terminal) = cx.state.slots[TERMINALS].active() else { return };
    if let Some(job) = terminal.job.clone() {
        return agent_jobs::explain_read_only(cx, &job);
    }
    match terminal.shell {
        ShellState::Ended(_) | ShellState::Failed(_) => {
            if key.code == KeyCode::Enter {
                restart(cx);
            }
        }
        ShellState::Starting | ShellState::Running => {
            let bytes = terminal::emulator::keys::encode(key, terminal.grid.modes);
            if !bytes.is_empty() {
                send_to_active(cx, TerminalRequest::Input(bytes));
            }
        }
    }
}

fn restart(cx: &mut Cx<'_>) {
    let Some(id) = cx.state.slots[TERMINALS].active().map(|terminal| terminal.id) else { return };
    if let Some(terminal) = cx.state.slots[TERMINALS].get_mut(id) {
        terminal.shell = ShellState::Starting;
    }
    cx.state.damage.add(Part::Terminal);
    send_to_active(cx, TerminalRequest::Restart);
}

/// A text that is pasted into the terminal.
pub fn paste(cx: &mut Cx<'_>, text: &str) {
    let Some(terminal) = cx.state.slots[TERMINALS].active() else { return };
    if let Some(job) = terminal.job.clone() {
        return agent_jobs::explain_read_only(cx, &job);
    }
    let (bytes, ended) = (terminal::emulator::keys::paste(text, terminal.grid.modes), terminal.has_ended());
    if ended {
        return cx.state.set_status("Terminal shell ended. Restart: Enter there");
    }
    send_to_active(cx, TerminalRequest::Input(bytes));
}

/// The mouse over the pane.
pub fn mouse(cx: &mut Cx<'_>, mouse: Mouse, pane: Rect) {
    let at = Position::new(mouse.col, mouse.row);
    let (title, grid) = divide(pane);
    let pressed = matches!(mouse.kind, MouseKind::Down(_));
    if pressed && cx.state.panes.focus != Focus::Terminal {
        panes::focus(cx, Focus::Terminal);
    }
    if let Some(title) = title.filter(|title| title.contains(at)) {
        return on_title(cx, mouse, title);
    }
    let cell = (mouse.col - grid.x, mouse.row - grid.y);
    if !forward_mouse(cx, mouse, cell) {
        handle_mouse(cx, mouse, cell);
    }
}

/// Handles a press on the title: shows a terminal, or starts dragging the edge of the pane.
fn on_title(cx: &mut Cx<'_>, mouse: Mouse, title: Rect) {
    if mouse.kind != MouseKind::Down(Button::Left) {
        return;
    }
    match title_at(cx.state, title.width, mouse.col - title.x) {
        Some(index) => {
            cx.state.slots[TERMINALS].show(index);
            cx.state.damage.add(Part::Terminal);
        }
        None => cx.state.slots[TERMINALS].resizing = true,
    }
}

/// Sends a mouse event to the program inside, if it requests it; not with Shift.
fn forward_mouse(cx: &mut Cx<'_>, mouse: Mouse, cell: (u16, u16)) -> bool {
    let Some(terminal) = cx.state.slots[TERMINALS].active() else { return true };
    let (modes, is_job) = (terminal.grid.modes, terminal.job.is_some());
    let kept = is_job || mouse.mods.contains(Mods::SHIFT) || cx.state.slots[TERMINALS].selecting;
    if kept || modes.mouse == MouseReporting::Off && !modes.wheel_keys {
        return false;
    }
    let bytes = reports::encode(mouse.kind, cell, mouse.mods, modes);
    let taken = !bytes.is_empty() || modes.mouse != MouseReporting::Off;
    if !bytes.is_empty() {
        send_to_active(cx, TerminalRequest::Report(bytes));
    }
    if taken && matches!(mouse.kind, MouseKind::Down(_)) {
        cx.state.slots[TERMINALS].held_inside = true;
    }
    taken
}

/// Handles a mouse event that no program requests.
fn handle_mouse(cx: &mut Cx<'_>, mouse: Mouse, cell: (u16, u16)) {
    match mouse.kind {
        MouseKind::ScrollUp => send_to_active(cx, TerminalRequest::Scroll(ScrollBy::Rows(WHEEL_ROWS))),
        MouseKind::ScrollDown => send_to_active(cx, TerminalRequest::Scroll(ScrollBy::Rows(-WHEEL_ROWS))),
        MouseKind::Down(Button::Left) if mouse.mods.contains(Mods::CTRL) => {
            send_to_active(cx, TerminalRequest::WordAt(cell));
        }
        MouseKind::Down(Button::Left) => {
            let unit = selection_unit(cx, cell, mouse.mods);
            cx.state.slots[TERMINALS].selecting = true;
            send_to_active(
                cx,
                if unit == SelectionUnit::Chars {
                    TerminalRequest::Unselect
                } else {
                    TerminalRequest::Select(cell, false, unit)
                },
            );
            if unit == SelectionUnit::Chars {
                cx.state.slots[TERMINALS].selection_start = Some(cell);
            }
        }
        _ => {}
    }
}

/// Returns the unit of selection of a press: larger for the second and third, a rectangle with Alt.
fn selection_unit(cx: &mut Cx<'_>, cell: (u16, u16), mods: Mods) -> SelectionUnit {
    if mods.contains(Mods::ALT) {
        return SelectionUnit::Block;
    }
    let terminals = &mut cx.state.slots[TERMINALS];
    let last = terminals.last_click.filter(|(_, last, _)| *last == cell);
    let times = next_click(last.map(|(at, _, n)| (at, n)), cx.now);
    terminals.last_click = Some((cx.now, cell, times));
    [SelectionUnit::Chars, SelectionUnit::Words, SelectionUnit::Lines][usize::from(times - 1)]
}

/// Handles events while a button pressed in the pane is held. Returns whether one is.
pub fn drag(cx: &mut Cx<'_>, mouse: Mouse) -> bool {
    let Some(pane) = cx.state.areas.terminal else { return false };
    let (up, drag) = (matches!(mouse.kind, MouseKind::Up(_)), matches!(mouse.kind, MouseKind::Drag(_)));
    let terminals = &mut cx.state.slots[TERMINALS];
    if !(up || drag) || !(terminals.selecting || terminals.held_inside || terminals.resizing) {
        return false;
    }
    let grid = divide(pane).1;
    let clamp = |at: u16, from: u16, len: u16| at.clamp(from, from + len.saturating_sub(1)) - from;
    let cell = (clamp(mouse.col, grid.x, grid.width), clamp(mouse.row, grid.y, grid.height));
    if terminals.resizing {
        terminals.resizing = drag;
        let bottom = pane.bottom();
        let column = bottom.saturating_sub(cx.state.areas.editor.map_or(0, |editor| editor.y)).max(1);
        let rows = bottom.saturating_sub(mouse.row);
        let share = u32::from(rows) * 100 / u32::from(column);
        cx.state.panes.sizes.set_terminal(share.min(100) as u16);
        cx.state.damage.add_all();
    } else if terminals.held_inside {
        terminals.held_inside = drag;
        let modes: Modes = terminals.active().map(|terminal| terminal.grid.modes).unwrap_or_default();
        let bytes = reports::encode(mouse.kind, cell, mouse.mods, modes);
        if !bytes.is_empty() {
            send_to_active(cx, TerminalRequest::Report(bytes));
        }
    } else {
        terminals.selecting = drag;
        if drag {
            select_to(cx, mouse, grid, cell);
        } else {
            terminals.selection_start = None;
        }
    }
    true
}

/// Extends the selection to the mouse; scrolls above and below the grid.
fn select_to(cx: &mut Cx<'_>, mouse: Mouse, grid: Rect, cell: (u16, u16)) {
    if let Some(start) = cx.state.slots[TERMINALS].selection_start.take() {
        // A press alone selects nothing; the drag's direction tells which half of its cell was meant.
        let backwards = (cell.1, cell.0) < (start.1, start.0);
        send_to_active(cx, TerminalRequest::Select(start, backwards, SelectionUnit::Chars));
        cx.state.slots[TERMINALS].selection_anchor = Some(start);
    }
    if mouse.row < grid.y {
        send_to_active(cx, TerminalRequest::Scroll(ScrollBy::Rows(1)));
    } else if mouse.row >= grid.bottom() {
        send_to_active(cx, TerminalRequest::Scroll(ScrollBy::Rows(-1)));
    }
    let start = cx.state.slots[TERMINALS].selection_anchor.unwrap_or((0, 0));
    let forwards = (cell.1, cell.0) >= (start.1, start.0);
    send_to_active(cx, TerminalRequest::SelectTo(cell, forwards));
}
