//! The command line: a command, or the options of the program itself.
//!
//! Must not know what any option does.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand as _};

use super::commands::Command;
use super::options::Args;

/// What the long help says after the tagline.
const LONG_ABOUT: &str = concat!(
    env!("CARGO_PKG_DESCRIPTION"),
    "\n\nOn a terminal it opens the full-screen IDE; with -p, or when input or output is redirected, it answers \
     prompts on standard output."
);

/// The usual one without the row between the tagline and the usage: the short help fits on a screen of 80 x 24.
const HELP_TEMPLATE: &str =
    "{before-help}{about-with-newline}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// The whole command line.
#[derive(Debug, Clone, Parser)]
#[command(
    name = "bowline",
    version,
    about = env!("CARGO_PKG_DESCRIPTION"),
    long_about = LONG_ABOUT,
    disable_version_flag = true,
    help_template = HELP_TEMPLATE,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do instead of opening the IDE or answering prompts.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The options of the program itself.
    #[command(flatten)]
    pub args: Args,
}

/// The options in the short help of the program, which fits on a screen of 80 x 24; `--help` has all.
const SHORT_HELP: [&str; 1] = ["print"];

/// Hides most options of the program from its short help.
fn with_short_help(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| {
        let is_shown = SHORT_HELP.contains(&arg.get_id().as_str());
        arg.hide_short_help(!is_shown)
    })
}

/// Parses the command line. The name of a command is not treated as one with `-p`, where it is part of the
/// prompt, or if `exists` finds a file with that name.
pub fn parse(
    args: impl Iterator<Item = OsString>,
    exists: impl Fn(&Path) -> bool,
) -> Result<Cli, clap::Error> {
    let args = expand_short_names(args);
    if is_no_command(&args, exists) {
        let matches = with_short_help(Args::command()).try_get_matches_from(args)?;
        return Ok(Cli { command: None, args: Args::from_arg_matches(&matches)? });
    }
    Cli::from_arg_matches(&with_short_help(Cli::command()).try_get_matches_from(args)?)
}

/// The largest edit distance at which a word is taken for a misspelled command.
const DISTANCE_MAX: usize = 2;

/// Returns the first argument and the command that it probably misspells: a word without a path separator or a dot that
/// is no file by `exists`. `None` with `-p` and `--mode`, where every argument is a prompt.
pub fn misspelled_command(args: &Args, exists: impl Fn(&Path) -> bool) -> Option<(&str, String)> {
    let word = args.args.first().filter(|_| !args.print && args.mode.is_none())?;
    let word = plain_word(word, exists)?;
    // Of a short name two other letters leave too little: `main` and `todo` are files.
    let near =
        distances(word).into_iter().filter(|(distance, name)| *distance <= DISTANCE_MAX.min(name.len() / 3));
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| (word, name))
}

/// Returns an argument that could be a command: without a path separator or a dot, and no file by `exists`.
pub fn plain_word(argument: &OsStr, exists: impl Fn(&Path) -> bool) -> Option<&str> {
    let word = argument.to_str()?;
    // Whole sentences have no blanks in some scripts.
    let is_plain = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    (is_plain && !word.is_empty() && !exists(Path::new(word))).then_some(word)
}

