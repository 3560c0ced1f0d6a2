//! Slash commands, which a prompt may contain instead of a message to the model: `/new`, `/name TEXT`,
//! `/compact TEXT`. Each is one row here: it runs a command, or a function with its argument.

use crate::ide::core::context::Cx;
use crate::ide::features::context::events as contents;
use crate::ide::features::sessions::{events as sessions, summaries};

/// A slash command.
pub struct SlashCommand {
    /// Without the slash.
    pub name: &'static str,
    action: SlashAction,
}

/// What it does.
enum SlashAction {
    /// Runs this command, by its id; there is no argument.
    Command(&'static str),
    /// Runs this function with the argument.
    Handler(fn(&mut Cx<'_>, &str)),
}

const fn command(name: &'static str, id: &'static str) -> SlashCommand {
    SlashCommand { name, action: SlashAction::Command(id) }
}

const fn handler(name: &'static str, action: fn(&mut Cx<'_>, &str)) -> SlashCommand {
    SlashCommand { name, action: SlashAction::Handler(action) }
}

/// All slash commands. Those that exist in pi have the same meaning.
pub static SLASH_COMMANDS: &[SlashCommand] = &[
    command("new", "session.new"),
    command("resume", "session.resume"),
    command("tree", "view.session-tree"),
    command("fork", "view.session-tree"),
    command("clone", "session.copy"),
    command("context", "session.context"),
    handler("edit", contents::replace_message),
    // Its former name.
    handler("tell", contents::replace_message),
    handler("name", name),
    command("search", "session.search"),
    command("import", "session.import"),
    handler("compact", |cx, about| {
        summaries::compact(cx, Some(about).filter(|about| !about.is_empty()).map(str::to_string));
    }),
    handler("summary", summaries::replace_summary),
    command("undo", "session.undo-turn"),
    command("model", "agent.model-picker"),
    command("tools", "agent.tools-picker"),
    command("login", "agent.login"),
    command("logout", "agent.logout"),
    command("hotkeys", "app.keys"),
    command("quit", "app.quit"),
];

impl SlashCommand {
    /// Returns the command that it runs, if it does.
    pub fn command(&self) -> Option<&'static str> {
        match self.action {
            SlashAction::Command(id) => Some(id),
            SlashAction::Handler(_) => None,
        }
    }
}

fn name(cx: &mut Cx<'_>, name: &str) {
    if name.is_empty() {
        return cx.defer_command("session.rename");
    }
    sessions::rename(cx, name.to_string());
}

/// Runs the prompt's slash command, if it is one; returns whether it was.
pub fn run_typed(cx: &mut Cx<'_>) -> bool {
    let text = cx.state.prompt.area.text().to_string();
    let Some(text) = text.trim_end().strip_prefix('/') else { return false };
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let Some(word) = SLASH_COMMANDS.iter().find(|word| word.name == first) else { return false };
    match word.action {
        SlashAction::Command(_) if !rest.is_empty() => {
            cx.state.set_error(format!("/{first} takes no arguments. Start with a space to send it as text"));
        }
        SlashAction::Command(id) => {
            cx.state.prompt.take();
            cx.defer_command(id);
        }
        SlashAction::Handler(action) => {
            cx.state.prompt.take();
            action(cx, rest.trim());
        }
    }
    cx.state.damage.add_all();
    true
}
