//! Wrappers: programs that run a command or a shell text in their words.
//!
//! Must not know what is harmless. A wrapper is also a command of its own.

use super::read_only::sed;
use super::syntax::script::Word;

/// What a wrapper runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WrappedCommand {
    /// A command, with the names of the variables that are set for it.
    Words(Vec<String>, Vec<Word>),
    /// A text for a shell.
    Text(String),
    /// Unknown.
    Unknown,
}

/// A program that runs the rest of its words.
struct Wrapper {
    name: &'static str,
    /// Options without a value.
    flags: &'static str,
    /// Options with a value, in the same word or the next.
    valued: &'static str,
    /// Number of its own operands before the command.
    operands: usize,
    /// Whether `A=b` words precede the command.
    sets: bool,
    /// How the remaining words are used.
    rest: Rest,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Command,
    /// The words are joined for a shell.
    Joined,
    /// More words are appended to the command.
    Appended,
}

const fn wrapper(name: &'static str, flags: &'static str, valued: &'static str) -> Wrapper {
    Wrapper { name, flags, valued, operands: 0, sets: false, rest: Rest::Command }
}

/// The wrappers, with options separated by blanks. An unknown option makes everything unknown.
const WRAPPERS: &[Wrapper] = &[
    wrapper("time", " -p ", " "),
    wrapper("nice", " ", " -n "),
    wrapper("ionice", " -t ", " -c -n "),
    wrapper("stdbuf", " ", " -i -o -e "),
    wrapper("nohup", " ", " "),
    wrapper("setsid", " -f -w -c --fork --wait ", " "),
    wrapper("command", " -p ", " "),
    wrapper("builtin", " ", " "),
    wrapper("coproc", " ", " "),
    wrapper("exec", " -c -l ", " -a "),
    wrapper("doas", " -n ", " -u "),
    Wrapper {
        operands: 1,
        ..wrapper("timeout", " --foreground --preserve-status -v --verbose ", " -k -s --kill-after --signal ")
    },
    Wrapper {
        sets: true,
        ..wrapper("sudo", " -n -E -H -S -k -b -A ", " -u -g -C -D -p -h -r -t -T -U -R --user --group ")
    },
    Wrapper {
        sets: true,
        ..wrapper("env", " - -i -0 --ignore-environment --null ", " -u -C --unset --chdir ")
    },
    Wrapper {
        rest: Rest::Appended,
        ..wrapper(
            "xargs",
            " -0 -r -t -x --null --no-run-if-empty --verbose ",
            " -n -P -L -d -E -s -I --max-args ",
        )
    },
    Wrapper {
        rest: Rest::Joined,
        ..wrapper("watch", " -d -t -b -e -g -c --differences --no-title --color ", " -n --interval ")
    },
    Wrapper {
        operands: 1,
        rest: Rest::Joined,
        ..wrapper("ssh", " -4 -6 -A -a -C -f -g -K -k -N -n -q -s -T -t -V -v -X -x -Y ", " -i -l -p ")
    },
];

const SHELLS: [&str; 6] = ["sh", "bash", "dash", "zsh", "ksh", "ash"];
/// Options of `tar` that run a program.
const TAR: [&str; 7] = [
    "--to-command",
    "--checkpoint-action",
    "--use-compress-program",
    "--rsh-command",
    "--rmt-command",
    "--info-script",
    "--new-volume-script",
];

/// Returns what a command runs in addition to itself.
pub(super) fn wrapped_commands(words: &[Word]) -> Vec<WrappedCommand> {
    let Some((first, rest)) = words.split_first() else { return Vec::new() };
    if !first.is_exact {
        return vec![WrappedCommand::Unknown];
    }
    let name = first.text.rsplit('/').next().unwrap_or_default();
    let looks_up = name == "command" && rest.first().is_some_and(|word| ["-v", "-V"].contains(&&*word.text));
    match name {
        _ if looks_up => Vec::new(),
        "find" => find_exec_commands(rest),
        "eval" => vec![joined_script(rest)],
        "trap" => trap_commands(rest),
        "git" => git_config_commands(rest),
        "tar" | "bsdtar" => unknown_if(rest.iter().any(|word| word.is_dynamic || runs_from_tar(&word.text))),
        "sed" | "gsed" => unknown_if(sed::may_run(rest)),
        "awk" | "gawk" | "mawk" | "nawk" => unknown_if(rest.iter().any(runs_from_awk)),
        name if SHELLS.contains(&name) => shell(rest),
        name => WRAPPERS
            .iter()
            .find(|wrapper| wrapper.name == name)
            .map(|wrapper| unwrap(wrapper, rest).unwrap_or(WrappedCommand::Unknown))
            .filter(
                |inner| !matches!(inner, WrappedCommand::Words(sets, words) if sets.is_empty() && words.is_empty()),
            )
            .into_iter()
            .collect(),
    }
}

