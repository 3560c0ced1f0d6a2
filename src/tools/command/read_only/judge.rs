//! Decides whether commands are known to be read-only: programs on a list, with options known to be harmless.
//!
//! Must not know policies. Anything not on the list is unknown, which is not an error.

use super::known::{self, AllowedWords};
use super::options::{Options, has};
use super::{find, git, sed};
use crate::tools::command::syntax::expand::parse;
use crate::tools::command::syntax::script::{Script, SimpleCommand, Word};

/// Whether everything in a text is known to be read-only.
pub fn is_read_only(text: &str) -> bool {
    script_is_read_only(&parse(text))
}

fn script_is_read_only(script: &Script) -> bool {
    script.unresolved.is_empty()
        && script.writes.is_empty()
        && !script.commands.is_empty()
        && !runs_git_elsewhere(script)
        && script.commands.iter().all(part_is_read_only)
}

/// Whether git is run in another folder, whose configuration it would follow.
pub fn runs_git_elsewhere(script: &Script) -> bool {
    let named = |part: &&SimpleCommand, name: &str| part.words.first().is_some_and(|word| word.text == name);
    let goes = |part: &SimpleCommand| {
        let in_each = |word: &Word| matches!(word.text.as_str(), "-execdir" | "-okdir");
        named(&part, "cd") || (named(&part, "find") && part.words.iter().any(in_each))
    };
    script.commands.iter().any(goes) && script.commands.iter().any(|part| named(&part, "git"))
}

/// Whether one command of a script is known to be read-only; the others are checked separately.
pub fn part_is_read_only(part: &SimpleCommand) -> bool {
    match (part.sets.is_empty(), part.words.is_empty()) {
        (true, false) => command_is_read_only(&part.words),
        // A variable of the shell itself; programs see only upper-case ones.
        (false, true) => part.sets.iter().all(|name| is_harmless(name)),
        _ => false,
    }
}

/// Whether the table covers a command: some calls of the program are known to be read-only.
pub fn is_in_table(words: &[Word]) -> bool {
    let Some((first, rest)) = words.split_first().filter(|(first, _)| first.is_exact) else { return false };
    match first.text.as_str() {
        "git" => git::is_judged(rest),
        name => known::find(name).is_some(),
    }
}

fn is_harmless(name: &str) -> bool {
    let own = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !name.is_empty() && name.chars().all(own) && !name.ends_with("_proxy")
}

/// `read -r NAME…`.
fn harmless_names(words: &[Word]) -> bool {
    words.iter().all(|word| word.is_exact && (word.text == "-r" || is_harmless(&word.text)))
}

fn command_is_read_only(words: &[Word]) -> bool {
    let Some((first, rest)) = words.split_first().filter(|(first, _)| first.is_exact) else { return false };
    let Some(program) = known::find(&first.text) else { return false };
    let prints = |word: &Word| word.is_exact && known::ALWAYS.contains(&word.text.as_str());
    let sorts = |options: &Options, open: bool| {
        let words: Vec<Word> = rest.iter().filter(|word| !prints(word)).cloned().collect();
        options.parse(&words, open).is_some()
    };
    match program.words {
        AllowedWords::Any => true,
        AllowedWords::Open(options) => sorts(&options, true),
        AllowedWords::Closed(options) => {
            sorts(&options, false) && (program.name != "uniq" || one_operand(rest))
        }
        AllowedWords::Own => match program.name {
            "ps" => shows_processes(rest),
            "date" => shows_a_date(rest),
            "test" | "[" => is_plain_test(rest),
            "printf" => is_plain_printf(rest),
            "read" => harmless_names(rest),
            "find" => find::is_read_only(rest),
            "sed" => sed::is_read_only(rest),
            _ => git::is_read_only(rest),
        },
    }
}

/// `uniq IN OUT` writes; so does a pattern that expands to two names, and `-` is an operand, too.
fn one_operand(words: &[Word]) -> bool {
    let is_option = |word: &&Word| word.text.len() > 1 && word.text.starts_with('-') && word.text != "--";
    words.iter().all(|word| word.is_exact) && words.iter().filter(|word| !is_option(word)).count() <= 1
}

