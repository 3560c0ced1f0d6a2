//! Commands on the prompt: send, move in it, and browse its history.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::panes::{AgentPart, Focus};
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::history_search;
use crate::ide::features::permissions;
use crate::ide::features::prompt::{pastes, shell_commands, slash_commands};
use crate::ide::features::transcript;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::ide::features::transcript::view::TRANSCRIPT_VIEW;
use crate::runtime::Delivery;
use crate::text::movement::motion::Motion;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("agent.send", "Send message", &["submit", "steer"], |cx| send(cx, Delivery::Steer)),
    command("agent.follow-up", "Queue message", &["follow-up", "send later"], |cx| {
        send(cx, Delivery::FollowUp);
    }),
    command("prompt.leave", "Focus approval or conversation", &["switch to transcript"], |cx| {
        // In a written prompt a folded paste is unfolded, or a tab character is meant.
        let is_empty = cx.state.prompt.is_empty();
        let is_handled = is_empty && (permissions::answers::focus(cx) || transcript::focus::focus(cx))
            || pastes::unfold_nearest(cx);
        if !is_handled {
            cx.defer_command("edit.tab");
        }
    }),
    command("prompt.up", "Move up or recall prompt", &["previous message", "history"], |cx| browse(cx, true)),
    command("prompt.down", "Move down or recall prompt", &["next message", "history"], |cx| {
        browse(cx, false);
    }),
];

fn send(cx: &mut Cx<'_>, delivery: Delivery) {
    if !cx.state.panes.is_agent_focused(AgentPart::Prompt) {
        panes::focus(cx, Focus::Agent);
        return;
    }
    if cx.state.prompt.is_empty() {
        if delivery == Delivery::Steer && logs_in(cx.state) {
            return cx.defer_command("agent.login");
        }
        permissions::answers::focus_by_enter(cx);
        return;
    }
    cx.state.prompt.send_later(delivery);
    if !cx.state.agent.connected {
        cx.state.set_status("Session is starting; the message is sent as soon as it has started");
    } else if cx.state.prompt.is_reading_images() {
        cx.state.set_status("Image is being read; the message is sent as soon as it is there");
    }
    send_awaited(cx);
}

/// Returns whether the empty conversation says that Enter logs in.
fn logs_in(state: &State) -> bool {
    let is_empty = state.slots[TRANSCRIPT].items().is_empty();
    is_empty && state.agent.connected && !transcript::welcome::has_model(state)
}

/// Sends the message that is to be sent, if that is possible now, and it was not changed since.
pub fn send_awaited(cx: &mut Cx<'_>) {
    let is_possible = cx.state.agent.connected && !cx.state.prompt.is_reading_images();
    if is_possible && let Some(delivery) = cx.state.prompt.take_awaited() {
        send_text(cx, delivery);
    }
}

fn send_text(cx: &mut Cx<'_>, delivery: Delivery) {
    if slash_commands::run_typed(cx) || shell_commands::run_typed(cx) {
        return;
    }
    let attached = cx.state.prompt.take_attached();
    let text = cx.state.prompt.take();
    transcript::agents::close(cx.state);
    if let Some(draft) = transcript::edited_turn::finish(cx.state) {
        cx.state.prompt.set_draft(draft, cx.now_ms);
    }
    cx.state.slots[TRANSCRIPT_VIEW].borrow_mut().to_tail();
    cx.state.damage.add_all();
    history_search::events::remember(cx, text.clone());
    if let Some(session) = cx.session {
        session.prompt(text, attached, delivery);
    }
}

/// Handles arrow keys: inside a text of several lines they move; at its edge they browse the history.
fn browse(cx: &mut Cx<'_>, up: bool) {
    let tab_width = cx.state.text_options.tab_width;
    let prompt = &mut cx.state.prompt;
    let text = prompt.area.text();
    let line = text.line_of(prompt.area.selection.primary().head);
    let at_edge = if up { line.0 == 0 } else { line == text.last_line() };
    let shown = at_edge && if up { prompt.older(cx.now_ms) } else { prompt.newer(cx.now_ms) };
    if !shown {
        prompt.area.go(if up { Motion::Up(1) } else { Motion::Down(1) }, false, tab_width);
    }
    cx.state.damage.add(Part::Prompt);
}