fn unknown_if(unknown: bool) -> Vec<WrappedCommand> {
    if unknown { vec![WrappedCommand::Unknown] } else { Vec::new() }
}

/// Returns the command in a wrapper's words; `None` if the shell, or appended words, decide where it starts.
fn unwrap(wrapper: &Wrapper, words: &[Word]) -> Option<WrappedCommand> {
    let OwnOptions { word_count: taken, placeholder: replaced } = own_options(wrapper, words)?;
    // An operand that is missing, or may expand to several, moves the start of the command.
    let command = taken + wrapper.operands;
    if words.get(taken..command)?.iter().any(|word| !word.is_exact) {
        return None;
    }
    let mut rest = words.get(command..)?;
    let mut sets = Vec::new();
    while let Some((word, after)) = rest.split_first().filter(|_| wrapper.sets)
        && let Some((name, _)) = word.text.split_once('=')
    {
        if !word.is_exact {
            return None;
        }
        sets.push(name.to_string());
        rest = after;
    }
    Some(match wrapper.rest {
        _ if rest.is_empty() => WrappedCommand::Words(sets, Vec::new()),
        Rest::Command => WrappedCommand::Words(sets, rest.to_vec()),
        Rest::Joined => joined_script(rest),
        Rest::Appended if replaced.is_some_and(|sign| rest[0].text.contains(sign)) => return None,
        Rest::Appended if replaced.is_some() => {
            // Any word may contain the replaced text. If an option after `-I` cancels it, words are appended
            // after all.
            let after = rest[1..].iter().map(|word| Word::dynamic(&word.text)).chain([Word::dynamic("…")]);
            WrappedCommand::Words(sets, std::iter::once(rest[0].clone()).chain(after).collect())
        }
        Rest::Appended => {
            let all = rest.iter().cloned().chain([Word::dynamic("…")]);
            WrappedCommand::Words(sets, all.collect())
        }
    })
}

/// A wrapper's own options.
struct OwnOptions<'w> {
    /// Number of the wrapper's own words.
    word_count: usize,
    /// The text that `-I` replaces.
    placeholder: Option<&'w str>,
}

/// Parses the wrapper's own options; `None` if an option or value is unknown.
fn own_options<'w>(wrapper: &Wrapper, words: &'w [Word]) -> Option<OwnOptions<'w>> {
    let (mut taken, mut replaced) = (0, None);
    while let Some(word) = words.get(taken).filter(|word| word.is_dynamic || word.text.starts_with('-')) {
        let option = &*word.text;
        let (name, value) =
            option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        taken += 1;
        match () {
            () if !word.is_exact => return None,
            () if option == "--" => break,
            () if has(wrapper.flags, option) => {}
            () if has(wrapper.valued, name) => {
                let value = if let Some(value) = value {
                    value
                } else {
                    // A word that is appended, or expands to several, would hide the command.
                    let word = words.get(taken).filter(|word| word.is_exact)?;
                    taken += 1;
                    &word.text
                };
                replaced = if name == "-I" { Some(value) } else { replaced };
            }
            // `-n1`: the value in the same word.
            () if !option.starts_with("--") && has(wrapper.valued, option.get(..2)?) => {
                replaced = option.strip_prefix("-I").or(replaced);
            }
            () => return None,
        }
    }
    Some(OwnOptions { word_count: taken, placeholder: replaced })
}

/// Whether a list contains an option; a quoted word with two of them does not match.
fn has(list: &str, option: &str) -> bool {
    list.split_whitespace().any(|known| known == option)
}

