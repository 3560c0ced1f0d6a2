//! Commands of the program, such as `bowline login`: one clap definition each, from which help, completions
//! and the manual page are generated.
//!
//! `sessions` has the commands on stored sessions; `login`, `prompt`, `tool`, `export`, `import`, `keys` and `theme` are named
//! after their commands. Must not know how the work is done; completions and the manual page are in
//! [`super::manual`].

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args as Group, Subcommand};
use tokio::runtime::Builder;

use super::answer::format_answer;
use super::doctor;
use super::options::{AgentArgs, Args};
use super::process::{
    FAILED, NonInteractive, OK, USAGE, print_error, read_process, start_log, stdout, write_out,
};
use super::setup;
use crate::base::error::Report;
use crate::base::width::visible_lines;
use crate::runtime::Options;
use crate::runtime::models::refresh;
use crate::tools::Mode;
use sessions::{SessionCommand, Sessions};

pub mod export;
pub mod import;
pub mod keys;
pub mod login;
pub mod prompt;
pub mod sessions;
pub mod theme;
pub mod tool;

/// A command.
#[derive(Debug, Clone, Subcommand)]
pub enum Command {
    /// Log in to a provider, or store an API key for it
    Login {
        /// The provider; asked for if it is missing
        provider: Option<String>,
    },
    /// Delete the stored login or API key of a provider
    Logout {
        /// The provider; not needed if only one is stored
        provider: Option<String>,
    },
    /// Manage lists of models
    #[command(subcommand, after_help = MODELS)]
    Models(Models),
    /// Show the system prompt with its parts and their tokens
    Prompt(Prompt),
    /// List, search, restore and delete stored sessions
    Sessions(Sessions),
    /// Write a session to a Markdown, HTML or JSONL document
    Export(export::Export),
    /// Import sessions of pi, Claude Code or codex
    Import(import::Import),
    /// Run one tool once, as a model would
    #[command(after_help = TOOL)]
    Tool(tool::Tool),
    /// Check terminal, settings, providers and installation
    Doctor {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Learn the essential keys in ten short steps
    Tutor,
    /// Print the keys of the key map with their commands
    Keys(keys::Keys),
    /// List, show and convert themes
    #[command(subcommand)]
    Theme(theme::ThemeCommand),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man {
        /// Write the pages of bowline and of each command to this folder instead
        #[arg(short, long, value_name = "DIR")]
        output: Option<PathBuf>,
    },
}

const MODELS: &str = "`bowline models refresh [PROVIDER]` asks providers for their models; `bowline --list-models` \
lists those that can be used.";

const TOOL: &str =
    "Example: `bowline tool read '{\"path\": \"README.md\"}'`; `bowline tool --list` lists the tools.";

/// What can be done with lists of models.
#[derive(Debug, Clone, Subcommand)]
pub enum Models {
    /// Ask providers which models they have
    Refresh {
        /// Only this provider
        provider: Option<String>,
    },
}

/// Which prompt is shown, and how.
#[derive(Debug, Clone, Group)]
pub struct Prompt {
    /// Show the prompt; nothing else can be done with it yet
    #[arg(long, required = true)]
    pub show: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Whose prompt.
    #[command(flatten)]
    pub agent: AgentArgs,
}

impl Command {
    /// Whether its output is a document or data for a program.
    fn is_data(&self, json: bool) -> bool {
        matches!(self, Self::Export(_)) || self.json(json)
    }

    /// Whether the output is JSON; `outer` is the flag before the command.
    fn json(&self, outer: bool) -> bool {
        match self {
            Self::Prompt(Prompt { json, .. })
            | Self::Sessions(Sessions { json, .. })
            | Self::Import(import::Import { json, .. })
            | Self::Tool(tool::Tool { json, .. })
            | Self::Keys(keys::Keys { json, .. })
            | Self::Doctor { json } => *json || outer,
            _ => false,
        }
    }

