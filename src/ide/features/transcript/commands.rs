//! Commands of the conversation.

use std::time::Duration;

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::features::transcript::agents;
use crate::ide::features::transcript::earlier;
use crate::ide::features::transcript::focus;
use crate::ide::features::transcript::items::ItemKind;
use crate::ide::features::transcript::turns::{TurnAction, go_back};
use crate::ide::features::transcript::view::{self, TRANSCRIPT_VIEW};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("transcript.page-up", "Scroll conversation up", &["older messages"], |cx| scroll(cx, Some(-1))),
    command("transcript.page-down", "Scroll conversation down", &["newer messages"], |cx| {
        scroll(cx, Some(1));
    }),
    command("transcript.top", "Scroll to conversation start", &["first message"], |cx| scroll_end(cx, true)),
    command("transcript.bottom", "Scroll to conversation end", &["latest message"], |cx| {
        scroll_end(cx, false);
    }),
    command("transcript.focus", "Focus conversation", &["scrollback", "history"], |cx| {
        if !focus::focus(cx) {
            cx.state.set_status("No messages yet");
        }
    })
    .when(has_items),
    command("transcript.next-block", "Go to next block", &["next message"], |cx| {
        focus::go(cx, true, |_| true);
    })
    .when(has_items),
    command("transcript.previous-block", "Go to previous block", &["previous message"], |cx| {
        focus::go(cx, false, |_| true);
    })
    .when(has_items),
    command("transcript.next-turn", "Go to next turn", &["next message of mine"], |cx| {
        focus::go(cx, true, |item| matches!(item.kind, ItemKind::User(_)));
    })
    .when(has_items),
    command("transcript.previous-turn", "Go to previous turn", &["previous message of mine"], |cx| {
        focus::go(cx, false, |item| matches!(item.kind, ItemKind::User(_)));
    })
    .when(has_items),
    command("transcript.first-block", "Go to first block", &[], |cx| focus::go_to_end(cx, true))
        .when(has_items),
    command("transcript.last-block", "Go to last block", &[], |cx| focus::go_to_end(cx, false))
        .when(has_items),
    command("transcript.fold", "Fold or unfold block", &["collapse", "expand output"], |cx| {
        // The card of a subagent is one row: its conversation is what there is to unfold.
        if !agents::open_focused(cx) {
            focus::fold(cx);
        }
    })
    .when(has_items),
    command("transcript.copy", "Copy block", &["yank message"], |cx| focus::copy(cx, false)).when(has_items),
    command("transcript.copy-markdown", "Copy block as Markdown", &["copy turn"], |cx| {
        focus::copy(cx, true);
    })
    .when(has_items),
    command("agent.copy-answer", "Copy last answer", &["copy reply", "copy message"], focus::copy_answer),
    command("transcript.search", "Search conversation", &["find message"], focus::search),
    command("transcript.next-hit", "Go to next hit", &[], |cx| focus::next_hit(cx, true)),
    command("transcript.previous-hit", "Go to previous hit", &[], |cx| focus::next_hit(cx, false)),
    command("transcript.retry", "Retry turn in new branch", &["regenerate", "resend"], retry).when(has_items),
    command("transcript.edit", "Edit and resend message", &["rewind", "change message"], |cx| {
        go_back_to_focused(cx, TurnAction::Edit);
    })
    .when(has_items),
    command("transcript.branch", "Branch after this turn", &["fork", "rewind"], |cx| {
        go_back_to_focused(cx, TurnAction::Branch);
    })
    .when(has_items),
];

/// The shown conversation has messages.
fn has_items(state: &State) -> Result<(), Reason> {
    let (transcript, _) = agents::shown(&state.slots);
    condition::require(!transcript.items().is_empty(), Reason::new("No messages yet"))
}

/// Sends the message of the turn again, once the key is pressed twice: it costs, and may be typed for something
/// else.
fn retry(cx: &mut Cx<'_>) {
    if agents::is_shown(&cx.state.slots) {
        return go_back_to_focused(cx, TurnAction::Retry);
    }
    let focused = focus::focused(cx.state);
    let asked = cx.state.slots[TRANSCRIPT_VIEW].get_mut().retry_asked.take();
    if focused.is_some() && asked.is_some_and(|(at, until)| Some(at) == focused && cx.now <= until) {
        return go_back_to_focused(cx, TurnAction::Retry);
    }
    cx.state.slots[TRANSCRIPT_VIEW].get_mut().retry_asked = focused.map(|at| (at, cx.now + CONFIRM_TIME));
    cx.state.set_status("Press the key again to send this turn's message again, in a new branch");
}

/// How long the second press is waited for.
const CONFIRM_TIME: Duration = Duration::from_secs(3);

fn go_back_to_focused(cx: &mut Cx<'_>, action: TurnAction) {
    if agents::is_shown(&cx.state.slots) {
        return cx.state.set_status("Conversation of a subagent: read-only");
    }
    match focus::focused(cx.state) {
        Some(at) => go_back(cx, at, action),
        None => cx.state.set_status("No messages yet"),
    }
}

fn scroll(cx: &mut Cx<'_>, pages: Option<isize>) {
    let rows = cx.state.areas.transcript.map_or(1, |area| isize::from(area.height as i16));
    let lines = pages.unwrap_or(0) * (rows - 2).max(1);
    view::scroll(cx.state, lines);
}

fn scroll_end(cx: &mut Cx<'_>, top: bool) {
    let (transcript, view) = agents::shown(&cx.state.slots);
    if !top {
        view.borrow_mut().to_tail();
    } else if agents::is_shown(&cx.state.slots) {
        view.borrow_mut().to_top(transcript);
    } else {
        earlier::scroll_to_start(cx);
    }
    cx.state.damage.add(Part::Transcript);
}
