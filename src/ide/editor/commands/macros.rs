//! Commands that repeat the last change or recorded keys.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, await_char, command};
use crate::ide::core::keys::macros::LastChange;
use crate::ide::core::keys::pending_char::PendingChar;
use crate::ide::core::state::State;
use crate::ide::editor::commands::edit;
use crate::ide::editor::modal::replay;
use crate::text::transaction::Grouping;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("edit.repeat", "Repeat last edit", &["dot", "repeat change"], repeat).when(has_change),
    command("macro.record", "Toggle macro recording", &["record", "stop recording"], record),
    command("macro.replay", "Replay macro", &["play", "run macro"], |cx| replay(cx, 1)).when(has_macro),
    command("macro.replay-times", "Replay macro several times", &["play", "run macro"], |cx| {
        await_char(cx, PendingChar::MacroCount, "How many times? 1 to 9");
    })
    .when(has_macro),
];

/// Keys were recorded, or are being recorded.
fn has_macro(state: &State) -> Result<(), Reason> {
    let has_keys = state.macros.is_recording() || !state.macros.keys.is_empty();
    condition::require(has_keys, Reason::new("No macro recorded"))
}

/// Something was changed.
fn has_change(state: &State) -> Result<(), Reason> {
    condition::require(state.macros.change.is_some(), Reason::new("No changes yet"))
}

fn repeat(cx: &mut Cx<'_>) {
    match cx.state.macros.change.clone() {
        Some(LastChange::Command(id)) => cx.defer_command(id),
        Some(LastChange::Typed(text)) => edit::insert(cx, &text, Grouping::Separate),
        None => cx.state.set_status("No changes yet"),
    }
}

fn record(cx: &mut Cx<'_>) {
    if !cx.state.macros.is_recording() {
        cx.state.macros.record();
        return cx.state.set_status(format!("Recording macro. Stop: {}", cx.state.how_to("macro.record")));
    }
    let count = cx.state.macros.stop();
    cx.state.set_status(format!("Recorded {count} keys"));
}

/// Presses the recorded keys that many times.
pub fn replay(cx: &mut Cx<'_>, times: usize) {
    if cx.state.macros.is_recording() {
        return cx.state.set_status("Cannot replay a macro while recording it");
    }
    if cx.state.macros.replaying {
        return cx.state.set_status("A macro cannot replay itself");
    }
    if cx.state.macros.keys.is_empty() {
        return cx.state.set_status("No macro recorded");
    }
    let keys = cx.state.macros.keys.repeat(times);
    cx.defer(move |cx| replay::keys(cx, &keys));
}
