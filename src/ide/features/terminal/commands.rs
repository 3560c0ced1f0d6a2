//! Commands of the terminal pane.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::terminal;
use crate::ide::features::terminal::agent_jobs::AgentJob;
use crate::ide::features::terminal::emulator::grid::Modes;
use crate::ide::features::terminal::emulator::screen::ScrollBy;
use crate::ide::features::terminal::messages::{TerminalId, TerminalRequest};
use crate::ide::features::terminal::state::TERMINALS;
use crate::ide::features::terminal::state::{ShellState, TERMINALS_MAX};
use crate::ide::features::terminal::tasks;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("view.toggle-terminal", "Toggle terminal", &["panel", "shell"], |cx| {
        let opens = !cx.state.panes.is_open(Focus::Terminal);
        if opens {
            ensure_shell(cx);
        }
        panes::toggle(cx, Focus::Terminal);
    }),
    command("terminal.toggle", "Focus terminal or editor", &["terminal", "shell"], toggle),
    command("terminal.new", "Open new terminal", &["create terminal", "shell"], open),
    command("terminal.next", "Show next terminal", &["next shell"], |cx| step(cx, 1)).when(has_terminal),
    command("terminal.previous", "Show previous terminal", &["previous shell"], |cx| step(cx, -1))
        .when(has_terminal),
    command("terminal.close", "Close terminal", &["kill terminal"], close).when(has_terminal),
    command("terminal.page-up", "Scroll terminal up", &["scrollback"], |cx| scroll(cx, ScrollBy::Pages(1)))
        .when(has_terminal),
    command("terminal.page-down", "Scroll terminal down", &["scrollback"], |cx| {
        scroll(cx, ScrollBy::Pages(-1));
    })
    .when(has_terminal),
    command("terminal.top", "Scroll terminal to top", &["scrollback"], |cx| scroll(cx, ScrollBy::Top))
        .when(has_terminal),
    command("terminal.bottom", "Scroll terminal to bottom", &["scrollback"], |cx| {
        scroll(cx, ScrollBy::Bottom);
    })
    .when(has_terminal),
    command("terminal.copy", "Copy terminal selection", &["copy from shell"], |cx| {
        with_one(cx, |cx| terminal::input::send_to_active(cx, TerminalRequest::Copy));
    })
    .when(has_terminal),
    command(
        "terminal.open-selection",
        "Open path selected in terminal",
        &["go to file", "follow link"],
        |cx| {
            with_one(cx, |cx| terminal::input::send_to_active(cx, TerminalRequest::SelectedFile));
        },
    )
    .when(has_terminal),
    command(
        "terminal.send-to-agent",
        "Send terminal output to agent",
        &["attach last command", "ask about output", "add selection to prompt"],
        |cx| with_one(cx, |cx| terminal::input::send_to_active(cx, TerminalRequest::TextForAgent)),
    )
    .when(has_terminal),
    command(
        "terminal.show-text",
        "Show terminal output as text",
        &["select with keys", "copy mode", "edit scrollback", "search terminal"],
        |cx| with_one(cx, |cx| terminal::input::send_to_active(cx, TerminalRequest::AllText)),
    )
    .when(has_terminal),
    command("terminal.previous-command", "Go to previous command", &["previous prompt"], |cx| {
        with_one(cx, |cx| terminal::input::send_to_active(cx, TerminalRequest::ToPrompt { is_back: true }));
    })
    .when(has_terminal),
    command("terminal.next-command", "Go to next command", &["next prompt"], |cx| {
        with_one(cx, |cx| terminal::input::send_to_active(cx, TerminalRequest::ToPrompt { is_back: false }));
    })
    .when(has_terminal),
    command("terminal.paste", "Paste into terminal", &["paste into shell"], paste).when(has_terminal),
    command(
        "terminal.send-selection",
        "Run selection in terminal",
        &["send line", "execute"],
        send_selection,
    )
    .when(condition::has_file),
    command("terminal.send-next-key", "Send next key to terminal", &["raw key", "verbatim"], |cx| {
        with_one(cx, |cx| {
            panes::focus(cx, Focus::Terminal);
            cx.state.slots[TERMINALS].next_is_raw = true;
            cx.state.set_status("Next key goes to the terminal");
        });
    })
    .when(has_terminal),
    command("terminal.higher", "Increase terminal height", &["resize panel"], |cx| grow(cx, STEP))
        .when(has_terminal),
    command("terminal.lower", "Decrease terminal height", &["resize panel"], |cx| grow(cx, -STEP))
        .when(has_terminal),
];

/// A terminal is open.
fn has_terminal(state: &State) -> Result<(), Reason> {
    let none = Reason::new("No terminal open").with_remedy("Open one", "terminal.toggle");
    condition::require(state.slots[TERMINALS].active().is_some(), none)
}

/// Percents of the height by which the pane becomes higher or lower.
const STEP: i16 = 5;

