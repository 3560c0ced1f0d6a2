//! Which commands are known to look only: a short list of programs with the options that
//! would make them write or run something else.
//!
//! Must not know policies. What is not on the list is not known; that is never an error.

use super::expand::parse;
use super::script::{Part, Script, Word};
use super::sed;

/// A program that only looks, unless one of these options is given.
struct Program {
    name: &'static str,
    /// Letters that change something, alone or in a cluster.
    short: &'static str,
    /// Long options that change something; so does every abbreviation of them.
    long: &'static [&'static str],
    /// Whether the rest of the words is fine.
    check: fn(&[Word]) -> bool,
}

const fn plain(name: &'static str) -> Program {
    but(name, "", &[])
}

const fn but(name: &'static str, short: &'static str, long: &'static [&'static str]) -> Program {
    Program { name, short, long, check: anything }
}

/// Sorted by kind; each row is a decision about one program.
const PROGRAMS: &[Program] = &[
    plain("ls"),
    plain("cat"),
    plain("head"),
    plain("tail"),
    plain("wc"),
    plain("nl"),
    plain("tac"),
    plain("rev"),
    plain("fold"),
    plain("cut"),
    plain("tr"),
    plain("paste"),
    plain("join"),
    plain("comm"),
    plain("cmp"),
    plain("diff"),
    plain("od"),
    plain("strings"),
    plain("md5sum"),
    plain("sha1sum"),
    plain("sha256sum"),
    plain("grep"),
    plain("egrep"),
    plain("fgrep"),
    plain("jq"),
    plain("pwd"),
    plain("echo"),
    plain(":"),
    plain("true"),
    plain("false"),
    plain("whoami"),
    plain("id"),
    plain("uname"),
    plain("basename"),
    plain("dirname"),
    plain("realpath"),
    plain("readlink"),
    plain("stat"),
    plain("du"),
    plain("df"),
    plain("ps"),
    plain("uptime"),
    plain("free"),
    plain("nproc"),
    plain("seq"),
    plain("which"),
    plain("type"),
    plain("sleep"),
    plain("exit"),
    plain("return"),
    plain("break"),
    plain("continue"),
    plain("cd"),
    plain("[["),
    // What they run is judged by itself.
    plain("time"),
    plain("nice"),
    plain("timeout"),
    plain("command"),
    plain("builtin"),
    plain("xargs"),
    // An index of a variable can be a substitution.
    Program { name: "printf", short: "v", long: &[], check: formats },
    but("test", "v", &[]),
    but("[", "v", &[]),
    Program { name: "date", short: "s", long: &["--set"], check: shows_a_date },
    but("file", "C", &["--compile"]),
    but("tree", "oR", &["--output"]),
    but("sort", "oT", &["--output", "--compress-program", "--temporary-directory"]),
    but("rg", "z", &["--pre", "--hostname-bin", "--search-zip"]),
    Program { name: "uniq", short: "", long: &[], check: one_operand },
    Program { name: "read", short: "", long: &[], check: harmless_names },
    Program { name: "find", short: "", long: &[], check: find },
    Program { name: "sed", short: "", long: &[], check: sed_prints },
    Program { name: "git", short: "", long: &[], check: git },
];

/// Whether everything that a text would do is known to look only.
pub fn is_read_only(text: &str) -> bool {
    looks(&parse(text))
}

fn looks(script: &Script) -> bool {
    script.doubts.is_empty()
        && script.writes.is_empty()
        && !script.parts.is_empty()
        && !looks_elsewhere(script)
        && script.parts.iter().all(part_is_read_only)
}

/// Whether git is run in another folder: it does what the configuration of the folder says.
pub fn looks_elsewhere(script: &Script) -> bool {
    let named = |part: &&Part, name: &str| part.words.first().is_some_and(|word| word.text == name);
    let goes = |part: &Part| {
        let in_each = |word: &Word| matches!(word.text.as_str(), "-execdir" | "-okdir");
        named(&part, "cd") || (named(&part, "find") && part.words.iter().any(in_each))
    };
    script.parts.iter().any(goes) && script.parts.iter().any(|part| named(&part, "git"))
}

/// Whether one command of a script is known to look only; the others are judged by themselves.
pub fn part_is_read_only(part: &Part) -> bool {
    match (part.sets.is_empty(), part.words.is_empty()) {
        (true, false) => command_is_read_only(&part.words),
        // A variable of the shell's own; programs are told about those in capitals.
        (false, true) => part.sets.iter().all(|name| is_harmless(name)),
        _ => false,
    }
}

fn is_harmless(name: &str) -> bool {
    let own = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    !name.is_empty() && name.chars().all(own) && !name.ends_with("_proxy")
}

