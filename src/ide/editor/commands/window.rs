//! Commands that split the editor into windows and move between them.

use crate::ide::core::condition;
use ratatui::layout::Position;

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::pane_borders::{self, PaneBorder};
use crate::ide::core::panes::Focus;
use crate::ide::editor::windows;
use crate::ide::model::windows::Direction;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command(
        "window.split-right",
        "Split window right",
        &["split", "split editor", "vertical split", "vsplit"],
        |cx| {
            split(cx, true);
        },
    )
    .when(condition::has_file),
    command(
        "window.split-below",
        "Split window below",
        &["split editor", "horizontal split", "hsplit"],
        |cx| split(cx, false),
    )
    .when(condition::has_file),
    command("window.close", "Close window", &["close split", "unsplit"], close),
    command("window.only", "Close other windows", &["unsplit", "only"], |cx| windows::close_others(cx.state)),
    command("window.next", "Focus next window", &["switch window", "other window"], next),
    command("window.left", "Focus window left", &["pane left", "split left"], |cx| {
        focus_direction(cx, Direction::Left);
    }),
    command("window.right", "Focus window right", &["pane right", "split right"], |cx| {
        focus_direction(cx, Direction::Right);
    }),
    command("window.up", "Focus window above", &["pane above", "split above"], |cx| {
        focus_direction(cx, Direction::Up);
    }),
    command("window.down", "Focus window below", &["pane below", "split below"], |cx| {
        focus_direction(cx, Direction::Down);
    }),
    command("window.wider", "Increase window width", &["resize", "widen pane"], |cx| resize(cx, true, STEP)),
    command("window.narrower", "Decrease window width", &["resize"], |cx| resize(cx, true, -STEP)),
    command("window.higher", "Increase window height", &["resize"], |cx| resize(cx, false, 1)),
    command("window.lower", "Decrease window height", &["resize"], |cx| resize(cx, false, -1)),
    command("window.even", "Equalize window sizes", &["even", "balance windows"], |cx| {
        cx.state.windows.equalize();
        cx.state.damage.add_all();
    }),
];

/// Columns by which a window becomes wider or narrower.
const STEP: i32 = 4;
/// Percents of the height by which the terminals' pane becomes higher.
const TERMINAL_STEP: i16 = 5;

fn focus(cx: &mut Cx<'_>) {
    crate::ide::editor::commands::panes::focus(cx, Focus::Editor);
}

fn split(cx: &mut Cx<'_>, beside: bool) {
    if cx.state.buffers.current().is_none() {
        return cx.state.set_status("No file open");
    }
    if !windows::split(cx.state, beside) {
        return cx.state.set_status("No more windows can be opened");
    }
    if cx.state.areas.editor.is_some_and(|area| cx.state.windows.layout(area).windows.len() == 1) {
        cx.state.set_status("Not enough room: only this window is shown");
    }
    focus(cx);
}

fn close(cx: &mut Cx<'_>) {
    if !windows::close(cx.state) {
        cx.state.set_status("This is the only window. Close file: Alt-w");
    }
}

fn next(cx: &mut Cx<'_>) {
    let all = cx.state.windows.all();
    let at = all.iter().position(|id| *id == cx.state.windows.active).unwrap_or(0);
    windows::activate(cx.state, all[(at + 1) % all.len()]);
    focus(cx);
}

fn focus_direction(cx: &mut Cx<'_>, direction: Direction) {
    let there = cx.state.areas.editor.and_then(|area| cx.state.windows.neighbor(area, direction));
    let Some(there) = there else { return cx.state.set_status("No window in that direction") };
    windows::activate(cx.state, there);
    focus(cx);
}

/// Widens the focused tree or agent's pane; returns whether it is one of these.
fn resize_pane(cx: &mut Cx<'_>, cells: i32) -> bool {
    let areas = cx.state.areas;
    let wider = |width: u16| width.saturating_add_signed(cells as i16);
    match (cx.state.panes.focus, areas.files.or(areas.session_tree), areas.transcript) {
        (Focus::Files | Focus::SessionTree, Some(tree), _) => {
            cx.state.panes.sizes.files = Some(wider(tree.width));
        }
        (Focus::Agent, _, Some(agent)) if areas.editor.or(areas.terminal).is_some() => {
            let column = cx.state.size.0.saturating_sub(wider(agent.width));
            let (panes, cols) = (&mut cx.state.panes, cx.state.size.0);
            pane_borders::move_border(panes, &areas, PaneBorder::Agent, Position::new(column, 0), cols);
        }
        _ => return false,
    }
    cx.state.damage.add_all();
    true
}

fn resize(cx: &mut Cx<'_>, beside: bool, cells: i32) {
    if cx.state.panes.focus == Focus::Terminal && !beside {
        cx.state.panes.sizes.grow_terminal(if cells > 0 { TERMINAL_STEP } else { -TERMINAL_STEP });
        return cx.state.damage.add_all();
    }
    let trees = (cx.state.areas.files, cx.state.areas.session_tree);
    if let (Focus::SessionTree, (Some(_), Some(tree)), false) = (cx.state.panes.focus, trees, beside) {
        let to = Position::new(tree.x, tree.y.saturating_add_signed(if cells > 0 { -1 } else { 1 }));
        let (panes, areas, cols) = (&mut cx.state.panes, cx.state.areas, cx.state.size.0);
        pane_borders::move_border(panes, &areas, PaneBorder::SessionTree, to, cols);
        return cx.state.damage.add_all();
    }
    if beside && resize_pane(cx, cells) {
        return;
    }
    let Some(area) = cx.state.areas.editor else { return };
    cx.state.windows.resize(area, beside, cells);
    cx.state.damage.add_all();
}
