//! Host commands: a user runs them with `/name` instead of prompting the model, like pi's extension commands.
//!
//! Must not know the line format.

use std::path::Path;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;
use tokio_util::task::AbortOnDropHandle;

use super::host_ui::HostUi;
use super::ui::HostMessage;
use crate::base::error::Report;
use crate::base::json::json;
use crate::runtime::Handle;

/// A command of a host that serves its session over RPC: the client runs it with a prompt that starts with
/// `/` and its name. It runs immediately, also while the agent works; the model sees only what the command
/// itself sends.
pub trait HostCommand: Send + Sync {
    /// Its name after the `/`, without spaces. When several commands share a name, each is called by the
    /// name, a colon and its number among them (`deploy:1`), as in pi.
    fn name(&self) -> &str;

    /// A one-sentence description for the user.
    fn description(&self) -> Option<&str> {
        None
    }

    /// Its source file, which the client displays; a text in angle brackets if there is none.
    #[expect(clippy::unnecessary_literal_bound, reason = "a host may make its path")]
    fn path(&self) -> &str {
        "<inline>"
    }

    /// Runs the command with the text after its name and a space. The prompt is answered when it ends. An
    /// error or a panic is sent as the event `extension_error`, and the session continues. When serving ends,
    /// its questions are refused, and three seconds later its future is dropped.
    fn run(&self, args: String, ui: HostUi, session: Handle) -> BoxFuture<'static, Result<(), Report>>;
}

/// Where a command comes from.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SourceInfo {
    /// Its file, or something in angle brackets.
    path: String,
    /// `local` for a file, else the word in the angle brackets before a colon.
    source: String,
    /// `temporary`: it is there as long as the host has it.
    scope: &'static str,
    /// `top-level`: it belongs to no package.
    origin: &'static str,
    /// The folder of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    base_dir: Option<String>,
}

/// A command as `get_commands` lists it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct SlashCommand {
    /// What stands behind the `/`.
    name: String,
    /// What it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// `extension`, as pi calls whatever is not a prompt or a skill.
    source: &'static str,
    /// Where it comes from.
    source_info: SourceInfo,
}

/// All commands, with the names that call them.
#[derive(Default)]
pub struct HostCommands(Vec<(String, Arc<dyn HostCommand>)>);

impl HostCommands {
    /// Assigns names as pi does.
    pub fn new(all: &[Arc<dyn HostCommand>]) -> Self {
        let mut named: Vec<(String, Arc<dyn HostCommand>)> = Vec::with_capacity(all.len());
        for (at, command) in all.iter().enumerate() {
            let same = |others: &[Arc<dyn HostCommand>]| {
                others.iter().filter(|other| other.name() == command.name()).count()
            };
            let mut number = same(&all[..=at]);
            let mut name = command.name().to_string();
            if same(all) > 1 {
                name = format!("{}:{number}", command.name());
            }
            while named.iter().any(|(taken, _)| *taken == name) {
                number += 1;
                name = format!("{}:{number}", command.name());
            }
            named.push((name, Arc::clone(command)));
        }
        Self(named)
    }

    /// Returns the result of `get_commands`.
    pub fn list_json(&self) -> Value {
        let commands: Vec<SlashCommand> =
            self.0.iter().map(|(name, command)| slash_command(name, &**command)).collect();
        json!({"commands": commands})
    }

    /// Returns the command that a message calls. Only a space ends its name, as in pi.
    pub fn find_call(&self, message: &str) -> Option<Call> {
        let words = message.strip_prefix('/')?;
        let (name, args) = words.split_once(' ').unwrap_or((words, ""));
        let (_, command) = self.0.iter().find(|(known, _)| known == name)?;
        Some(Call { name: name.to_string(), args: args.to_string(), command: Arc::clone(command) })
    }
}

fn slash_command(name: &str, command: &dyn HostCommand) -> SlashCommand {
    let path = command.path();
    let word = path.strip_prefix('<').and_then(|path| path.strip_suffix('>'));
    let word = word.map(|word| word.split(':').next().unwrap_or_default());
    let source = match word {
        Some("") => "temporary",
        Some(word) => word,
        None => "local",
    };
    let base_dir = match word {
        Some(_) => None,
        None => Path::new(path).parent().map(|folder| folder.to_string_lossy().into_owned()),
    };
    let (path, source) = (path.to_string(), source.to_string());
    SlashCommand {
        name: name.to_string(),
        description: command.description().map(str::to_string),
        source: "extension",
        source_info: SourceInfo { path, source, scope: "temporary", origin: "top-level", base_dir },
    }
}

/// A call of a host command.
pub struct Call {
    /// The name that called it.
    pub name: String,
    args: String,
    command: Arc<dyn HostCommand>,
}

impl Call {
    /// Runs it concurrently; returns an error message if it failed.
    pub async fn run(self, ui: HostUi, session: Handle) -> Option<HostMessage> {
        let Self { name, args, command } = self;
        let running = tokio::spawn(async move { command.run(args, ui, session).await });
        let error = match AbortOnDropHandle::new(running).await {
            Ok(Ok(())) => return None,
            Ok(Err(report)) => report.to_string(),
            Err(ended) => panic_text(ended),
        };
        Some(HostMessage::ExtensionError {
            extension_path: format!("command:{name}"),
            event: "command",
            error,
        })
    }
}

fn panic_text(ended: tokio::task::JoinError) -> String {
    let Ok(panic) = ended.try_into_panic() else { return "it was ended".to_string() };
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".to_string())
}

#[cfg(test)]
mod tests;
