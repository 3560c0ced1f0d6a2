//! Command lines that run shell commands: on lines, for their output, or to show it.

use crate::base::paths;
use crate::ide::core::command_line::{LineArgs, LineCommand, line_command};
use crate::ide::core::context::Cx;
use crate::ide::editor::modal::command_line;
use crate::ide::features::pipe;
use crate::ide::features::pipe::job::ShellUse;
use crate::ide::features::pipe::state::PIPE;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::position::Byte;

/// The feature's rows.
pub const LINES: &[LineCommand] = &[
    line_command("r", "read", "insert a file or command output", read),
    line_command("!", "!", "run a shell command, or pipe lines", filter),
];

/// Expands the script: `!` is the last script, `\!` a literal `!`.
fn script(cx: &mut Cx<'_>, typed: &str) -> Result<String, String> {
    let mut script = String::new();
    let mut rest = typed;
    while let Some(at) = rest.find('!') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        match before.strip_suffix('\\') {
            Some(before) => script.extend([before, "!"]),
            None if cx.state.slots[PIPE].last_command.is_empty() => {
                return Err("No command run yet".to_string());
            }
            None => script.extend([before, cx.state.slots[PIPE].last_command.as_str()]),
        }
        rest = after;
    }
    script.push_str(rest);
    if script.trim().is_empty() {
        return Err("Which command?".to_string());
    }
    cx.state.slots[PIPE].last_command.clone_from(&script);
    Ok(script)
}

/// Filters lines through a command; without lines runs the command and shows its output.
fn filter(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    // The second `!` of `:!!` was read as that of a name.
    let typed = if given.bang { format!("!{}", given.rest) } else { given.rest.to_string() };
    if given.lines.2 == 0 {
        let script = script(cx, &typed)?;
        return pipe::run::begin(cx, script, Vec::new(), ShellUse::Show);
    }
    let text = command_line::text::editable_text(cx)?;
    let script = script(cx, &typed)?;
    let lines = ModalText::new(&text, 1).lines(given.lines.0, given.lines.1);
    pipe::run::begin(cx, script, vec![lines], ShellUse::Filter)
}

/// Inserts the output of a command, or a file, after a line.
fn read(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    let text = command_line::text::editable_text(cx)?;
    let typed = if given.bang { Some(given.rest) } else { given.rest.strip_prefix('!') };
    let script = match typed {
        Some(typed) => script(cx, typed)?,
        None if given.rest.is_empty() => return Err("Which file?".to_string()),
        None => {
            let name = paths::expand_home(given.rest.trim(), &cx.state.home);
            format!("cat -- '{}'", name.display().to_string().replace('\'', "'\\''"))
        }
    };
    let page = ModalText::new(&text, 1);
    let at = if text.is_empty() { Byte(0) } else { page.lines(given.lines.1, given.lines.1).end };
    pipe::run::begin(cx, script, vec![at..at], ShellUse::Lines)
}
