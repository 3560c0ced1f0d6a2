//! Commands that do something again: the last change, or recorded keys.

use crate::ide::core::context::{Command, Cx, command, wait};
use crate::ide::core::effect::Effect;
use crate::ide::core::keys::awaiting::Awaiting;
use crate::ide::core::keys::macros::Change;
use crate::ide::editor::commands::edit;
use crate::text::transaction::Grouping;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("edit.repeat", "Repeat last edit", &["dot", "repeat change"], repeat),
    command("macro.record", "Toggle macro recording", &["record", "stop recording"], record),
    command("macro.replay", "Replay macro", &["play", "run macro"], |cx| replay(cx, 1)),
    command("macro.replay-times", "Replay macro several times", &["play", "run macro"], |cx| {
        wait(cx, Awaiting::MacroTimes, "How many times? 1 to 9");
    }),
];

fn repeat(cx: &mut Cx<'_>) {
    match cx.state.again.change.clone() {
        Some(Change::Command(id)) => cx.effects.push(Effect::Run(id)),
        Some(Change::Typed(text)) => edit::insert(cx, &text, Grouping::Own),
        None => cx.state.say("No changes yet"),
    }
}

fn record(cx: &mut Cx<'_>) {
    if !cx.state.again.is_recording() {
        cx.state.again.record();
        return cx.state.say("Recording macro. Stop: macro.record");
    }
    let count = cx.state.again.stop();
    cx.state.say(format!("Recorded {count} keys"));
}

/// Presses the recorded keys that many times.
pub fn replay(cx: &mut Cx<'_>, times: usize) {
    if cx.state.again.is_recording() {
        return cx.state.say("Cannot replay a macro while recording it");
    }
    if cx.state.again.replaying {
        return cx.state.say("A macro cannot replay itself");
    }
    if cx.state.again.keys.is_empty() {
        return cx.state.say("No macro recorded");
    }
    let keys = cx.state.again.keys.repeat(times);
    cx.effects.push(Effect::Keys(keys));
}
