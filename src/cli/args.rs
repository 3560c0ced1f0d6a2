//! The raw arguments: names, meanings and help texts, nothing resolved.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Parser;

/// A terminal IDE with a coding agent aboard.
///
/// On a terminal it opens the full-screen IDE; with -p, or when input or output is redirected,
/// it answers prompts on standard output.
#[derive(Debug, Clone, Parser)]
#[command(name = "bowline", version, about, long_about, max_term_width = 100)]
pub struct Args {
    /// Files to open (path, path:line or path:line:column), a folder to work on, a prompt (an
    /// argument with white space), or @path to attach a file to the first prompt. With -p every
    /// argument is a prompt. `login [PROVIDER]` keeps a key or a login, `logout [PROVIDER]` forgets it,
    /// `models refresh [PROVIDER]` asks providers which models they have, `sessions` tells, searches, adds up and
    /// deletes what is stored, `import FILES` takes over sessions of pi, Claude Code and codex, `tool NAME JSON` runs one
    /// tool once as a model would, with these arguments or with those on standard input
    pub args: Vec<OsString>,

    /// Answer on standard output, without a screen
    #[arg(short, long)]
    pub print: bool,

    /// How to answer without a screen: text (as -p), json (every event, a line each; prompts may come as lines,
    /// too), rpc (another program drives, see docs/rpc.md)
    #[arg(long, value_name = "MODE", value_parser = ["text", "json", "rpc"])]
    pub mode: Option<String>,

    /// Say this to the agent first; may be repeated
    #[arg(short, long, value_name = "TEXT")]
    pub message: Vec<String>,

    /// Go on with the newest conversation of this folder
    #[arg(short = 'c', long = "continue")]
    pub continue_: bool,

    /// Choose the conversation to go on with
    #[arg(short, long, conflicts_with_all = ["continue_", "no_session", "session", "fork", "print"])]
    pub resume: bool,

    /// Go on with this conversation: its file, its id, or how that begins or ends
    #[arg(long, value_name = "ID", conflicts_with_all = ["continue_", "no_session"])]
    pub session: Option<String>,

    /// Start with a copy of this conversation's branch, in the current folder
    #[arg(long, value_name = "ID", conflicts_with_all = ["continue_", "no_session", "session"])]
    pub fork: Option<String>,

    /// Name the conversation
    #[arg(short, long, value_name = "NAME")]
    pub name: Option<String>,

    /// Keep conversations in this folder
    #[arg(long, value_name = "FOLDER")]
    pub session_dir: Option<PathBuf>,

    /// Do not keep this conversation
    #[arg(long, conflicts_with = "continue_")]
    pub no_session: bool,

    /// Provider of the model
    #[arg(long, value_name = "ID")]
    pub provider: Option<String>,

    /// Model: an id or provider/id, with :level behind it for thinking
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,

    /// List the models that can be asked now, those with all of these words if there are some:
    /// tokens that fit and that it answers, dollars per million of them, thinking levels
    #[arg(long, value_name = "WORDS", num_args = 0..=1, default_missing_value = "")]
    pub list_models: Option<String>,

    /// How hard the model thinks
    #[arg(long, value_name = "LEVEL", value_parser = ["off", "minimal", "low", "medium", "high", "xhigh", "max"])]
    pub thinking: Option<String>,

    /// Tools and prompt for the model: auto goes by the model
    #[arg(long, value_name = "ID", value_parser = ["auto", "pi", "openai", "anthropic", "gemini"])]
    pub profile: Option<String>,

    /// Offer only these tools: names or kinds (read, bash, edit, …), with * for anything; +name and
    /// -name change the usual choice
    #[arg(short, long, value_name = "NAMES", value_delimiter = ',', allow_hyphen_values = true)]
    pub tools: Option<Vec<String>>,

    /// Never offer these tools (-xt)
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub exclude_tools: Vec<String>,

    /// Offer no tools (-nt)
    #[arg(long)]
    pub no_tools: bool,

    /// Offer none of the built-in tools unless they are named (-nbt)
    #[arg(long)]
    pub no_builtin_tools: bool,

    /// Base instructions in place of the profile's: text, or a file that holds it
    #[arg(long, value_name = "TEXT")]
    pub system_prompt: Option<String>,

    /// More instructions, behind all others: text, or a file that holds it; may be repeated
    #[arg(long, value_name = "TEXT")]
    pub append_system_prompt: Vec<String>,

    /// Leave AGENTS.md and its like alone (-nc)
    #[arg(long)]
    pub no_context_files: bool,

