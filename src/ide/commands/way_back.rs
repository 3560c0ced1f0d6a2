//! Commands that bring files back to how the session knew them.

use super::command::{Command, Cx, command};
use crate::ide::way_back;
use crate::runtime::ways::{HERE, Way, What};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("session.restore-code", "Bring the files to how they were where the conversation is", |cx| {
        way_back::open(cx, Way::To(HERE.to_string(), What::Code));
    }),
    command("session.undo-turn", "Take back what the agent's last turn changed in files", |cx| {
        way_back::open(cx, Way::Without(HERE.to_string()));
    }),
    command("session.undo-restore", "Take back the last way back", undo),
];

fn undo(cx: &mut Cx<'_>) {
    match cx.state.agent.way_back.clone() {
        Some(entry) => way_back::open(cx, Way::To(entry, What::Code)),
        None => cx.state.say("no files were brought back yet"),
    }
}
