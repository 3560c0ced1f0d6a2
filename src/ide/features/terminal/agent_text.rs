//! Puts text of a terminal into the agent's prompt, for the user to add a question. Must not know where in the terminal
//! it was.

use crate::ide::core::context::Cx;
use crate::ide::features::prompt::quotes::{self, block};
use crate::ide::features::terminal::emulator::screen::prompts::CommandText;
use crate::ide::features::terminal::messages::TerminalText;

/// Puts the text at the caret of the prompt.
pub fn insert(cx: &mut Cx<'_>, text: Option<TerminalText>) {
    let Some(text) = text else {
        let as_text = cx.state.how_to("terminal.show-text");
        return cx
            .state
            .set_status(format!("Nothing selected, no marked command. To select with keys: {as_text}"));
    };
    if !cx.state.layers.is_empty() {
        return cx.state.set_status("Close the pop-up first");
    }
    let text = match text {
        TerminalText::Selected(text) => block("From the terminal:", text.trim_end()),
        TerminalText::Command(command) => block_of_command(&command),
    };
    quotes::insert(cx, &text);
}

fn block_of_command(command: &CommandText) -> String {
    let cut = if command.is_cut { " (its end)" } else { "" };
    let text = format!("$ {}\n{}", command.command, command.output);
    block(&format!("From the terminal, the last command and its output{cut}:"), &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_text_for_the_agent_is_fenced_whatever_is_in_it() {
        let command =
            CommandText { command: "cat a.md".to_string(), output: "```\nx\n```".to_string(), is_cut: true };
        let text = block_of_command(&command);
        assert!(text.contains("(its end):\n````\n$ cat a.md\n```\nx\n```\n````\n"), "{text}");
    }
}
