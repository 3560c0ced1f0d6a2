//! Terminals on the event loop: their events, and their updates before a frame. Must not know the internals
//! of their tasks.

use std::path::PathBuf;

use ratatui::layout::Rect;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::files;
use crate::ide::features::terminal;
use crate::ide::features::terminal::agent_text;
use crate::ide::features::terminal::emulator::grid::Grid;
use crate::ide::features::terminal::messages::{TerminalEvent, TerminalId, TerminalRequest};
use crate::ide::features::terminal::state::ShellState;
use crate::ide::features::terminal::state::TERMINALS;
use crate::ide::features::terminal::tasks;

/// Lower panes have no title.
const TITLE_ROWS_MIN: u16 = 3;

/// Returns the areas of a pane's title row and grid.
pub fn divide(pane: Rect) -> (Option<Rect>, Rect) {
    if pane.height < TITLE_ROWS_MIN {
        return (None, pane);
    }
    let grid = Rect { y: pane.y + 1, height: pane.height - 1, ..pane };
    (Some(Rect { height: 1, ..pane }), grid)
}

/// Updates terminals before a frame: their size, which is visible, which has the focus.
pub fn sync_terminals(cx: &mut Cx<'_>) {
    let area = cx.state.areas.terminal.map(|pane| divide(pane).1);
    if let Some(size) = area.map(|grid| (grid.width, grid.height))
        && size != cx.state.slots[TERMINALS].size
    {
        cx.state.slots[TERMINALS].size = size;
        for id in cx.state.slots[TERMINALS].started() {
            tasks::send_request(cx, id, TerminalRequest::Resize(size.0, size.1));
        }
    }
    if area.is_some() {
        let size = cx.state.slots[TERMINALS].size;
        for (id, first) in cx.state.slots[TERMINALS].take_unstarted() {
            tasks::open(cx, id, size);
            if !first.is_empty() {
                tasks::send_request(cx, id, TerminalRequest::Input(first));
            }
        }
    }
    let active = cx.state.slots[TERMINALS].active().map(|terminal| terminal.id);
    let seen = active.filter(|_| area.is_some());
    if seen != cx.state.slots[TERMINALS].watched {
        let before = std::mem::replace(&mut cx.state.slots[TERMINALS].watched, seen);
        before.inspect(|id| tasks::send_request(cx, *id, TerminalRequest::Watch(false)));
        seen.inspect(|id| tasks::send_request(cx, *id, TerminalRequest::Watch(true)));
    }
    let focused = seen.filter(|_| cx.state.panes.focus == Focus::Terminal && cx.state.layers.is_empty());
    if focused != cx.state.slots[TERMINALS].focused {
        let before = std::mem::replace(&mut cx.state.slots[TERMINALS].focused, focused);
        before.inspect(|id| report_focus(cx, *id, false));
        focused.inspect(|id| report_focus(cx, *id, true));
    }
}

fn report_focus(cx: &mut Cx<'_>, id: TerminalId, gained: bool) {
    let Some(terminal) = cx.state.slots[TERMINALS].get_mut(id).filter(|tab| tab.job.is_none()) else {
        return;
    };
    let bytes = terminal::emulator::keys::focus(gained, terminal.grid.modes);
    if !bytes.is_empty() {
        tasks::send_request(cx, id, TerminalRequest::Report(bytes.to_vec()));
    }
}

/// Handles an event of a terminal.
pub fn handle_event(cx: &mut Cx<'_>, happening: TerminalEvent) {
    match happening {
        TerminalEvent::Started(id, name) => {
            if let Some(terminal) = cx.state.slots[TERMINALS].get_mut(id) {
                (terminal.name, terminal.shell) = (name, ShellState::Running);
            }
            cx.state.damage.add(Part::Terminal);
        }
        TerminalEvent::GridChanged(id, grid, permit) => {
            update_grid(cx.state, id, *grid);
            drop(permit);
        }
        TerminalEvent::Ended(id, code) => on_shell_ended(cx, id, ShellState::Ended(code)),
        TerminalEvent::Failed(id, why) => on_shell_ended(cx, id, ShellState::Failed(why)),
        TerminalEvent::Copied(None) => {
            let as_text = cx.state.how_to("terminal.show-text");
            cx.state.set_status(format!("Nothing selected in the terminal. To select with keys: {as_text}"));
        }
        TerminalEvent::Copied(Some(text)) => {
            cx.state.kill_ring.copy(vec![text.clone()]);
            cx.ui.clipboard = Some(text);
            cx.state.set_status("Copied");
        }
        TerminalEvent::Location(path, at) => open_location(cx, path, at),
        TerminalEvent::NoLocation(word) if word.is_empty() => {}
        TerminalEvent::NoLocation(word) => cx.state.set_status(format!("No such file: {word}")),
        TerminalEvent::ForAgent(text) => agent_text::insert(cx, text),
        TerminalEvent::AllText(text) => show_text(cx, &text),
        TerminalEvent::NoPrompt { has_marks: true } => cx.state.set_status("No other command there"),
        TerminalEvent::NoPrompt { has_marks: false } => {
            cx.state.set_status("No command is marked: the shell sends no OSC 133 marks (docs/terminal.md)");
        }
        TerminalEvent::InputFull(_) => {
            cx.state.set_error("Terminal program reads no input: keys dropped");
        }
        TerminalEvent::ClipboardRefused(_) => {
            cx.state.set_status("Refused: terminal program tried to write the clipboard");
        }
    }
}

