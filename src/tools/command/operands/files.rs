//! Words of a command that may name files, and names that programs derive from URLs.
//!
//! Pure. Errs towards files: the caller needs everything that a command could access.

use std::borrow::Cow;

use globset::{Glob, GlobMatcher};
use percent_encoding::percent_decode_str;

use super::expansions::{is_pure_wildcard, may_match};
use crate::tools::command::read_only::git;
use crate::tools::command::read_only::options::has;
use crate::tools::command::syntax::script::{Script, SimpleCommand, Word};

/// A text that may name a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOperand {
    /// The text; unexpanded, if the shell changes it.
    pub text: String,
    /// Whether the program gets exactly this text.
    pub exact: bool,
}

/// Programs that print no content of the files that they name.
const NAMES_ONLY: &str = "ls cd pwd stat du df find realpath readlink basename dirname test [ [[ echo printf : true \
                          false whoami id uname uptime free nproc seq which type sleep exit return break continue \
                          ps tree time nice timeout command builtin xargs read";
/// Programs that derive names of the files that they write from URLs.
const SAVING_PROGRAMS: &str = "wget curl git";

/// Returns the texts of a part that may name files: words, values of options, the path after a host.
pub fn file_operands(part: &SimpleCommand) -> Vec<FileOperand> {
    part.words.iter().skip(1).flat_map(operands_of_word).collect()
}

/// The files that a script's redirections read.
pub fn redirected_reads(script: &Script) -> Vec<FileOperand> {
    script.reads.iter().flat_map(operands_of_word).collect()
}

fn operands_of_word(word: &Word) -> Vec<FileOperand> {
    let text = word.text.as_str();
    let mut texts = vec![text];
    texts.extend(text.split_once('=').map(|(_, value)| value));
    if let Some(cluster) = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')) {
        texts.extend(cluster.char_indices().skip(1).map(|(at, _)| &cluster[at..]));
    }
    if !text.contains("://") {
        texts.extend(text.split_once(':').map(|(_, path)| path));
        texts.extend(text.strip_prefix('@'));
    }
    let named = |text: &str| FileOperand { text: text.to_string(), exact: word.is_exact };
    texts.into_iter().filter(|text| !text.is_empty()).map(named).collect()
}

/// Whether a part reads only files that its words name exactly: nothing recursive or expanded.
pub fn names_files_exactly(part: &SimpleCommand) -> bool {
    !shows_contents(part) || !is_recursive(part) && part.words.iter().all(|word| word.is_exact)
}

/// Returns the folder before the first expanded component of a path, and the patterns of the components after
/// it; `None` if they may be anything.
pub fn pattern(text: &str) -> (&str, Option<Vec<GlobMatcher>>) {
    let made = |c: char| matches!(c, '*' | '?' | '[' | '{' | '$' | '`');
    let home = text.strip_prefix("$HOME").or_else(|| text.strip_prefix("${HOME}")).unwrap_or(text);
    let skipped = text.len() - home.len();
    let Some(at) = home.find(made).map(|at| at + skipped) else { return (text, Some(Vec::new())) };
    let folder = text[..at].rfind('/').map_or("", |slash| &text[..=slash]);
    let rest = &text[folder.len()..];
    // A variable, or braces around a slash, may be several components.
    if rest.contains(['$', '`', '{', '\\', '"', '\'']) {
        return (folder, None);
    }
    let names = rest.split('/').filter(|name| !name.is_empty());
    let patterns: Result<_, _> =
        names.map(|name| Glob::new(name).map(|glob| glob.compile_matcher())).collect();
    (folder, patterns.ok())
}

/// Whether a part may print file content.
pub fn shows_contents(part: &SimpleCommand) -> bool {
    let Some((first, rest)) = part.words.split_first() else { return false };
    match first.text.as_str() {
        "git" => git::shows_contents(rest),
        name => !has(NAMES_ONLY, name),
    }
}

/// How far a command line reads from the paths that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Into these files.
    Named,
    /// Into every file below these folders.
    Below,
    /// Recursively, following links in these folders.
    BelowAndLinks,
}