fn joined_script(words: &[Word]) -> WrappedCommand {
    let exact = words.iter().all(|word| word.is_exact);
    let words: Vec<&str> = words.iter().map(|word| &*word.text).collect();
    if exact { WrappedCommand::Text(words.join(" ")) } else { WrappedCommand::Unknown }
}

/// Returns the commands of `-exec` and similar, up to `;` or `+`.
fn find_exec_commands(words: &[Word]) -> Vec<WrappedCommand> {
    let mut inner = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        if word.is_dynamic {
            inner.push(WrappedCommand::Unknown);
        }
        if ["-exec", "-execdir", "-ok", "-okdir"].contains(&&*word.text) {
            let rest = words.get(at..).unwrap_or_default();
            // A `+` terminates it only after `{}`; elsewhere it is a word of the command.
            let ends =
                |n: usize| rest[n].text == ";" || (rest[n].text == "+" && n > 0 && rest[n - 1].text == "{}");
            let length = (0..rest.len()).find(|n| ends(*n));
            let command = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
            let filled =
                |word: &Word| if word.text.contains("{}") { Word::dynamic("{}") } else { word.clone() };
            inner.push(match length {
                Some(length) if length > 0 => {
                    WrappedCommand::Words(Vec::new(), command.iter().map(filled).collect())
                }
                _ => WrappedCommand::Unknown,
            });
            at += command.len();
        }
    }
    inner
}

/// Handles `sh -c TEXT`, with `c` anywhere in a cluster. Without a text or file it runs its input.
fn shell(words: &[Word]) -> Vec<WrappedCommand> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        if !word.is_exact {
            return vec![WrappedCommand::Unknown];
        }
        if word.text == "--" {
            return unknown_if(at == words.len());
        }
        if !word.text.starts_with(['-', '+']) || ["--help", "--version"].contains(&&*word.text) {
            return Vec::new();
        }
        let is_short = !word.text.starts_with("--");
        if is_short && word.text.contains('c') {
            let text = words.get(at).filter(|word| word.is_exact && !word.text.starts_with(['-', '+']));
            return vec![
                text.map_or(WrappedCommand::Unknown, |word| WrappedCommand::Text(word.text.clone())),
            ];
        }
        if is_short && word.text.contains('s') {
            break;
        }
        let takes_value = is_short && word.text.contains(['o', 'O']);
        at += usize::from(takes_value || ["--rcfile", "--init-file"].contains(&&*word.text));
    }
    vec![WrappedCommand::Unknown]
}

/// Handles `trap TEXT SIGNAL…`; with fewer words, or a `-`, no text is run.
fn trap_commands(words: &[Word]) -> Vec<WrappedCommand> {
    let words = words.strip_prefix(&[Word::plain("--")]).unwrap_or(words);
    match words {
        [] | [_] => Vec::new(),
        [text, ..] if text.is_exact && text.text.starts_with('-') => Vec::new(),
        [text, ..] if text.is_exact => vec![WrappedCommand::Text(text.text.clone())],
        _ => vec![WrappedCommand::Unknown],
    }
}

/// Handles configuration passed to git, which can name programs and aliases.
fn git_config_commands(words: &[Word]) -> Vec<WrappedCommand> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = &*word.text;
        let names =
            text.starts_with("-c") || text.starts_with("--config-env") || text.starts_with("--exec-path=");
        if word.is_dynamic || names {
            return vec![WrappedCommand::Unknown];
        }
        if !text.starts_with('-') {
            break;
        }
        if ["-C", "--git-dir", "--work-tree", "--namespace"].contains(&text) {
            words.next();
        }
    }
    Vec::new()
}

fn runs_from_tar(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    let is_long = name.len() > 2 && TAR.iter().any(|option| option.starts_with(name));
    let is_short = name.starts_with('-') && !name.starts_with("--") && name.contains(['I', 'F']);
    is_long && name.starts_with("--") || is_short
}

fn runs_from_awk(word: &Word) -> bool {
    let signs = ["system", "|", ">", "getline", "@"];
    word.is_dynamic
        || word.text.starts_with('-') && word.text.contains('f')
        || signs.iter().any(|sign| word.text.contains(sign))
}
