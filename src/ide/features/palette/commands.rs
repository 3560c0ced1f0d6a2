//! Commands of the program itself: palette, keys, quit.

use crate::ide::core::catalog;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::layers::layer::Layer;
use crate::ide::core::panes::Focus;
use crate::ide::core::quit;
use crate::ide::core::state::State;
use crate::ide::editor::modal::cursors;
use crate::ide::features::agent::commands::interrupt;
use crate::ide::features::files::commands::save_buffer;
use crate::ide::features::files::save::AfterSave;
use crate::ide::features::sessions::events as sessions;
use crate::ide::features::terminal::state::TERMINALS;
use crate::ide::features::terminal::tasks::find_programs;
use crate::ide::model::agent::{Agent, INTERRUPTING};
use crate::ide::model::buffers::Buffers;
use crate::text::operations::select;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("app.palette", "Show command palette", &["all commands", "M-x", "help"], |cx| {
        cx.defer_picker("commands");
    }),
    command(
        "app.keys",
        "Show keyboard shortcuts",
        &["keys", "key", "hotkeys", "keybindings", "help"],
        |cx| {
            cx.defer_picker("keys");
        },
    ),
    command(
        "app.keymap-picker",
        "Choose key map",
        &["keybindings", "vim mode", "emacs mode", "helix mode"],
        |cx| cx.defer_picker("keymaps"),
    ),
    command("app.quit", "Quit", &["exit", "close"], quit),
    command("app.escape", "Close, interrupt, or clear selection", &["escape", "close pop-up"], escape),
    command("app.cancel", "Cancel current action", &["keyboard quit", "abort"], |cx| {
        cancel(cx);
    }),
    command("app.redraw", "Redraw screen", &["refresh", "repaint"], |cx| {
        cx.ui.repaint = true;
        cx.state.damage.add_all();
    }),
];

fn quit(cx: &mut Cx<'_>) {
    let terminals = cx.state.slots[TERMINALS].running();
    if terminals.is_empty() {
        return quit_or_confirm(cx, &[]);
    }
    find_programs(cx, &terminals, |cx, programs| quit_or_confirm(cx, &programs));
}

/// Quits, once it is known which programs run in terminals.
fn quit_or_confirm(cx: &mut Cx<'_>, programs: &[String]) {
    let lists = cx.state.buffers.all().iter().filter(|buffer| buffer.has_unapplied_edits());
    let lists = lists.map(|list| format!("  ● {} (not applied to the files)", list.name()));
    let files = cx.state.buffers.unsaved().map(|buffer| format!("  ● {}", buffer.name()));
    let unsaved: Vec<String> = files.chain(lists).collect();
    let working = cx.state.agent.working_since.is_some();
    if unsaved.is_empty() && !working && programs.is_empty() {
        return quit::quit(cx);
    }
    let changing = quit::is_changing(cx.state);
    let dialog = quit_dialog(&cx.state.buffers, &cx.state.agent, (unsaved, changing, programs));
    cx.state.push_layer(dialog);
}

fn quit_dialog(
    buffers: &Buffers,
    agent: &Agent,
    (unsaved, changing, programs): (Vec<String>, bool, &[String]),
) -> Dialog {
    let mut lines = Vec::new();
    if !unsaved.is_empty() {
        lines
            .push(format!("{} unsaved:", if unsaved.len() == 1 { "One file is" } else { "These files are" }));
        lines.extend(unsaved);
    }
    if agent.working_since.is_some() {
        lines.push("The agent is working. Quitting interrupts it.".to_string());
    }
    if changing {
        lines.push("Files are being changed. Quitting waits for them.".to_string());
    }
    if !programs.is_empty() {
        lines.push(format!("Running in a terminal: {}. Quitting ends it.", programs.join(", ")));
    }
    let dialog = Dialog::ask("Quit?", lines);
    let dialog = match buffers.unsaved().next() {
        Some(_) => dialog.choice('s', "Save and quit", save_and_quit).choice(
            'd',
            "Discard changes and quit",
            quit::quit,
        ),
        None => dialog.choice('y', "Quit", quit::quit),
    };
    dialog.close('n', "Cancel")
}