/// Returns how far a part may read.
pub fn depth(part: &SimpleCommand) -> Depth {
    if !is_recursive(part) {
        return Depth::Named;
    }
    let Some((first, rest)) = part.words.split_first() else { return Depth::Named };
    let short = |sign: char| {
        move |word: &Word| {
            word.text.strip_prefix('-').is_some_and(|rest| !rest.starts_with('-') && rest.contains(sign))
        }
    };
    let follows = match first.text.as_str() {
        "rg" => rest.iter().any(|word| short('L')(word) || word.text.starts_with("--fo")),
        "grep" | "egrep" | "fgrep" => {
            rest.iter().any(|word| short('R')(word) || word.text.starts_with("--de"))
        }
        // It follows links by default.
        "diff" => true,
        _ => false,
    };
    if follows { Depth::BelowAndLinks } else { Depth::Below }
}

/// Whether a part may read every file below a folder.
fn is_recursive(part: &SimpleCommand) -> bool {
    let Some((first, rest)) = part.words.split_first() else { return false };
    let option = |word: &Word| {
        let short =
            word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains(['r', 'R', 'd']);
        let long = ["--recursive", "--dereference-recursive", "--directories", "-d", "recurse"];
        short || long.iter().any(|long| word.text.starts_with(long))
    };
    match first.text.as_str() {
        "rg" => true,
        "git" => git::shows_contents(rest),
        "grep" | "egrep" | "fgrep" | "diff" => rest.iter().any(option),
        _ => false,
    }
}

/// Returns names of files and folders that a program derives from its URLs, relative to its folder or one
/// that other words name. `None` if a server decides.
pub fn saved_names(part: &SimpleCommand) -> Option<Vec<String>> {
    let Some((first, rest)) = part.words.split_first() else { return Some(Vec::new()) };
    let program = first.text.rsplit('/').next().unwrap_or_default();
    if !has(SAVING_PROGRAMS, program) {
        return Some(Vec::new());
    }
    let by_server = |word: &Word| match program {
        "curl" => {
            let short = word.text.starts_with('-') && !word.text.starts_with("--") && word.text.contains('J');
            // The program expands `{a,b}` and `[1-3]` in a URL itself, and a config file may name others.
            let config = word.text.starts_with("-K") || word.text.starts_with("--config");
            let last = word.text.rsplit('/').next().unwrap_or_default();
            short || config || word.text == "--remote-header-name" || last.contains(['{', '['])
        }
        "wget" => wget_makes_names(&word.text),
        _ => false,
    };
    if rest.iter().any(by_server) {
        return None;
    }
    let names_of = |word: &Word| match program {
        "git" => vec![of_repository(&word.text)],
        _ => of_url(&word.text),
    };
    Some(rest.iter().flat_map(names_of).filter(|name| !name.is_empty()).collect())
}

/// Whether an option makes wget create names other than the last component of a URL: of folders, of links in
/// pages, or as a file or the server says.
fn wget_makes_names(word: &str) -> bool {
    /// Option letters after which the rest of the word is a value.
    const VALUED: &str = "aeoOPtTwQAlRDIBUXG";
    const LONG: [&str; 8] = [
        "--content-disposition",
        "--trust-server-names",
        "--recursive",
        "--mirror",
        "--page-requisites",
        "--force-directories",
        "--input-file",
        "--config",
    ];
    let name = word.split('=').next().unwrap_or_default();
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    LONG.contains(&name) || letters.chars().take_while(|c| !VALUED.contains(*c)).any(|c| "rmxpi".contains(c))
}

/// As git names the folder of a clone.
fn of_repository(address: &str) -> String {
    let path = address.trim_end_matches('/');
    let path = path.strip_suffix("/.git").unwrap_or(path).trim_end_matches('/');
    let name = path.rsplit(['/', ':']).next().unwrap_or_default();
    name.strip_suffix(".git").or_else(|| name.strip_suffix(".bundle")).unwrap_or(name).to_string()
}

/// Returns the names under which wget and curl save a URL: the last path component, raw and decoded.
fn of_url(address: &str) -> Vec<String> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let written = path.rsplit('/').next().unwrap_or_default();
    let decoded: Cow<'_, str> = percent_decode_str(written).decode_utf8_lossy();
    let last = decoded.rsplit('/').next().unwrap_or_default();
    vec![written.to_string(), last.to_string(), decoded.to_string()]
}

