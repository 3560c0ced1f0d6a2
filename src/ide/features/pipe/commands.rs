//! Commands that run shell commands on the text.

use crate::ide::core::condition;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::features::pipe;
use crate::ide::features::pipe::state::PIPE;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("edit.pipe", "Pipe selections through command", &["shell", "filter"], |cx| {
        prompt_for_command(cx, true);
    })
    .when(condition::has_file),
    command("edit.insert-output", "Insert command output", &["shell"], |cx| {
        prompt_for_command(cx, false);
    })
    .when(condition::has_file),
];

/// Prompts for a shell command, which reads the selection if `reads`.
fn prompt_for_command(cx: &mut Cx<'_>, reads: bool) {
    match cx.state.buffers.current().map(crate::ide::model::buffers::Buffer::read_only) {
        None => cx.state.set_status("No file open"),
        Some(Some(reason)) => cx.state.set_error(reason),
        Some(None) => {
            let first = cx.state.slots[PIPE].last_command.clone();
            let title = if reads { "Pipe through command" } else { "Insert output of command" };
            let prompt = Prompt::new(title, move |cx, command| {
                cx.state.slots[PIPE].last_command.clone_from(&command);
                pipe::run::start(cx, command, reads);
            });
            prompt.required().initial(first).open(cx);
        }
    }
}