/// Shows the output in the editor, where keys select, search and copy, from its end.
fn show_text(cx: &mut Cx<'_>, text: &str) {
    cx.state.buffers.open_builtin("terminal output", "This text is read-only", text);
    if let Some(buffer) = cx.state.buffers.current_mut() {
        let end = buffer.area.text().end();
        buffer.area.go_to(end);
    }
    panes::focus(cx, Focus::Editor);
    let (to_prompt, close) = (cx.state.how_to("prompt.add-selection"), cx.state.how_to("file.close"));
    cx.state.set_status(format!("Terminal output. Selection to prompt: {to_prompt}. Close: {close}"));
    cx.state.damage.add_all();
}

fn open_location(cx: &mut Cx<'_>, path: PathBuf, at: Option<(usize, usize)>) {
    cx.state.panes.focus = Focus::Editor;
    cx.state.damage.add_all();
    files::open::open(cx, path, at);
}

fn on_shell_ended(cx: &mut Cx<'_>, id: TerminalId, shell: ShellState) {
    if let Some(terminal) = cx.state.slots[TERMINALS].get_mut(id) {
        terminal.shell = shell;
        terminal.grid.modes = crate::ide::features::terminal::emulator::grid::Modes::default();
        terminal.grid.cursor = None;
    }
    cx.state.damage.add(Part::Terminal);
}

/// Handles new content of a terminal: only changed rows are drawn.
fn update_grid(state: &mut State, id: TerminalId, grid: Grid) {
    let is_seen = state.slots[TERMINALS].watched == Some(id);
    let title_rows = state.areas.terminal.map_or(0, |pane| u16::from(divide(pane).0.is_some()));
    let Some(terminal) = state.slots[TERMINALS].get_mut(id) else { return };
    let before = std::mem::replace(&mut terminal.grid, grid);
    if terminal.job.is_some() || !matches!(terminal.shell, ShellState::Running | ShellState::Starting) {
        terminal.grid.cursor = None;
    }
    if !is_seen {
        return;
    }
    let now = &terminal.grid;
    if before.rows.len() != now.rows.len() || before.cols != now.cols {
        return state.damage.add(Part::Terminal);
    }
    let differ = before.rows.iter().zip(&now.rows).map(|(before, now)| !std::sync::Arc::ptr_eq(before, now));
    let mut rows: Vec<u16> = (0..).zip(differ).filter(|(_, differs)| *differs).map(|(row, _)| row).collect();
    if before.cursor != now.cursor || before.shape != now.shape {
        rows.extend(before.cursor.iter().chain(&now.cursor).map(|(_, row)| *row));
    }
    let has_other_title = before.title != now.title || before.back != now.back;
    for row in rows {
        state.damage.add_terminal_row(row + title_rows);
    }
    if has_other_title {
        state.damage.add_terminal_row(0);
    }
}

/// Closes a terminal, with its task and its processes; the pane closes with the last one, and with the last shell,
/// since the tabs of the agent's commands do not open it either.
pub fn close(cx: &mut Cx<'_>, id: TerminalId) {
    let had_shell = cx.state.slots[TERMINALS].has_shell();
    cx.state.slots[TERMINALS].remove(id);
    let terminals = &cx.state.slots[TERMINALS];
    if terminals.all().is_empty() || had_shell && !terminals.has_shell() {
        cx.state.panes.set(Focus::Terminal, false);
    }
    cx.state.damage.add_all();
}
