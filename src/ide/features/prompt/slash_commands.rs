//! Slash commands, which a prompt may contain instead of a message to the model: `/new`, `/name TEXT`,
//! `/compact TEXT`. Each is one row here: it runs a command, or a function with its argument.

use crate::ide::core::context::Cx;
use crate::ide::features::agent::{approval_modes, profiles, thinking};
use crate::ide::features::context::events as contents;
use crate::ide::features::models::commands as models;
use crate::ide::features::sessions::{events as sessions, summaries};
use crate::ide::features::themes::switch::switch_by_name;

/// A slash command.
pub struct SlashCommand {
    /// Without the slash.
    pub name: &'static str,
    /// The argument as shown: `TEXT` where one is needed, `[TEXT]` where it may be left out; empty for none.
    pub argument: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Whether it is the former name of another one.
    pub is_former: bool,
    action: SlashAction,
}

/// What it does.
enum SlashAction {
    /// Runs this command, by its id; there is no argument.
    Command(&'static str),
    /// Runs this function with the argument. If it fails, the text stays in the prompt.
    Handler(fn(&mut Cx<'_>, &str) -> Result<(), String>),
}

const fn command(name: &'static str, about: &'static str, id: &'static str) -> SlashCommand {
    SlashCommand { name, argument: "", about, is_former: false, action: SlashAction::Command(id) }
}

const fn handler(
    name: &'static str,
    argument: &'static str,
    about: &'static str,
    action: fn(&mut Cx<'_>, &str) -> Result<(), String>,
) -> SlashCommand {
    SlashCommand { name, argument, about, is_former: false, action: SlashAction::Handler(action) }
}

/// All slash commands. Those that exist in pi have the same meaning.
pub static SLASH_COMMANDS: &[SlashCommand] = &[
    command("new", "start a new session", "session.new"),
    command("resume", "open another session", "session.resume"),
    command("continue", "go on with the last session", "session.resume-last"),
    command("tree", "show the session tree", "view.session-tree"),
    command("fork", "choose where to branch", "view.session-tree"),
    command("clone", "continue in a copy of the session", "session.copy"),
    command("undo", "undo the last turn", "session.undo-turn"),
    handler("compact", "[TEXT]", "summarize older messages", |cx, about| {
        check_connected(cx)?;
        summaries::compact(cx, Some(about).filter(|about| !about.is_empty()).map(str::to_string));
        Ok(())
    }),
    command("context", "show what the model sees", "session.context"),
    handler("edit", "ENTRY TEXT", "replace a message in the context", edit),
    SlashCommand { is_former: true, ..handler("tell", "TEXT", "former name of /edit", edit) },
    handler("summary", "[TEXT]", "edit the last summary", |cx, text| {
        check_connected(cx)?;
        summaries::replace_summary(cx, text);
        Ok(())
    }),
    handler("name", "[TEXT]", "rename the session", |cx, text| {
        name(cx, text);
        Ok(())
    }),
    command("search", "search all sessions", "session.search"),
    command("import", "import sessions of other agents", "session.import"),
    handler("model", "[NAME]", "switch the model", models::switch_by_name),
    handler("thinking", "[LEVEL]", "change the thinking level", thinking::switch_by_name),
    handler("approval", "[MODE]", "change which calls need approval", approval_modes::switch_by_name),
    handler("profile", "[NAME]", "change the agent's profile", profiles::switch_by_name),
    handler("theme", "[NAME]", "change the colors", switch_by_name),
    command("settings", "show and change settings", "settings.open"),
    command("agent", "show the agent's settings", "agent.open-settings"),
    command("permissions", "show what the agent may do", "view.permissions"),
    command("stash", "bring a stashed message back", "prompt.stash"),
    command("tools", "choose the agent's tools", "agent.tools-picker"),
    command("login", "add a provider", "agent.login"),
    command("providers", "show and test providers", "view.providers"),
    command("logout", "delete a stored login", "agent.logout"),
    command("help", "find help on everything", "help.pages"),
    command("tutor", "learn bowline in ten steps", "help.tutor"),
    command("hotkeys", "show shortcuts", "app.keys"),
    command("commands", "show the command palette", "app.palette"),
    command("quit", "quit bowline", "app.quit"),
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

/// Fails before there is a session: the text stays in the prompt.
fn check_connected(cx: &Cx<'_>) -> Result<(), String> {
    if cx.state.agent.connected {
        Ok(())
    } else {
        Err("Session is starting; try again in a moment".to_string())
    }
}

fn edit(cx: &mut Cx<'_>, text: &str) -> Result<(), String> {
    check_connected(cx)?;
    contents::replace_message(cx, text)
}

fn name(cx: &mut Cx<'_>, name: &str) {
    match name {
        "" => cx.defer_command("session.rename"),
        _ => sessions::rename(cx, name.to_string()),
    }
}

/// Runs the prompt's slash command; returns whether the text was one, known or not. Unknown ones stay in the
/// prompt: a typing error must not be sent to the model.
pub fn run_typed(cx: &mut Cx<'_>) -> bool {
    let text = cx.state.prompt.area.text().to_string();
    let Some(text) = text.trim_end().strip_prefix('/') else { return false };
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let Some(word) = SLASH_COMMANDS.iter().find(|word| word.name == first) else {
        return report_unknown(cx, first);
    };
    match word.action {
        SlashAction::Command(_) if !rest.is_empty() => {
            cx.state.set_error(format!("/{first} takes no arguments. Start with a space to send it as text"));
        }
        SlashAction::Command(id) => {
            cx.state.prompt.take();
            cx.defer_command(id);
        }
        SlashAction::Handler(action) => match action(cx, rest.trim()) {
            Ok(()) => {
                cx.state.prompt.take();
            }
            Err(error) => cx.state.set_error(error),
        },
    }
    cx.state.damage.add_all();
    true
}

/// Reports an unknown slash command, unless it is a path or other text; returns whether it did.
fn report_unknown(cx: &mut Cx<'_>, word: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    if word.is_empty() || !word.chars().all(is_name) {
        return false;
    }
    let advice = match nearest(word) {
        Some(name) => format!("Did you mean /{name}?"),
        None => "/commands shows all commands.".to_string(),
    };
    cx.state.set_error(format!("No command /{word}. {advice} Start with a space to send it as text"));
    true
}

/// Jaro-Winkler similarity from which a name is proposed: one or two letters differ.
const LIKENESS_MIN: f64 = 0.8;

/// Returns the slash command that was probably meant.
fn nearest(word: &str) -> Option<&'static str> {
    let names = SLASH_COMMANDS.iter().filter(|command| !command.is_former).map(|command| command.name);
    let close = names.map(|name| (strsim::jaro_winkler(word, name), name));
    let best = close.max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.filter(|(likeness, _)| *likeness >= LIKENESS_MIN).map(|(_, name)| name)
}