/// Returns the command that is nearest to a word, if half of its letters are the same.
pub fn nearest_command(word: &str) -> Option<String> {
    let near = distances(word).into_iter().filter(|(distance, name)| *distance <= name.len() / 2);
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// Returns the commands, each with its edit distance to a word.
fn distances(word: &str) -> Vec<(usize, String)> {
    let command = Cli::command();
    let names = command.get_subcommands().map(clap::Command::get_name).chain(["help"]);
    names.map(|name| (strsim::osa_distance(&word.to_lowercase(), name), name.to_string())).collect()
}

/// Whether the first word that could be a command is an ordinary argument.
fn is_no_command(args: &[OsString], exists: impl Fn(&Path) -> bool) -> bool {
    let lenient = Args::command().ignore_errors(true).disable_help_flag(true).disable_version_flag(true);
    let Ok(matches) = lenient.try_get_matches_from(args) else { return false };
    let Ok(read) = Args::from_arg_matches(&matches) else { return false };
    let word = read.args.first().and_then(|word| word.to_str()).unwrap_or_default();
    let names = word == "help" || Command::has_subcommand(word);
    names && (read.print || exists(Path::new(word)))
}

/// Short names of two letters or more, which clap does not support.
const SHORT_NAMES: [(&str, &str); 4] = [
    ("-xt", "--exclude-tools"),
    ("-nt", "--no-tools"),
    ("-nbt", "--no-builtin-tools"),
    ("-nc", "--no-context-files"),
];

/// Expands short names of several letters in the arguments, up to `--`.
fn expand_short_names(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut over = false;
    args.map(|arg| {
        over |= arg == "--";
        let long = SHORT_NAMES.iter().find(|(short, _)| !over && arg == *short);
        long.map_or(arg, |(_, long)| long.into())
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::commands::sessions::{SessionCommand, Sessions};

    fn read(words: &[&str], file: Option<&str>) -> Result<Cli, clap::Error> {
        let args = std::iter::once("bowline").chain(words.iter().copied()).map(OsString::from);
        parse(args, |path| file.is_some_and(|file| path == Path::new(file)))
    }

    fn args(words: &[&str]) -> Args {
        read(words, None).unwrap().args
    }

    #[test]
    fn cli_definitions_are_consistent() {
        Cli::command().debug_assert();
        Args::command().debug_assert();
    }

    #[test]
    fn cli_multi_letter_short_options_are_expanded() {
        let read = args(&["-xt", "bash,write", "-nc", "-t", "-bash,+ls", "-p", "--", "-nt"]);
        assert_eq!(read.agent.exclude_tools, ["bash", "write"]);
        assert_eq!(read.agent.tools.unwrap(), ["-bash", "+ls"]);
        assert!(read.agent.no_context_files && !read.agent.no_tools);
        assert_eq!(read.args, ["-nt"]);
        assert!(args(&["-nt"]).agent.no_tools && args(&["-nbt"]).agent.no_builtin_tools);
    }

    #[test]
    fn cli_prompt_may_begin_with_dash_after_separator() {
        assert_eq!(args(&["-p", "--", "-x"]).args, ["-x"]);
        assert!(read(&["--continue", "--no-session"], None).is_err());
    }

    #[test]
    fn cli_command_name_may_be_file_or_prompt() {
        for words in [&["login"][..], &["help"], &["sessions", "stats"], &["login", "a", "b"]] {
            let plain = read(words, Some(words[0])).unwrap();
            assert!(plain.command.is_none() && plain.args.args == words, "{words:?}");
            let plain = read(&[&["-p"], words].concat(), None).unwrap();
            assert!(plain.command.is_none() && plain.args.args == words, "{words:?}");
        }
        assert!(read(&["login", "-p"], None).unwrap().command.is_none());
        assert!(read(&["--", "login"], None).unwrap().command.is_none());
        assert!(read(&["fix.rs", "login"], None).unwrap().command.is_none());
        assert!(read(&["--model", "login", "x"], None).unwrap().command.is_none());
        assert!(read(&["login"], Some("other")).unwrap().command.is_some());
        assert!(read(&["login", "a", "b"], None).is_err());
    }

    #[test]
    fn cli_misspelled_command_is_a_plain_word_near_to_one() {
        let near = |words: &[&str], file: Option<&str>| {
            misspelled_command(&args(words), |path| file.is_some_and(|file| path == Path::new(file)))
                .map(|(_, name)| name)
        };
        for (word, name) in [
            ("docter", "doctor"),
            ("dcotor", "doctor"),
            ("Doctor", "doctor"),
            ("sesions", "sessions"),
            ("session", "sessions"),
            ("completion", "completions"),
            ("key", "keys"),
            ("hlep", "help"),
            ("lgoin", "login"),
        ] {
            assert_eq!(near(&[word], None).as_deref(), Some(name), "{word}");
            assert_eq!(near(&[word], Some(word)), None, "{word} is a file");
        }
        for words in [
            &["./docter"][..],
            &["docter.md"],
            &["docter:3"],
            &["@docter"],
            &["fix the docter"],
            &["-p", "docter"],
            &["--mode", "json", "docter"],
            &["Makefile"],
            &["todo"],
            &["notes"],
            &["README"],
            &["a"],
            &["a.rs", "docter"],
            &[],
        ] {
            assert_eq!(near(words, None), None, "{words:?}");
        }
        assert_eq!(near(&["--json", "docter"], None).as_deref(), Some("doctor"));
        assert_eq!(near(&["sesions", "list"], None).as_deref(), Some("sessions"));
    }

    #[test]
    fn cli_options_before_command_apply_unless_overridden() {
        let words = [
            "--offline",
            "--model",
            "a",
            "-t",
            "read",
            "--profile",
            "pi",
            "prompt",
            "--show",
            "--model",
            "b",
        ];
        let cli = read(&words, None).unwrap();
        assert!(cli.args.global.offline);
        let Some(Command::Prompt(prompt)) = cli.command else { panic!("{:?}", cli.command) };
        let agent = prompt.agent.with_defaults(cli.args.agent);
        assert_eq!((agent.model.as_deref(), agent.profile.as_deref()), (Some("b"), Some("pi")));
        assert_eq!(agent.tools.unwrap(), ["read"]);
        let cli = read(&["sessions", "list", "--json", "--session-dir", "x", "--offline"], None).unwrap();
        assert!(cli.args.global.offline && cli.args.global.session_dir.is_some());
        let Some(Command::Sessions(Sessions { command, json })) = cli.command else { panic!() };
        assert!(json && matches!(command, Some(SessionCommand::List)));
    }
}
