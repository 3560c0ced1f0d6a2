//! Commands that run commands of the shell on the text.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::overlay::Topic;
use crate::ide::features::files::commands::ask;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("edit.pipe", "Replace each selection by what a shell command makes of it", |cx| {
        question(cx, Topic::Pipe(true));
    }),
    command("edit.insert-output", "Put in the output of a shell command", |cx| {
        question(cx, Topic::Pipe(false));
    }),
];

fn question(cx: &mut Cx<'_>, topic: Topic) {
    match cx.state.buffers.current().map(crate::ide::model::buffers::Buffer::read_only) {
        None => cx.state.say("no file is open"),
        Some(Some(reason)) => cx.state.fail(reason),
        Some(None) => {
            let first = cx.state.last_shell.clone();
            ask(cx, topic, &first);
        }
    }
}
