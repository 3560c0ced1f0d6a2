//! Terminals on the loop: what they tell, and what they are told so that they fit what is shown. Must not
//! know their tasks' inside.

use std::path::PathBuf;

use ratatui::layout::Rect;

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::effect::Effect;
use crate::ide::core::overlay::{Answer, Dialog, Overlay};
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::features::files;
use crate::ide::features::palette;
use crate::ide::features::terminal;
use crate::ide::features::terminal::emulator::grid::Grid;
use crate::ide::features::terminal::state::Shell;
use crate::ide::features::terminal::work::{Ask, Happening, TerminalId, Then, Work};

/// Lower panes have no title.
const TITLE_ROWS_MIN: u16 = 3;

/// Where the title row of a pane is, and where its grid.
pub fn divide(pane: Rect) -> (Option<Rect>, Rect) {
    if pane.height < TITLE_ROWS_MIN {
        return (None, pane);
    }
    let grid = Rect { y: pane.y + 1, height: pane.height - 1, ..pane };
    (Some(Rect { height: 1, ..pane }), grid)
}

/// What terminals are to be told before a frame: their size, who is seen, who has the keys.
pub fn fit(state: &mut State) -> Vec<Work> {
    let mut work = Vec::new();
    let area = state.areas.terminal.map(|pane| divide(pane).1);
    if let Some(size) = area.map(|grid| (grid.width, grid.height))
        && size != state.terminals.size
    {
        state.terminals.size = size;
        let begun = state.terminals.all().iter().filter(|terminal| terminal.is_begun);
        work.extend(begun.map(|terminal| Work::Ask(terminal.id, Ask::Resize(size.0, size.1))));
    }
    if area.is_some() {
        let (cols, rows) = state.terminals.size;
        for (id, first) in state.terminals.begin() {
            work.push(Work::Open(id, cols, rows));
            if !first.is_empty() {
                work.push(Work::Ask(id, Ask::Input(first)));
            }
        }
    }
    let active = state.terminals.active().map(|terminal| terminal.id);
    let seen = active.filter(|_| area.is_some());
    if seen != state.terminals.watched {
        let before = std::mem::replace(&mut state.terminals.watched, seen);
        work.extend(before.map(|id| Work::Ask(id, Ask::Watch(false))));
        work.extend(seen.map(|id| Work::Ask(id, Ask::Watch(true))));
    }
    let focused = seen.filter(|_| state.panes.focus == Focus::Terminal && state.overlays.is_empty());
    if focused != state.terminals.focused {
        let before = std::mem::replace(&mut state.terminals.focused, focused);
        work.extend(before.and_then(|id| report_focus(state, id, false)));
        work.extend(focused.and_then(|id| report_focus(state, id, true)));
    }
    work
}

fn report_focus(state: &State, id: TerminalId, gained: bool) -> Option<Work> {
    let terminal = state.terminals.all().iter().find(|terminal| terminal.id == id)?;
    let bytes = terminal::emulator::keys::focus(gained, terminal.grid.modes);
    (!bytes.is_empty()).then(|| Work::Ask(id, Ask::Report(bytes.to_vec())))
}

/// Something happened to a terminal.
pub fn happened(cx: &mut Cx<'_>, happening: Happening) {
    match happening {
        Happening::Started(id, name) => {
            if let Some(terminal) = cx.state.terminals.get_mut(id) {
                (terminal.name, terminal.shell) = (name, Shell::Runs);
            }
            cx.state.damage.add(Part::Terminal);
        }
        Happening::Shows(id, grid, permit) => {
            shows(cx.state, id, *grid);
            drop(permit);
        }
        Happening::Ended(id, code) => ended(cx, id, Shell::Ended(code)),
        Happening::Failed(id, why) => ended(cx, id, Shell::Failed(why)),
        Happening::Copied(None) => cx.state.say("nothing is selected in the terminal"),
        Happening::Copied(Some(text)) => {
            cx.state.kill_ring.copy(vec![text.clone()]);
            cx.effects.push(Effect::Copy(text));
            cx.state.say("copied");
        }
        Happening::Place(path, at) => open_place(cx, path, at),
        Happening::NoPlace(word) if word.is_empty() => {}
        Happening::NoPlace(word) => cx.state.say(format!("{word} is no file here")),
        Happening::Full(_) => {
            cx.state.fail("the program in the terminal does not read: what was typed is lost");
        }
        Happening::Refused(_) => {
            cx.state.say("a program in the terminal wanted to write the clipboard: refused");
        }
        Happening::Busy(busy, Then::Quit) => {
            palette::commands::quit_from(
                cx,
                &busy.into_iter().map(|(_, program)| program).collect::<Vec<_>>(),
            );
        }
        Happening::Busy(busy, Then::Close(id)) => match busy.first() {
            None => close(cx, id),
            Some((_, program)) => {
                let lines = vec![format!("{program} runs in it; closing ends that.")];
                let dialog = Dialog::ask("close the terminal?", lines)
                    .choice('y', "close", Answer::CloseTerminal(id))
                    .choice('n', "keep", Answer::Dismiss);
                cx.state.push_overlay(Overlay::Dialog(dialog));
            }
        },
    }
}

fn open_place(cx: &mut Cx<'_>, path: PathBuf, at: Option<(usize, usize)>) {
    cx.state.panes.focus = Focus::Editor;
    cx.state.damage.all();
    files::open::open(cx, path, at);
}

fn ended(cx: &mut Cx<'_>, id: TerminalId, shell: Shell) {
    if let Some(terminal) = cx.state.terminals.get_mut(id) {
        terminal.shell = shell;
        terminal.grid.modes = crate::ide::features::terminal::emulator::grid::Modes::default();
        terminal.grid.cursor = None;
    }
    cx.state.damage.add(Part::Terminal);
}

/// A terminal shows something else: only rows that differ are drawn.
fn shows(state: &mut State, id: TerminalId, grid: Grid) {
    let is_seen = state.terminals.watched == Some(id);
    let title_rows = state.areas.terminal.map_or(0, |pane| u16::from(divide(pane).0.is_some()));
    let Some(terminal) = state.terminals.get_mut(id) else { return };
    let before = std::mem::replace(&mut terminal.grid, grid);
    if !matches!(terminal.shell, Shell::Runs | Shell::Starting) {
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
        state.damage.terminal_row(row + title_rows);
    }
    if has_other_title {
        state.damage.terminal_row(0);
    }
}

/// Ends a terminal; the pane goes with the last one.
pub fn close(cx: &mut Cx<'_>, id: TerminalId) {
    cx.state.terminals.remove(id);
    cx.effects.push(Effect::Terminal(Work::Close(id)));
    if cx.state.terminals.all().is_empty() {
        cx.state.panes.set(Focus::Terminal, false);
    }
    cx.state.damage.all();
}