    /// Returns the agent options given after the command.
    fn agent(&self) -> Option<&AgentArgs> {
        match self {
            Self::Prompt(Prompt { agent, .. }) | Self::Tool(tool::Tool { agent, .. }) => Some(agent),
            Self::Sessions(sessions) => sessions.agent(),
            _ => None,
        }
    }
}

/// Runs a command; returns the exit code.
pub fn run(args: &Args, command: &Command) -> Result<i32, (i32, Report)> {
    // It must also run where the others cannot start.
    if let Command::Doctor { json } = command {
        return doctor::run::run(args, *json || args.json);
    }
    // Piped input answers questions; it is not a prompt.
    let process = read_process(true).map_err(|report| (USAGE, report))?;
    let agent = command.agent().cloned().unwrap_or_default().with_defaults(args.agent.clone());
    let bare = Args { args: Vec::new(), agent, ..args.clone() };
    let setup = setup::resolve(&bare, &process, false).map_err(|report| (USAGE, report))?;
    match command {
        Command::Keys(request) => return print_keys(&bare, &setup, request, command.json(args.json)),
        Command::Theme(request) => return theme::run(&bare, &setup, &process, request),
        _ => {}
    }
    let env = setup::environment(&setup);
    let options =
        setup::session_options(&bare, &setup, &process, Mode::AutoEdit, env, Arc::new(NonInteractive));
    let mut options = options.map_err(|report| (USAGE, report))?;
    let json = command.json(args.json);
    if let Command::Tool(tool_args) = command {
        start_log(&setup.home.state, &process);
        setup.loaded.problems.iter().for_each(|problem| print_error(&Report::new(problem.to_string())));
        options.env = tool::environment_named(tool_args.env.as_deref(), options.env);
        // Also where they would not be started: the tool then says why.
        options.language_servers = Some(Arc::new(setup::session_servers(&setup, options.env.clone())));
        return run_tool(options, tool_args, json);
    }
    options.language_servers = setup::usable_servers(&setup, options.env.clone());
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| (FAILED, Report::caused("cannot start", &error)))?;
    let talk = login::Terminal::default();
    let answer = runtime.block_on(async {
        // A restore reports its own progress.
        if let Command::Sessions(sessions) = command
            && matches!(sessions.command, Some(SessionCommand::States(_)))
        {
            return session_answer(&options, sessions, json).await;
        }
        tokio::select! {
            answer = execute(&options, command, json, &talk) => answer,
            _ = tokio::signal::ctrl_c() => Err(Report::new("interrupted; nothing changed")),
        }
    });
    talk.restore_echo();
    // A thread may wait for a line that never comes.
    runtime.shutdown_background();
    let (text, code) = answer.map_err(|report| (FAILED, report))?;
    // Documents and data go to a file or pipe verbatim; for a terminal control characters are removed.
    let as_it_is = command.is_data(args.json) && !std::io::stdout().is_terminal();
    let text = format!("{text}\n");
    let text = if as_it_is { text } else { visible_lines(&text.replace('\t', "    ")) };
    write_out(&text, &mut std::io::stdout()).map(|()| code)
}

/// Prints the key map; problems of its file go to standard error.
fn print_keys(
    args: &Args,
    setup: &setup::Setup,
    request: &keys::Keys,
    json: bool,
) -> Result<i32, (i32, Report)> {
    let (answer, problems) = keys::keys(args, setup, request).map_err(|report| (USAGE, report))?;
    for problem in problems {
        print_error(&Report::new(problem));
    }
    let text = format!("{}\n", format_answer(answer, json));
    write_out(&text, &mut *stdout()).map(|()| OK)
}

/// Runs one tool, on the threads that it would have for a model.
fn run_tool(options: Options, args: &tool::Tool, json: bool) -> Result<i32, (i32, Report)> {
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| (FAILED, Report::caused("cannot start", &error)))?;
    let code = runtime.block_on(tool::run(options, args, json));
    // A thread that waits for an unresponsive disk must not delay the exit.
    runtime.shutdown_background();
    code
}

async fn session_answer(options: &Options, sessions: &Sessions, json: bool) -> Result<(String, i32), Report> {
    sessions::answer(options, sessions, json).await.map(|(text, complete)| (text, exit_code(complete)))
}

fn exit_code(complete: bool) -> i32 {
    if complete { OK } else { FAILED }
}

async fn execute(
    options: &Options,
    command: &Command,
    json: bool,
    talk: &login::Terminal,
) -> Result<(String, i32), Report> {
    match command {
        Command::Login { provider } => Ok((login::login(options, provider.as_deref(), talk).await?, OK)),
        Command::Logout { provider } => Ok((login::logout(options, provider.as_deref()).await?, OK)),
        Command::Models(Models::Refresh { provider }) => {
            let results = refresh::refresh(options, provider.as_deref()).await?;
            let complete = results.iter().all(|results| results.outcome.is_ok());
            let lines: Vec<String> = results.iter().map(refresh::RefreshResult::sentence).collect();
            Ok((lines.join("\n"), exit_code(complete)))
        }
        Command::Prompt(_) => Ok((prompt::show(options, json).await?, OK)),
        Command::Sessions(sessions) => session_answer(options, sessions, json).await,
        Command::Export(args) => Ok((export::export(&options.session_root(), &options.cwd, args)?, OK)),
        Command::Import(args) => {
            let (answer, complete) = import::import(&options.session_root(), &options.cwd, args)?;
            Ok((format_answer(answer, json), exit_code(complete)))
        }
        // Handled before.
        Command::Tool(_)
        | Command::Doctor { .. }
        | Command::Tutor
        | Command::Keys(_)
        | Command::Theme(_)
        | Command::Completions { .. }
        | Command::Man { .. } => Ok((String::new(), OK)),
    }
}
