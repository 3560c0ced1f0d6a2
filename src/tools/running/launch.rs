//! Starts commands for agents: without colors, pagers and prompts.
//!
//! Must not know any tool's texts.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::live::Live;
use crate::exec::{EnvError, Environment, Input, SpawnSpec};
use crate::tools::output::artifacts::Artifacts;

/// Variables of every command in addition to the filtered environment: no user watches its terminal, pages
/// through output or enters a password.
const FORCED: [(&str, &str); 9] = [
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
const TERMINAL: (u16, u16) = (200, 50);

/// A command to run.
#[derive(Debug, Clone, Default)]
pub struct LaunchRequest {
    /// For the shell.
    pub script: String,
    /// The folder; absolute.
    pub folder: PathBuf,
    /// Whether it gets input.
    pub fed: bool,
    /// Whether it gets a terminal.
    pub terminal: bool,
    /// Whether the shell reads the user's start files.
    pub login: bool,
    /// Whether to determine the folder where it ends.
    pub tells_folder: bool,
    /// The tool, for the names of artifacts.
    pub tool: &'static str,
}

/// Starts the command.
pub async fn start(
    env: &dyn Environment,
    artifacts: &Arc<Artifacts>,
    wanted: LaunchRequest,
) -> Result<Live, EnvError> {
    let vars: BTreeMap<String, String> =
        FORCED.into_iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    let input = match (wanted.terminal, wanted.fed) {
        (true, _) => Input::Terminal(TERMINAL.0, TERMINAL.1),
        (false, true) => Input::Piped,
        (false, false) => Input::Closed,
    };
    let LaunchRequest { script, folder: cwd, login, tells_folder, .. } = wanted;
    let running = env.spawn(SpawnSpec { script, cwd, env: vars, input, login, tells_folder }).await?;
    Ok(Live::new(running, Arc::clone(artifacts), wanted.tool, wanted.terminal))
}
