//! Starts commands for agents: without colors, pagers and prompts.
//!
//! Must not know any tool's texts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::running_command::RunningCommand;
use crate::exec::{EnvError, Environment, Input, SpawnSpec};
use crate::tools::output::artifacts::Artifacts;

/// Variables of every command in addition to the filtered environment: no user watches its terminal, pages
/// through output or enters a password.
const FORCED_ENV: [(&str, &str); 9] = [
    ("NO_COLOR", "1"),
    ("CLICOLOR", "0"),
    ("TERM", "dumb"),
    ("COLORTERM", ""),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// Columns and rows of a command's terminal: wide, to avoid line wrapping.
const TERMINAL_SIZE: (u16, u16) = (200, 50);

/// A command to run.
#[derive(Debug, Clone, Default)]
pub struct LaunchRequest {
    /// For the shell.
    pub script: String,
    /// The folder; absolute.
    pub folder: PathBuf,
    /// Whether it gets input.
    pub has_stdin: bool,
    /// Whether it gets a terminal.
    pub terminal: bool,
    /// Whether the shell reads the user's start files.
    pub login: bool,
    /// Whether to determine the folder where it ends.
    pub reports_folder: bool,
    /// The tool, for the names of artifacts.
    pub tool: &'static str,
}

/// Starts the command.
pub async fn start(
    env: &dyn Environment,
    artifacts: &Arc<Artifacts>,
    request: LaunchRequest,
) -> Result<RunningCommand, EnvError> {
    let vars: BTreeMap<String, String> =
        FORCED_ENV.into_iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let input = match (request.terminal, request.has_stdin) {
        (true, _) => Input::Terminal(TERMINAL_SIZE.0, TERMINAL_SIZE.1),
        (false, true) => Input::Piped,
        (false, false) => Input::Closed,
    };
    let LaunchRequest { script, folder: cwd, login, reports_folder: tells_folder, .. } = request;
    let start_folder = cwd.clone();
    let running =
        env.spawn(SpawnSpec { script, cwd, env: vars, input, login, reports_folder: tells_folder }).await?;
    Ok(RunningCommand::new(running, Arc::clone(artifacts), request.tool, request.terminal, start_folder))
}