/// `read -r NAME…`.
fn harmless_names(words: &[Word]) -> bool {
    words.iter().all(|word| word.exact && (word.text == "-r" || is_harmless(&word.text)))
}

fn command_is_read_only(words: &[Word]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    if !first.exact {
        return false;
    }
    PROGRAMS
        .iter()
        .find(|program| program.name == first.text)
        .is_some_and(|program| options_are_harmless(program, rest) && (program.check)(rest))
}

fn options_are_harmless(program: &Program, words: &[Word]) -> bool {
    let guarded = !program.short.is_empty() || !program.long.is_empty();
    !guarded
        || words.iter().all(|word| {
            // A word that the shell expands can become any option.
            !word.wild && !changes_long(&word.text, program.long) && !changes_short(&word.text, program.short)
        })
}

fn changes_short(word: &str, letters: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|cluster| !cluster.starts_with('-') && cluster.chars().any(|c| letters.contains(c)))
}

/// Programs take any unambiguous beginning of a long option, so any beginning counts.
fn changes_long(word: &str, options: &[&str]) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    name.starts_with("--")
        && name.len() > 2
        && options.iter().any(|option| option.starts_with(name) || name == *option)
}

fn anything(_words: &[Word]) -> bool {
    true
}

/// `uniq IN OUT` writes; so does a pattern that becomes two names, and `-` is an operand, too.
fn one_operand(words: &[Word]) -> bool {
    let is_option = |word: &&Word| word.text.len() > 1 && word.text.starts_with('-') && word.text != "--";
    words.iter().all(|word| word.exact) && words.iter().filter(|word| !is_option(word)).count() <= 1
}

/// `printf FORMAT …`, where `%n` would set a variable.
fn formats(words: &[Word]) -> bool {
    let Some(format) = words.iter().find(|word| word.text != "--") else { return true };
    let sets = |conversion: &str| {
        let sign =
            conversion.trim_start_matches(|c: char| c.is_ascii_digit() || "-+ #.*'hlLqjztI".contains(c));
        sign.starts_with('n')
    };
    format.exact && !format.text.replace("%%", "").split('%').skip(1).any(sets)
}

/// `date` with a format; without the `+` an operand would be the new time.
fn shows_a_date(words: &[Word]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let takes =
            matches!(&*word.text, "-d" | "-r" | "-f" | "-ud" | "-ur" | "--date" | "--reference" | "--file");
        if takes {
            words.next();
        } else if !word.text.starts_with(['-', '+']) {
            return false;
        }
    }
    true
}

/// What `-exec` runs is judged by itself.
fn find(words: &[Word]) -> bool {
    const CHANGES: [&str; 4] = ["-delete", "-fprint", "-fprintf", "-fls"];
    words.iter().all(|word| !word.wild && !CHANGES.iter().any(|change| word.text.starts_with(change)))
}

/// Only the forms that print: addresses with `p`, `d`, `q` or `=`, and one substitution.
fn sed_prints(words: &[Word]) -> bool {
    let mut scripts = 0;
    let mut expects_script = false;
    for Word { text, wild, exact } in words {
        match text.as_str() {
            // A pattern may be a file, but a file's name may not be a script.
            _ if *wild || (!*exact && (expects_script || scripts == 0)) => return false,
            script if expects_script => {
                expects_script = false;
                scripts += 1;
                if !sed_script_prints(script) {
                    return false;
                }
            }
            "-n" | "-E" | "-r" | "-s" | "-u" | "-nE" | "-En" | "-nr" | "-rn" => {}
            "-e" | "-ne" | "-nEe" => expects_script = true,
            option if option.starts_with('-') => return false,
            script if scripts == 0 => {
                scripts += 1;
                if !sed_script_prints(script) {
                    return false;
                }
            }
            _ => {}
        }
    }
    scripts > 0 && !expects_script
}

fn sed_script_prints(script: &str) -> bool {
    let lines = |c: char| c.is_ascii_digit() || ",$;pdq=! ".contains(c);
    script.chars().all(lines) || sed::substitutes(script)
}

/// The four that show history; configuration given on the command line could run anything.
fn git(words: &[Word]) -> bool {
    const CHANGES: &[&str] = &["--output", "--ext-diff", "--textconv", "--show-signature", "--submodule"];
    let mut words = words.iter().skip_while(|word| matches!(word.text.as_str(), "--no-pager" | "-P"));
    words.next().is_some_and(|word| matches!(word.text.as_str(), "status" | "log" | "diff" | "show"))
        && words.all(|word| !word.wild && !changes_long(&word.text, CHANGES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_has_one_row() {
        let mut names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PROGRAMS.len());
    }
}