fn save_and_quit(cx: &mut Cx<'_>) {
    let ids: Vec<_> = cx.state.buffers.unsaved().map(|buffer| buffer.id).collect();
    if ids.is_empty() {
        quit::quit(cx);
    }
    for id in ids {
        save_buffer(cx, id, AfterSave::Quit, false);
    }
}

/// Cancels what can be cancelled. A press of Escape without effect in an empty prompt counts as the first of
/// a double press, which opens the session tree. Nowhere else: many users press Escape habitually.
fn escape(cx: &mut Cx<'_>) {
    if cancel(cx) || cx.state.panes.focus != Focus::Agent || !cx.state.prompt.is_empty() {
        return;
    }
    let twice = cx.state.agent.last_escape.take().is_some_and(|at| cx.now.saturating_sub(at) <= DOUBLE_PRESS);
    if twice {
        sessions::open(cx);
    } else {
        cx.state.agent.last_escape = Some(cx.now);
    }
}

/// Closes the topmost layer, interrupts the agent if its pane has the focus, or drops the selection: the first
/// that applies. Returns whether one did.
fn cancel(cx: &mut Cx<'_>) -> bool {
    if let Some(actions) = cx.state.layers.last().map(Layer::actions) {
        (actions.escape)(cx);
        return true;
    }
    if quit::cancel_quit(cx) || catalog::stop_features(cx) {
        return true;
    }
    // Several cursors are dropped first: that must not interrupt the agent.
    if keep_one_cursor(cx) {
        return true;
    }
    let is_working = cx.state.agent.working_since.is_some();
    if is_working && cx.state.panes.focus == Focus::Agent {
        interrupt(cx);
        cx.state.set_status(INTERRUPTING);
        return true;
    }
    if cx.state.panes.focus == Focus::SessionTree && sessions::escape(cx) {
        return true;
    }
    if matches!(cx.state.panes.focus, Focus::Files | Focus::SessionTree) {
        cx.state.panes.focus = Focus::Editor;
        cx.state.damage.add_all();
        return true;
    }
    let lit = cx.state.search.highlight.take().is_some();
    if lit {
        cx.state.damage.add(Part::Editor);
    }
    if drop_selection(cx) || lit {
        return true;
    }
    let hints = is_working && !cursors::is_modal_editor(cx.state);
    if hints {
        hint_at_interrupt(cx.state);
    }
    hints
}

/// Says how to interrupt the agent from a pane where Escape does not.
fn hint_at_interrupt(state: &mut State) {
    let keys = |command| state.keymap.keys_for(state.base_key_context(), command);
    let hint = match (keys("view.focus-agent"), keys("app.escape")) {
        (Some(focus), Some(escape)) => format!("Agent is working. To interrupt: {focus} {escape}"),
        _ => format!("Agent is working. To interrupt: {}", state.how_to("agent.interrupt")),
    };
    state.set_status(hint);
}

/// Maximum time between two presses of Escape that form a double press; as in pi.
const DOUBLE_PRESS: std::time::Duration = std::time::Duration::from_millis(500);

fn keep_one_cursor(cx: &mut Cx<'_>) -> bool {
    let Some((area, _, part)) = cx.state.text_target() else { return false };
    let several = area.selection.ranges().len() > 1;
    if several {
        area.select(select::only_primary(&area.selection));
        cx.state.damage.add(part);
    }
    several
}

fn drop_selection(cx: &mut Cx<'_>) -> bool {
    let Some((area, _, part)) = cx.state.text_target() else { return false };
    let selected = !area.selection.is_empty();
    if selected {
        area.go_to(area.selection.primary().head);
        cx.state.damage.add(part);
    }
    selected
}