/// Conditions. An array index after `-v` and `-R` can contain a substitution.
fn is_plain_test(words: &[Word]) -> bool {
    const OPERATORS: &str = "-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -w -x -z -G -L -N -O -S -ef -eq -ge \
                             -gt -le -lt -ne -nt -ot";
    words.iter().all(|word| {
        let number = |text: &str| text.chars().all(|c| c.is_ascii_digit());
        !word.is_dynamic
            && word.text.strip_prefix('-').is_none_or(|rest| has(OPERATORS, &word.text) || number(rest))
    })
}

/// `printf FORMAT …`, in which `%n` and `-v` would set a variable.
fn is_plain_printf(words: &[Word]) -> bool {
    let dashes = words.first().is_some_and(|word| word.is_exact && word.text == "--");
    let Some(format) = words.get(usize::from(dashes)) else { return true };
    let sets = |conversion: &str| {
        let sign =
            conversion.trim_start_matches(|c: char| c.is_ascii_digit() || "-+ #.*'hlLqjztI".contains(c));
        sign.starts_with('n')
    };
    format.is_exact
        && (dashes || !format.text.starts_with('-'))
        && !format.text.replace("%%", "").split('%').skip(1).any(sets)
}

/// `date` with a format; without the `+` an operand would be the new time.
fn shows_a_date(words: &[Word]) -> bool {
    const OPTIONS: Options = Options {
        flags: "-R -u --debug --rfc-email --universal --utc",
        valued: "-d -f -r --date --file --reference --rfc-3339",
        attached: "-I --iso-8601",
    };
    let prints = |word: &Word| word.is_exact && known::ALWAYS.contains(&word.text.as_str());
    let words: Vec<Word> = words.iter().filter(|word| !prints(word)).cloned().collect();
    OPTIONS.parse(&words, false).is_some_and(|sorted| {
        sorted.operands.iter().all(|word| word.text.starts_with('+') && !word.is_dynamic)
    })
}

/// `ps` without options that print the environment of processes: `e` in letters without a dash, or `-E`.
fn shows_processes(words: &[Word]) -> bool {
    const OPTIONS: Options = Options {
        flags: "-A -a -d -e -f -F -H -j -l -L -M -N -T -V -w -y -x --forest --headers --no-headers --deselect",
        valued: "-C -g -G -p -q -s -t -u -U --cols --columns --lines --rows --width --pid --ppid --quick-pid \
                 --sid --sort --tty --user --User --group --Group",
        attached: "",
    };
    const FORMAT: Options = Options { flags: "", valued: "-o --format", attached: "" };
    const COLUMNS: [&str; 40] = [
        "%cpu", "%mem", "args", "cmd", "comm", "command", "cputime", "egid", "egroup", "etime", "etimes",
        "euid", "euser", "fname", "gid", "group", "lstart", "lwp", "ni", "nice", "nlwp", "pcpu", "pgid",
        "pgrp", "pid", "pmem", "ppid", "pri", "psr", "rss", "ruser", "sid", "start", "stat", "state", "time",
        "tty", "uid", "user", "vsz",
    ];
    let named = |list: &str| {
        let bare = |column: &str| column.split('=').next().unwrap_or_default().to_string();
        list.split([',', ' ']).all(|column| COLUMNS.contains(&bare(column).as_str()))
    };
    let letters = |text: &str| text.chars().all(|c| "afhjlmrTuvwx".contains(c) || c.is_ascii_digit());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.is_dynamic || !word.is_exact {
            return false;
        }
        // `-eo LIST`: the columns are last.
        let format = word.text.starts_with('-')
            && !word.text.starts_with("--")
            && word.text.ends_with('o')
            && OPTIONS.parse(&[Word::plain(word.text.trim_end_matches('o'))], false).is_some();
        let long = word.text.split_once('=').filter(|(name, _)| has(FORMAT.valued, name));
        let fine = match () {
            () if known::ALWAYS.contains(&word.text.as_str()) => true,
            () if format || word.text == "--format" => {
                words.next().is_some_and(|list| list.is_exact && named(&list.text))
            }
            () if long.is_some() => long.is_some_and(|(_, list)| named(list)),
            () if !word.text.starts_with('-') => letters(&word.text),
            () if OPTIONS.parse(std::slice::from_ref(word), false).is_some() => true,
            () => {
                let Some(value) = words.next() else { return false };
                OPTIONS.parse(&[word.clone(), value.clone()], false).is_some()
            }
        };
        if !fine {
            return false;
        }
    }
    true
}
