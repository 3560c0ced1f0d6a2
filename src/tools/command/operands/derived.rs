//! File names that a command line reads without naming them: `find … | xargs cat`, `for f in …; do cat "$f";
//! done`, `cat $(cat list)`.
//!
//! Pure. Errs towards unknown: names read from files, or composed, may be anything.

use super::expansions::is_expanded;
use super::files::{FileOperand, shows_contents};
use crate::tools::command::read_only::judge::part_is_read_only;
use crate::tools::command::read_only::options::has;
use crate::tools::command::syntax::script::{Script, SimpleCommand, Word};

/// Source of generated names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DerivedNames {
    /// Every file that is read is named.
    None,
    /// These files, or files below these.
    From(Vec<FileOperand>),
    /// Unknown.
    Unknown,
}

/// Programs that print file names unchanged, and no file content.
const LISTING_PROGRAMS: &str =
    "find ls echo cd pwd test [ [[ true false : xargs read sleep exit break continue";
/// Programs that pass some input lines on unchanged, if they have no file operand.
const FILTER_PROGRAMS: &str = "head tail sort uniq";

/// Returns where the names come from that commands which print file content get from other commands,
/// variables and substitutions.
pub fn derived_names(line: &str, script: &Script) -> DerivedNames {
    let reads = |part: &&SimpleCommand| part_is_read_only(part) && shows_contents(part);
    let readers =
        script.commands.iter().filter(reads).filter(|part| part.words.iter().skip(1).any(has_expansion));
    let readers = readers.filter(|part| !is_names_only(part)).count();
    let lists = script
        .commands
        .iter()
        .filter(reads)
        .any(|part| is_names_only(part) && part.words.iter().skip(1).any(has_expansion));
    if readers == 0 && !lists {
        return DerivedNames::None;
    }
    let bare: String = line.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect();
    let feeds = substitution_count(&bare, script);
    let named = |name: &str| script.commands.iter().any(|part| is_program(part, name));
    let known = |part: &SimpleCommand| part.words.iter().skip(1).any(has_expansion) || passes_names(part);
    // Content of a file or here-document would become names.
    let fed_by_files = feeds > 0
        && (readers > 1
            || bare.contains('<')
            || !script.commands.iter().all(|part| part.words.is_empty() || known(part)));
    // Words that are modified, or that only other programs know.
    let changed = bare.split("${").skip(1).any(|rest| {
        let name = rest.split('}').next().unwrap_or_default();
        !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    if fed_by_files || changed || line.contains("$'") || named("printf") && feeds > 0 {
        return DerivedNames::Unknown;
    }
    sources(&bare).map_or(DerivedNames::Unknown, DerivedNames::From)
}

/// Counts how often the output of a command becomes words of another.
fn substitution_count(bare: &str, script: &Script) -> usize {
    let programs =
        script.commands.iter().filter(|part| is_program(part, "xargs") || is_program(part, "read")).count();
    let runs = |part: &&SimpleCommand| {
        is_program(part, "find") && part.words.iter().any(|word| word.text.starts_with("-exec"))
    };
    let substitutions = bare.matches("$(").count() + bare.matches('`').count().div_ceil(2);
    // Commands run by find get their names from find; their output counts only if it becomes words again.
    let found = script.commands.iter().filter(runs).count();
    programs + substitutions + if programs + substitutions > 0 { found } else { 0 }
}

/// Returns the words of a line that may be names or their folders. `None` if a name may be composed so that
/// it leads elsewhere.
fn sources(bare: &str) -> Option<Vec<FileOperand>> {
    let ends = |c: char| c.is_whitespace() || ";|&<>=()`".contains(c);
    let words: Vec<&str> = bare.split(ends).filter(|word| !word.is_empty()).collect();
    let home = |word: &str| {
        ["$HOME", "${HOME}", "~"]
            .iter()
            .any(|sign| word.strip_prefix(sign).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    };
    let climbs = |word: &str| word.split('/').any(|name| name == "..");
    let mut all = Vec::new();
    for word in &words {
        let signs = ["$HOME", "${HOME}", "~"];
        let below = signs.iter().find_map(|sign| word.strip_prefix(sign)).filter(|_| home(word));
        let rest = below.unwrap_or(word);
        let first = rest.find(['$', '*', '?', '[', '{']);
        let braces =
            rest.replace("${", "").split_once('{').is_some_and(|(_, rest)| rest.contains(['/', '~']));
        if rest.starts_with('~') || braces {
            return None;
        }
        let joined = rest.find('$').is_some_and(|at| at > 0 || variable(rest) != rest);
        if first.is_some_and(|at| rest[at..].contains("..")) {
            return None;
        }
        if joined {
            // `$x/b`, `a/$x`: the variable may be the beginning of a path, or contain `..`.
            let leads = |other: &&str| climbs(other) || other.starts_with('/') || home(other);
            if words.iter().any(|other| other != word && leads(other)) || is_from_outside(rest, bare) {
                return None;
            }
        } else if rest.starts_with('$') && is_from_outside(rest, bare) {
            return None;
        }
        all.push(FileOperand {
            text: (*word).to_string(),
            exact: !is_expanded(word) && !word.starts_with('~'),
        });
    }
    Some(all)
}

/// Returns the variable at the beginning of a word.
fn variable(word: &str) -> &str {
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (open, rest) =
        word.strip_prefix("${").map_or((1, word.get(1..).unwrap_or_default()), |rest| (2, rest));
    let length = rest.find(|c| !name(c)).unwrap_or(rest.len());
    let close = usize::from(open == 2 && rest[length..].starts_with('}'));
    &word[..open + length + close]
}

/// Whether a variable of a word is not set in the line itself.
fn is_from_outside(word: &str, line: &str) -> bool {
    word.split('$').skip(1).any(|rest| {
        let name: String = rest
            .trim_start_matches('{')
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect();
        let is_set = |sign: &str| line.contains(&format!("{sign}{name}"));
        !name.is_empty()
            && !line.contains(&format!("{name}="))
            && !is_set("for ")
            && !is_set("read ")
            && !is_set("read -r ")
    })
}

/// Whether a word contains a substitution or a variable.
fn has_expansion(word: &Word) -> bool {
    let bare = word.text.replace(['"', '\''], "");
    let rest = bare.strip_prefix("$HOME").or_else(|| bare.strip_prefix("${HOME}")).unwrap_or(&bare);
    !word.is_exact && (rest.contains(['$', '`', '…']) || rest.contains("{}"))
}

fn is_program(part: &SimpleCommand, name: &str) -> bool {
    part.words.first().is_some_and(|first| first.text == name)
}

/// Whether a part prints names of the files that it reads, and none of their content.
fn is_names_only(part: &SimpleCommand) -> bool {
    let Some((first, rest)) = part.words.split_first() else { return false };
    let option = |short: &[char], long: &[&str]| {
        rest.iter().any(|word| {
            let letters = word.text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            letters.is_some_and(|letters| letters.contains(short)) || long.contains(&word.text.as_str())
        })
    };
    match first.text.as_str() {
        "grep" | "egrep" | "fgrep" => option(&['l', 'L'], &["--files-with-matches", "--files-without-match"]),
        "rg" => option(&['l'], &["--files", "--files-with-matches", "--files-without-match"]),
        "git" => rest.first().is_some_and(|word| word.text == "ls-files"),
        _ => false,
    }
}

/// Whether a part prints only file names as the words of the line have them.
fn passes_names(part: &SimpleCommand) -> bool {
    let Some((first, rest)) = part.words.split_first() else { return true };
    let operands =
        rest.iter().filter(|word| !word.text.starts_with('-') && word.text.parse::<u64>().is_err()).count();
    let plain = rest.iter().all(|word| !word.text.contains('\\'));
    match first.text.as_str() {
        "find" => rest.iter().all(|word| !word.text.starts_with("-printf")),
        // Its only word is the pattern, so it reads its input.
        "grep" if !is_names_only(part) => {
            operands == 1
                && rest
                    .iter()
                    .all(|word| !word.text.starts_with('-') || has("-v -i -E -F -vE -iE -vi", &word.text))
        }
        // Parts of names would be other names.
        name if has(FILTER_PROGRAMS, name) => {
            operands == 0
                && rest.iter().all(|word| !word.text.starts_with("-c") && !word.text.starts_with("--"))
        }
        name => has(LISTING_PROGRAMS, name) && plain || is_names_only(part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::command::parse;

    fn made(line: &str) -> DerivedNames {
        derived_names(line, &parse(line))
    }

    #[test]
    fn derived_names_none_for_plain_operands() {
        for line in
            ["cat a b", "cat *.rs", "grep -r x .", "ls $x", "for f in *; do ls $f; done", "cat $HOME/a"]
        {
            assert_eq!(made(line), DerivedNames::None, "{line}");
        }
    }

    #[test]
    fn derived_names_come_from_words_of_line() {
        for (line, source) in [
            ("find ../a -name x | xargs cat", "../a"),
            ("find ../a -name x -exec cat {} +", "../a"),
            ("find ~/a | grep -v b | sort | head -n 3 | xargs grep -n x", "~/a"),
            ("git ls-files ../a | xargs wc -l", "../a"),
            ("rg -l x ../a | xargs head -n 1", "../a"),
            ("for f in ../a/*; do cat \"$f\"; done", "../a/*"),
            ("x=../a; cat $x", "../a"),
            ("cat $(ls ../'a')", "../a"),
            ("for f in a b; do cat src/$f.rs; done", "src/$f.rs"),
        ] {
            let DerivedNames::From(words) = made(line) else { panic!("{line}: {:?}", made(line)) };
            assert!(words.iter().any(|word| word.text == source), "{line}: {words:?}");
        }
    }

    #[test]
    fn derived_names_from_files_or_concatenation_are_unknown() {
        for line in [
            "cat list | xargs cat",
            "xargs cat < list",
            "head -n 1 list | xargs cat",
            "grep a list | xargs cat",
            "cat $(cat list)",
            "cat `cat list`",
            "read x < list; cat \"$x\"",
            "xargs cat <<< a",
            "echo a | tr a b | xargs cat",
            "echo a | rev | xargs cat",
            "echo 'a\\x2e' | xargs cat",
            "printf '%s%s' ../a b | xargs cat",
            "find . -printf '%f' | xargs cat",
            "find . -name x -exec cat {} + | xargs cat",
            "x=../a; y=b; cat $x$y",
            "x=..; cat $x/a/b",
            "x=ab; cat ${x%b}",
            "cat $XDG_CONFIG_HOME/*/*",
            "cat \"$UNKNOWN\"",
            "x=~root/a; cat $x",
        ] {
            assert_eq!(made(line), DerivedNames::Unknown, "{line}");
        }
    }
}