    /// With `prompt`: show the system prompt with its parts and their tokens
    #[arg(long)]
    pub show: bool,

    /// With `tool`: the names of the tools; with --json their schemas, too
    #[arg(long)]
    pub list: bool,

    /// With `tool`: where it works; nothing can be changed in a read-only place
    #[arg(long, value_name = "PLACE", value_parser = ["local", "read-only"])]
    pub env: Option<String>,

    /// With `export`: md, html or jsonl; else as the file's name ends
    #[arg(long, value_name = "FORM", value_parser = ["md", "html", "jsonl"])]
    pub format: Option<String>,

    /// With `sessions context`: at this entry
    #[arg(long, value_name = "ENTRY")]
    pub leaf: Option<String>,

    /// With `sessions context`: what is left out of the request, too
    #[arg(long)]
    pub all: bool,

    /// With `sessions stats`: what is added up
    #[arg(long, value_name = "WHAT", value_parser = ["session", "day", "model", "project", "tool"])]
    pub by: Option<String>,

    /// With `sessions stats`: from this day on, or as long ago (2026-11-01, 7d, 2w)
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,

    /// With `import`: whose sessions they are; else that is found out
    #[arg(long, value_name = "PROGRAM", value_parser = ["pi", "claude", "codex"])]
    pub from: Option<String>,

    /// With `sessions restore`, `revert` and `prune`: only say what it would do
    #[arg(long)]
    pub dry_run: bool,

    /// With `sessions restore`: the conversation goes back, too
    #[arg(long)]
    pub with_conversation: bool,

    /// With `sessions restore` and `revert`: what is done where both sides changed a file
    #[arg(long, value_name = "SIDE", value_parser = ["mine", "theirs", "beside"])]
    pub take: Option<String>,

    /// With a subcommand: answer in JSON
    #[arg(long)]
    pub json: bool,

    /// Key for the provider, for this run only
    #[arg(long, value_name = "KEY", hide_env_values = true)]
    pub api_key: Option<String>,

    /// Which tool calls run unasked
    #[arg(long, value_name = "MODE", value_parser = ["untrusted", "on-request", "auto-edit", "full"])]
    pub approval: Option<String>,

    /// Record what is exchanged with models into a file; keys are left out
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub record: Option<PathBuf>,

    /// Play what was recorded, and ask nobody
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,

    /// Theme, by name
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,

    /// Key map, by name
    #[arg(long, value_name = "NAME")]
    pub keymap: Option<String>,

    /// Talk to nobody but this machine
    #[arg(long, env = "BOWLINE_OFFLINE", value_parser = clap::builder::FalseyValueParser::new(), num_args = 0, default_missing_value = "true", default_value = "false")]
    pub offline: bool,
}

/// Short names of two letters and more, which clap has not.
const SHORT: [(&str, &str); 4] = [
    ("-xt", "--exclude-tools"),
    ("-nt", "--no-tools"),
    ("-nbt", "--no-builtin-tools"),
    ("-nc", "--no-context-files"),
];

/// The arguments with short names of several letters written out, up to `--`.
pub fn written_out(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut over = false;
    args.map(|arg| {
        over |= arg == "--";
        let long = SHORT.iter().find(|(short, _)| !over && arg == *short);
        long.map_or(arg, |(_, long)| long.into())
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_hold_together() {
        Args::command().debug_assert();
    }

    #[test]
    fn short_names_of_several_letters_are_written_out() {
        let parse = |words: &[&str]| {
            let args = std::iter::once("bowline").chain(words.iter().copied()).map(OsString::from);
            Args::try_parse_from(written_out(args)).unwrap()
        };
        let args = parse(&["-xt", "bash,write", "-nc", "-t", "-bash,+ls", "-p", "--", "-nt"]);
        assert_eq!(args.exclude_tools, ["bash", "write"]);
        assert_eq!(args.tools.unwrap(), ["-bash", "+ls"]);
        assert!(args.no_context_files && !args.no_tools);
        assert_eq!(args.args, ["-nt"]);
        assert!(parse(&["-nt"]).no_tools && parse(&["-nbt"]).no_builtin_tools);
    }

    #[test]
    fn prompts_may_begin_with_a_dash_behind_two() {
        let args = Args::try_parse_from(["bowline", "-p", "--", "-x"]).unwrap();
        assert_eq!(args.args, ["-x"]);
        assert!(Args::try_parse_from(["bowline", "--continue", "--no-session"]).is_err());
    }
}
