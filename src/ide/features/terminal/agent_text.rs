//! Puts text of a terminal into the agent's prompt, for the user to add a question. Must not know where in the terminal
//! it was.

use crate::base::code_fence::code_fence;
use crate::ide::core::context::Cx;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::{edit, panes};
use crate::ide::features::terminal::emulator::screen::prompts::CommandText;
use crate::ide::features::terminal::messages::TerminalText;
use crate::text::transaction::Grouping;

/// Puts the text at the caret of the prompt, which gets the keys. Long text is folded as a paste is.
pub fn insert(cx: &mut Cx<'_>, text: Option<TerminalText>) {
    let Some(text) = text else {
        return cx.state.set_status("Select text in the terminal first: no marked command there");
    };
    if !cx.state.layers.is_empty() {
        return cx.state.set_status("Close the pop-up first");
    }
    panes::focus(cx, Focus::Agent);
    let start = cx.state.prompt.area.selection.primary().start();
    let text = match text {
        TerminalText::Selected(text) => block("From the terminal:", &text),
        TerminalText::Command(command) => block_of_command(&command),
    };
    edit::insert(cx, &text, Grouping::Separate);
    if let Some(label) = cx.state.prompt.fold_pasted(start) {
        cx.state.set_status(format!("Added {label} of the terminal"));
    }
    cx.state.damage.add_all();
}

fn block(title: &str, text: &str) -> String {
    let text = text.trim_end();
    let fence = code_fence(text);
    format!("{title}\n{fence}\n{text}\n{fence}\n")
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
