//! Commands that do something again: the last change, or recorded keys.

use crate::ide::core::awaiting::Awaiting;
use crate::ide::core::context::{Command, Cx, command, wait};
use crate::ide::core::effect::Effect;
use crate::ide::core::macros::Change;
use crate::ide::editor::commands::edit;
use crate::text::transaction::Grouping;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("edit.repeat", "Repeat last edit", &["dot", "repeat change"], repeat),
    command("macro.record", "Toggle macro recording", &["record", "stop recording"], record),
    command("macro.replay", "Replay macro", &["play", "run macro"], |cx| replay(cx, 1)),
    command("macro.replay-times", "Replay macro several times", &["play", "run macro"], |cx| {
        wait(cx, Awaiting::MacroTimes, "how often? 1 to 9");
    }),
];

fn repeat(cx: &mut Cx<'_>) {
    match cx.state.again.change.clone() {
        Some(Change::Command(id)) => cx.effects.push(Effect::Run(id)),
        Some(Change::Typed(text)) => edit::insert(cx, &text, Grouping::Own),
        None => cx.state.say("nothing was changed yet"),
    }
}

fn record(cx: &mut Cx<'_>) {
    if !cx.state.again.is_recording() {
        cx.state.again.record();
        return cx.state.say("recording keys; macro.record again ends it");
    }
    let count = cx.state.again.stop();
    cx.state.say(format!("{count} keys recorded"));
}

/// Presses the recorded keys that many times.
pub fn replay(cx: &mut Cx<'_>, times: usize) {
    if cx.state.again.is_recording() {
        return cx.state.say("a recording cannot be replayed while it is made");
    }
    if cx.state.again.replaying {
        return cx.state.say("a recording does not replay itself");
    }
    if cx.state.again.keys.is_empty() {
        return cx.state.say("no keys are recorded");
    }
    let keys = cx.state.again.keys.repeat(times);
    cx.effects.push(Effect::Keys(keys));
}