/// Whether an unexpanded path may lead to a file or folder with this name, or into it.
pub fn may_contain(path: &str, name: &str) -> bool {
    let name_parts: Vec<&str> = name.split('/').collect();
    if braces_hold_slash(path) {
        // `{~/.config,x}/git`: the order of components depends on which alternative is used.
        let names: Vec<&str> = path.split(['/', '{', '}', ',']).filter(|name| !name.is_empty()).collect();
        return name_parts.iter().all(|name_parts| names.iter().any(|name| may_match(name, name_parts)));
    }
    let components: Vec<&str> = path.split('/').filter(|component| !component.is_empty()).collect();
    components.windows(name_parts.len()).any(|window| {
        // `*` matches no hidden name, and a lone `$x` is any word.
        let has_literal = window.iter().any(|component| !is_pure_wildcard(component));
        has_literal && window.iter().zip(&name_parts).all(|(component, name)| may_match(component, name))
    })
}

/// Whether an alternative in braces contains a slash.
fn braces_hold_slash(path: &str) -> bool {
    let bare = path.replace("${", "");
    bare.split('{').skip(1).any(|rest| rest.split('}').next().is_some_and(|held| held.contains('/')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::command::parse;

    fn part(line: &str) -> SimpleCommand {
        parse(line).commands.remove(0)
    }

    #[test]
    fn operands_that_may_name_files() {
        for (line, wanted) in [
            ("cat -n .env", ".env"),
            ("grep -f.env x", ".env"),
            ("grep -inf.env x", ".env"),
            ("grep --file=.env x", ".env"),
            ("git show HEAD:.env", ".env"),
            ("curl -d @.env x", ".env"),
            ("dd of=.git/config", ".git/config"),
        ] {
            let texts: Vec<String> = file_operands(&part(line)).into_iter().map(|named| named.text).collect();
            assert!(texts.iter().any(|text| text == wanted), "{line}: {texts:?}");
        }
        assert_eq!(
            redirected_reads(&parse("wc -l < .env")),
            [FileOperand { text: ".env".into(), exact: true }]
        );
    }

    #[test]
    fn operands_derived_file_names_of_downloads() {
        for (line, name) in [
            ("git clone https://host/a/.bowline", ".bowline"),
            ("git clone https://host/a/.bowline.git/", ".bowline"),
            ("git clone host:.ssh", ".ssh"),
            ("wget https://host/.profile", ".profile"),
            ("wget 'https://host/%2eprofile?x=/y'", ".profile"),
            ("curl -O https://host/x/.bashrc#y", ".bashrc"),
        ] {
            assert!(saved_names(&part(line)).unwrap().iter().any(|found| found == name), "{line}");
        }
        assert_eq!(saved_names(&part("git clone https://host/a/.git")).unwrap().last().unwrap(), "a");
        for line in [
            "curl -OJ https://host",
            "wget --content-disposition https://host",
            "wget -qx https://host/%2egit/config",
            "wget --mirror https://host",
            "wget -i list",
            "curl -O 'https://host/{.git,x}'",
            "curl -K list",
        ] {
            assert_eq!(saved_names(&part(line)), None, "{line}");
        }
        assert_eq!(saved_names(&part("wget -Pmirror https://host/a")).unwrap().last().unwrap(), "a");
        assert_eq!(saved_names(&part("make https://host/.profile")), Some(Vec::new()));
    }

    #[test]
    fn operands_list_every_file_unless_recursive_or_glob() {
        for (line, expected) in [
            ("cat a b", true),
            ("cat *.rs", false),
            ("cat $x", false),
            ("ls $x", true),
            ("grep x a", true),
            ("grep -r x .", false),
            ("grep -nR x .", false),
            ("grep --recursive x .", false),
            ("grep -d recurse x .", false),
            ("rg x a", false),
            ("diff -r a b", false),
            ("git log --oneline", true),
            ("git log -p", false),
            ("git show", false),
            ("git diff", false),
            ("git status", true),
        ] {
            assert_eq!(names_files_exactly(&part(line)), expected, "{line}");
        }
    }

    #[test]
    fn operands_path_may_contain_name() {
        for (path, name, expected) in [
            ("~/.bashrc", ".bashrc", true),
            ("$HOME/.bash*", ".bashrc", true),
            ("$x/.config/git/config", ".config/git", true),
            ("x/.g*/config", ".git", true),
            ("$x", ".git", false),
            ("*/config", ".git", false),
            ("src/a.rs", ".git", false),
            ("{~/.config,x}/git/config", ".config/git", true),
            ("{~/.con*,x}/g?t", ".config/git", true),
            ("{~/.config,x}/nvim", ".config/git", false),
            ("src/{a/b,c}.rs", ".git", false),
        ] {
            assert_eq!(may_contain(path, name), expected, "{path} {name}");
        }
    }
}
