//! Options of the command line as clap parses them, with their help. The options of commands are in
//! [`super::commands`].
//!
//! Must not know what any option does.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgAction, Args as Group, Parser};

/// The options of the program itself.
#[derive(Debug, Clone, Parser)]
#[command(
    name = "bowline",
    version,
    about = env!("CARGO_PKG_DESCRIPTION"),
    disable_version_flag = true,
    max_term_width = 100
)]
pub struct Args {
    /// Files to open (path, path:line or path:line:column), a folder to work on, a prompt (an argument with white
    /// space), or @path to attach a file to the first prompt. With -p every argument is a prompt. An existing file
    /// with the name of a command is opened
    pub args: Vec<OsString>,

    /// Answer on standard output, without a screen
    #[arg(short, long)]
    pub print: bool,

    /// How to answer without a screen: text (as -p), json (one event per line; prompts can be sent as lines), rpc
    /// (another program is the client, see docs/rpc.md)
    #[arg(long, value_name = "MODE", value_parser = ["text", "json", "rpc"])]
    pub mode: Option<String>,

    /// As --mode json
    #[arg(long)]
    pub json: bool,

    /// Send this prompt first; can be repeated
    #[arg(short, long, value_name = "TEXT")]
    pub message: Vec<String>,

    /// Continue the newest session of this folder
    #[arg(short = 'c', long = "continue")]
    pub continue_: bool,

    /// Choose the session to continue
    #[arg(short, long, conflicts_with_all = ["continue_", "no_session", "session", "fork", "print"])]
    pub resume: bool,

    /// Continue this session: its file, its id, or how the id begins or ends
    #[arg(long, value_name = "ID", conflicts_with_all = ["continue_", "no_session"])]
    pub session: Option<String>,

    /// Start with a copy of this session's branch, in the current folder
    #[arg(long, value_name = "ID", conflicts_with_all = ["continue_", "no_session", "session"])]
    pub fork: Option<String>,

    /// Name the session
    #[arg(short, long, value_name = "NAME")]
    pub name: Option<String>,

    /// Do not store this session
    #[arg(long, conflicts_with = "continue_")]
    pub no_session: bool,

    /// List the models that can be used now, or those that match all of these words: context window, maximum
    /// output, dollars per million tokens, thinking levels
    #[arg(long, value_name = "WORDS", num_args = 0..=1, default_missing_value = "")]
    pub list_models: Option<String>,

    /// Theme, by name
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,

    /// Key map, by name
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,

    /// Draw for screen readers: one pane at a time, plain text, no animation (see docs/accessible.md)
    #[arg(long, env = "ACCESSIBLE", value_parser = clap::builder::FalseyValueParser::new(), num_args = 0, default_missing_value = "true", default_value = "false")]
    pub accessible: bool,

    /// Print version
    #[arg(short = 'V', long, action = ArgAction::Version)]
    pub version: Option<bool>,

    /// Model, tools and prompt of the agent.
    #[command(flatten)]
    pub agent: AgentArgs,

    /// What every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
}

/// What every command takes.
#[derive(Debug, Clone, Group)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// Store sessions in this folder
    #[arg(long, value_name = "FOLDER", global = true)]
    pub session_dir: Option<PathBuf>,

    /// Record requests to models and their answers in a file, without keys
    #[arg(long, value_name = "FILE", conflicts_with = "replay", global = true)]
    pub record: Option<PathBuf>,

    /// Answer requests to models from a recorded file
    #[arg(long, value_name = "FILE", global = true)]
    pub replay: Option<PathBuf>,

    /// Connect to nothing but this machine
    #[arg(long, env = "BOWLINE_OFFLINE", value_parser = clap::builder::FalseyValueParser::new(), num_args = 0, default_missing_value = "true", default_value = "false", global = true)]
    pub offline: bool,
}

/// Model, tools and prompt of the agent: for the program itself and for the commands that show or use them.
#[derive(Debug, Clone, Default, Group)]
#[command(next_help_heading = "Agent options")]
pub struct AgentArgs {
    /// Provider of the model
    #[arg(long, value_name = "ID")]
    pub provider: Option<String>,

    /// Model: an id or provider/id, with :level behind it for thinking
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,

    /// How hard the model thinks
    #[arg(long, value_name = "LEVEL", value_parser = ["off", "minimal", "low", "medium", "high", "xhigh", "max"])]
    pub thinking: Option<String>,

    /// API key for the provider, for this run only
    #[arg(long, value_name = "KEY", hide_env_values = true)]
    pub api_key: Option<String>,

    /// Tools and prompt for the model: auto follows the model
    #[arg(long, value_name = "ID", value_parser = ["auto", "pi", "openai", "anthropic", "gemini"])]
    pub profile: Option<String>,

    /// Enable only these tools: names or kinds (read, bash, edit, …), * matches anything; +name and -name change
    /// the default
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',', allow_hyphen_values = true)]
    pub tools: Option<Vec<String>>,

    /// Disable these tools (-xt)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub exclude_tools: Vec<String>,

    /// Disable all tools (-nt)
    #[arg(long)]
    pub no_tools: bool,

    /// Disable built-in tools that are not named (-nbt)
    #[arg(long)]
    pub no_builtin_tools: bool,

    /// Which tool calls run without approval
    #[arg(long, value_name = "MODE", value_parser = ["untrusted", "on-request", "auto-edit", "full"])]
    pub approval: Option<String>,

    /// Base instructions instead of the profile's: text, or a file that holds it
    #[arg(long, value_name = "TEXT")]
    pub system_prompt: Option<String>,

    /// More instructions, after all others: text, or a file that holds it; can be repeated
    #[arg(long, value_name = "TEXT")]
    pub append_system_prompt: Vec<String>,

    /// Do not read AGENTS.md and similar files (-nc)
    #[arg(long)]
    pub no_context_files: bool,
}

impl AgentArgs {
    /// Returns these options, with missing ones taken from `outer`, which preceded the command.
    #[must_use]
    pub fn with_defaults(self, outer: Self) -> Self {
        let list = |own: Vec<String>, outer: Vec<String>| if own.is_empty() { outer } else { own };
        Self {
            provider: self.provider.or(outer.provider),
            model: self.model.or(outer.model),
            thinking: self.thinking.or(outer.thinking),
            api_key: self.api_key.or(outer.api_key),
            profile: self.profile.or(outer.profile),
            tools: self.tools.or(outer.tools),
            exclude_tools: list(self.exclude_tools, outer.exclude_tools),
            no_tools: self.no_tools || outer.no_tools,
            no_builtin_tools: self.no_builtin_tools || outer.no_builtin_tools,
            approval: self.approval.or(outer.approval),
            system_prompt: self.system_prompt.or(outer.system_prompt),
            append_system_prompt: list(self.append_system_prompt, outer.append_system_prompt),
            no_context_files: self.no_context_files || outer.no_context_files,
        }
    }
}
