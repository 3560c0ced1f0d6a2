//! Which commands are known to look only: a short list of programs with the options that
//! would make them write or run something else.
//!
//! Must not know policies. What is not on the list is not known; that is never an error.

use super::shell::{self, Word};

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
    plain("printf"),
    plain("true"),
    plain("false"),
    plain("test"),
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
    but("date", "s", &["--set"]),
    but("file", "C", &["--compile"]),
    but("tree", "oR", &["--output"]),
    but("sort", "oT", &["--output", "--compress-program", "--temporary-directory"]),
    but("rg", "z", &["--pre", "--hostname-bin", "--search-zip"]),
    Program { name: "uniq", short: "", long: &[], check: one_operand },
    Program { name: "find", short: "", long: &[], check: find },
    Program { name: "sed", short: "", long: &[], check: sed },
    Program { name: "git", short: "", long: &[], check: git },
];

/// Whether every command of the script is known to look only.
pub fn is_read_only(script: &str) -> bool {
    shell::parse(script).is_some_and(|commands| {
        !commands.is_empty() && commands.iter().all(|words| command_is_read_only(words))
    })
}

fn command_is_read_only(words: &[Word]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    if first.wild {
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

/// `uniq IN OUT` writes.
fn one_operand(words: &[Word]) -> bool {
    words.iter().all(|word| !word.wild)
        && words.iter().filter(|word| !word.text.starts_with('-')).count() <= 1
}

fn find(words: &[Word]) -> bool {
    const CHANGES: [&str; 8] =
        ["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprintf", "-fls"];
    words.iter().all(|word| !word.wild && !CHANGES.iter().any(|change| word.text.starts_with(change)))
}

/// Only the forms that print: addresses with `p`, `d`, `q` or `=`, and one substitution.
fn sed(words: &[Word]) -> bool {
    let mut scripts = 0;
    let mut expects_script = false;
    for Word { text, wild } in words {
        match text.as_str() {
            _ if *wild => return false,
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
    script.chars().all(lines) || sed_substitutes(script)
}

/// `s/a/b/flags`, where a flag `w` would write and `e` would run.
fn sed_substitutes(script: &str) -> bool {
    let mut chars = script.chars();
    let (Some('s'), Some(delimiter)) = (chars.next(), chars.next()) else { return false };
    if delimiter.is_alphanumeric() || delimiter == '\\' || script.contains('\n') {
        return false;
    }
    let mut parts = vec![String::new()];
    while let Some(c) = chars.next() {
        match c {
            '\\' => parts.last_mut().into_iter().for_each(|part| part.extend(chars.next())),
            c if c == delimiter => parts.push(String::new()),
            c => parts.last_mut().into_iter().for_each(|part| part.push(c)),
        }
    }
    parts.len() == 3 && parts[2].chars().all(|flag| flag.is_ascii_digit() || "gpiI".contains(flag))
}

/// The four that show history; configuration given on the command line could run anything.
fn git(words: &[Word]) -> bool {
    const CHANGES: &[&str] = &["--output", "--ext-diff", "--textconv", "--show-signature"];
    let mut words = words.iter().skip_while(|word| matches!(word.text.as_str(), "--no-pager" | "-P"));
    words.next().is_some_and(|word| matches!(word.text.as_str(), "status" | "log" | "diff" | "show"))
        && words.all(|word| !word.wild && !changes_long(&word.text, CHANGES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_look() {
        for script in [
            "ls",
            "ls -la src && cat Cargo.toml | head -5",
            "grep -rn 'fn main' src || true",
            "rg -n \"a b\" src 2>/dev/null",
            "find . -name '*.rs' -type f | wc -l",
            "sed -n '10,20p' src/main.rs",
            "sed 's/a/b/g' f",
            "sed -ne 5p f",
            "git status --short; git log --oneline -5; git --no-pager diff HEAD~1 -- src",
            "sort -rn f | uniq -c",
            "cat *.md",
        ] {
            assert!(is_read_only(script), "{script}");
        }
    }

    #[test]
    fn commands_that_might_not() {
        for script in [
            "",
            "rm -rf x",
            "ls; rm x",
            "ls && curl x",
            "cat a > b",
            "echo $(rm x)",
            "PAGER=x git log",
            "FOO=1 ls",
            "find . -exec rm {} +",
            "find . -delete",
            "find *",
            "find . -fprint0 x",
            "sed -i s/a/b/ f",
            "sed -n 'w out' f",
            "sed 's/a/b/w out' f",
            "sed 's/a/date/e' f",
            "sed -f x f",
            "sed 'e date'",
            "git push",
            "git -c core.pager=x log",
            "git diff --output=x",
            "git diff --outp x",
            "git log --ext-diff",
            "git -C /x status",
            "git branch -D main",
            "sort -o x f",
            "sort -no x f",
            "sort --out=x f",
            "sort --compress-program=x f",
            "rg --pre x y",
            "rg --pr x y",
            "uniq a b",
            "tree -o x",
            "awk 1 f",
            "env ls",
            "xargs rm",
            "./ls",
            "/bin/ls",
            "bash -c ls",
            "date -s x",
            "ls &",
            "git *",
            "* x",
        ] {
            assert!(!is_read_only(script), "{script}");
        }
    }

    #[test]
    fn each_program_has_one_row() {
        let mut names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PROGRAMS.len());
    }
}