fn toggle(cx: &mut Cx<'_>) {
    if cx.state.panes.focus == Focus::Terminal {
        return panes::focus(cx, Focus::Editor);
    }
    if !cx.state.panes.is_open(Focus::Terminal) {
        ensure_shell(cx);
    }
    panes::focus(cx, Focus::Terminal);
}

/// Adds a shell to a pane that opens without one: a job of the agent is no terminal to type in.
fn ensure_shell(cx: &mut Cx<'_>) {
    let terminals = &mut cx.state.slots[TERMINALS];
    if !terminals.has_shell() {
        terminals.add(Vec::new());
    }
}

fn open(cx: &mut Cx<'_>) {
    if cx.state.slots[TERMINALS].add(Vec::new()).is_none() {
        return cx.state.set_status(format!("Limit reached: {TERMINALS_MAX} terminals"));
    }
    panes::focus(cx, Focus::Terminal);
}

/// Runs an action on the shown terminal; reports if there is none.
fn with_one(cx: &mut Cx<'_>, action: impl FnOnce(&mut Cx<'_>)) {
    if let Err(reason) = has_terminal(cx.state) {
        let message = reason.message(cx.state);
        return cx.state.set_status(message);
    }
    action(cx);
}

fn step(cx: &mut Cx<'_>, by: isize) {
    with_one(cx, |cx| {
        cx.state.slots[TERMINALS].step(by);
        panes::focus(cx, Focus::Terminal);
    });
}

fn close(cx: &mut Cx<'_>) {
    with_one(cx, |cx| {
        let Some(tab) = cx.state.slots[TERMINALS].active() else { return };
        let (id, shell) = (tab.id, tab.shell.clone());
        if let Some(job) = tab.job.clone() {
            return close_job(cx, id, &job);
        }
        match shell {
            ShellState::Ended(_) | ShellState::Failed(_) => terminal::events::close(cx, id),
            ShellState::Starting | ShellState::Running => {
                tasks::find_programs(cx, &[id], move |cx, programs| close_from(cx, id, &programs));
            }
        }
    });
}

/// Closes the tab of a background command, which runs on.
fn close_job(cx: &mut Cx<'_>, id: TerminalId, job: &AgentJob) {
    terminal::events::close(cx, id);
    if job.end.is_none() {
        let list = cx.state.how_to("terminal.show-jobs");
        let name = job.name();
        cx.state.set_status(format!("Tab closed, {name} runs on. Show it again: {list}"));
    }
}

/// Closes it once it is known which program runs in it; asks if there is one.
fn close_from(cx: &mut Cx<'_>, id: TerminalId, programs: &[String]) {
    let Some(program) = programs.first() else { return terminal::events::close(cx, id) };
    let lines = vec![format!("{program} is running. Closing ends it.")];
    let dialog = Dialog::ask("Close the terminal?", lines)
        .choice('y', "Close", move |cx| terminal::events::close(cx, id))
        .close('n', "Cancel");
    cx.state.push_layer(dialog);
}

fn scroll(cx: &mut Cx<'_>, by: ScrollBy) {
    with_one(cx, |cx| terminal::input::send_to_active(cx, TerminalRequest::Scroll(by)));
}

fn paste(cx: &mut Cx<'_>) {
    with_one(cx, |cx| match cx.state.kill_ring.yank().map(|texts| texts.join("\n")) {
        Some(text) => terminal::input::paste(cx, &text),
        None => cx.state.set_status("Nothing to paste"),
    });
}

fn send_selection(cx: &mut Cx<'_>) {
    let Some(buffer) = cx.state.buffers.current() else { return cx.state.set_status("No file open") };
    let selected = buffer.area.selected();
    let text = if selected.iter().all(String::is_empty) {
        let (text, caret) = (buffer.area.text(), buffer.area.caret());
        let line = text.line_of(caret);
        text.slice(text.line_start(line)..text.line_end(line)).into_owned()
    } else {
        selected.join("\n")
    };
    let text = text.trim_end_matches(['\n', '\r']).to_string();
    if text.is_empty() {
        return cx.state.set_status("Empty line");
    }
    if cx.state.slots[TERMINALS].show_shell() {
        terminal::input::paste(cx, &text);
        terminal::input::send_to_active(cx, TerminalRequest::Input(b"\r".to_vec()));
    } else {
        // A shell that has not begun to read takes it as typed text.
        let mut typed = terminal::emulator::keys::paste(&text, Modes::default());
        typed.push(b'\r');
        cx.state.slots[TERMINALS].add(typed);
    }
    cx.state.panes.set(Focus::Terminal, true);
    cx.state.damage.add_all();
}

fn grow(cx: &mut Cx<'_>, by: i16) {
    with_one(cx, |cx| {
        cx.state.panes.sizes.grow_terminal(by);
        cx.state.damage.add_all();
        cx.state.damage.add(Part::Terminal);
    });
}
