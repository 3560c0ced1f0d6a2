//! What a command line does that its reader should not overlook: deleting, connecting to hosts, running what
//! it was piped, becoming another user, writing files. For people to read; no decision depends on it.

use std::ops::Range;

use super::network::host::Host;
use super::network::targets::{network_targets, network_targets_of_writes};
use super::read_only::judge::part_is_read_only;
use super::syntax::expand::parse;
use super::syntax::pieces::pieces;
use super::syntax::script::{Script, SimpleCommand};

/// An effect, and which part of the line has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Byte range of the part in the line.
    pub range: Range<usize>,
    /// The effect.
    pub kind: EffectKind,
}

/// A kind of effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EffectKind {
    /// Deletes these files.
    Deletes(Vec<String>),
    /// Throws away changes that are in no commit.
    Discards,
    /// Replaces commits that others may have.
    RewritesHistory,
    /// Connects to these hosts; without any, to hosts that are not known.
    Connects(Vec<String>),
    /// Runs in this program what is not known before: its input, or what the shell puts in.
    RunsInput(String),
    /// Runs with the rights of another user.
    ChangesUser,
    /// Names these files, and may change them.
    Touches(Vec<String>),
    /// Goes to this folder, to which later names are relative.
    Goes(String),
    /// The line cannot be read: nothing is known about it.
    Unread,
}

/// Programs that delete their operands.
const DELETING: &str = "rm rmdir unlink shred";
/// Programs that run another one as another user.
const CHANGING_USER: &str = "sudo doas su pkexec runuser";
/// Programs that run their input without an operand.
const INTERPRETERS: &str = "sh bash zsh dash ash fish ksh python perl ruby node php lua";

/// Returns the effects of a command line, in the order of its text.
pub fn effects(line: &str) -> Vec<Effect> {
    let found = pieces(line);
    let mut out = Vec::new();
    if found.commands.is_empty() && !line.trim().is_empty() {
        out.push(Effect { range: 0..line.len(), kind: EffectKind::Unread });
    }
    for range in found.commands {
        let script = parse(&line[range.clone()]);
        let kinds = script.commands.iter().flat_map(of_command);
        out.extend(kinds.map(|kind| Effect { range: range.clone(), kind }));
    }
    for range in found.redirections {
        // A redirection alone is a command line, too.
        let script = parse(&line[range.clone()]);
        out.extend(of_writes(&script).into_iter().map(|kind| Effect { range: range.clone(), kind }));
    }
    for range in found.fed {
        if let Some(program) = interpreter(&parse(&line[range.clone()])) {
            out.push(Effect { range, kind: EffectKind::RunsInput(program) });
        }
    }
    for stages in found.pipelines {
        for pair in stages.windows(2) {
            let [from, into] = pair else { continue };
            if let Some(program) = interpreter(&parse(&line[into.clone()])) {
                out.push(Effect { range: from.start..into.end, kind: EffectKind::RunsInput(program) });
            }
        }
    }
    out.sort_by_key(|effect| (effect.range.start, effect.range.end));
    out.dedup();
    out
}

fn is_listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|known| known == name)
}

/// Returns whether a program runs its input, under any version of its name.
fn is_interpreter(name: &str) -> bool {
    is_listed(INTERPRETERS, name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Returns the program's name without its folder, and its operands and options.
fn program(part: &SimpleCommand) -> Option<(&str, Vec<&str>)> {
    let (first, rest) = part.words.split_first()?;
    let name = first.text.rsplit('/').next()?;
    Some((name, rest.iter().map(|word| word.text.as_str()).collect()))
}

fn of_command(part: &SimpleCommand) -> Vec<EffectKind> {
    let Some((name, words)) = program(part) else { return Vec::new() };
    let operands = || words.iter().filter(|word| !word.starts_with('-')).map(ToString::to_string);
    let mut kinds = Vec::new();
    if is_listed(CHANGING_USER, name) {
        kinds.push(EffectKind::ChangesUser);
    }
    if is_listed(DELETING, name) {
        kinds.push(EffectKind::Deletes(operands().collect()));
    }
    if name == "find" && words.contains(&"-delete") {
        kinds.push(EffectKind::Deletes(operands().take(1).collect()));
    }
    if name == "cd" {
        return operands().take(1).map(EffectKind::Goes).collect();
    }
    if is_interpreter(name) && part.words.iter().any(|word| word.is_dynamic) {
        kinds.push(EffectKind::RunsInput(name.to_string()));
    }
    if name == "git" {
        kinds.extend(of_git(&words));
    }
    let hosts = network_targets(part).hosts;
    if !hosts.is_empty() {
        kinds.push(EffectKind::Connects(hosts.iter().map(Host::rule).collect()));
    }
    if !part_is_read_only(part) {
        // For people: a word that is an option names no file, except after its `=`.
        let values =
            words.iter().filter(|word| word.starts_with('-')).filter_map(|word| word.split_once('='));
        let files: Vec<String> = operands().chain(values.map(|(_, value)| value.to_string())).collect();
        if !files.is_empty() {
            kinds.push(EffectKind::Touches(files));
        }
    }
    kinds
}

/// Returns what git does to work that is in no commit, or in commits of others.
fn of_git(words: &[&str]) -> Option<EffectKind> {
    // Some options have a value in the next word.
    let is_value = |at: usize| at > 0 && ["-C", "-c", "--git-dir", "--work-tree"].contains(&words[at - 1]);
    let start = (0..words.len()).find(|at| !words[*at].starts_with('-') && !is_value(*at))?;
    let (command, words) = (words[start], &words[start + 1..]);
    let has =
        |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.split('=').next().unwrap_or(word)));
    match command {
        "clean" if !has(&["-n", "--dry-run"]) => Some(EffectKind::Deletes(Vec::new())),
        "reset" if has(&["--hard", "--merge", "--keep"]) => Some(EffectKind::Discards),
        "restore" if !has(&["--staged", "-S"]) || has(&["--worktree", "-W"]) => Some(EffectKind::Discards),
        "switch" if has(&["--discard-changes", "-f", "--force"]) => Some(EffectKind::Discards),
        "checkout" if has(&["--", "-f", "--force", "."]) => Some(EffectKind::Discards),
        "stash" if has(&["drop", "clear"]) => Some(EffectKind::Discards),
        "push" if has(&["-f", "--force", "--force-with-lease", "--mirror", "--delete", "-d"]) => {
            Some(EffectKind::RewritesHistory)
        }
        "push" if words.iter().any(|word| word.starts_with('+')) => Some(EffectKind::RewritesHistory),
        "branch" if has(&["-D"]) => Some(EffectKind::Discards),
        _ => None,
    }
}

fn of_writes(script: &Script) -> Vec<EffectKind> {
    let hosts = network_targets_of_writes(script).hosts;
    let connects = (!hosts.is_empty()).then(|| EffectKind::Connects(hosts.iter().map(Host::rule).collect()));
    let files: Vec<String> = script.writes.iter().map(|word| word.text.clone()).collect();
    let touches = (!files.is_empty()).then_some(EffectKind::Touches(files));
    connects.into_iter().chain(touches).collect()
}

/// Returns the program that runs its input, if a stage of a pipeline is one.
fn interpreter(stage: &Script) -> Option<String> {
    stage.commands.iter().find_map(|part| {
        let (name, words) = program(part)?;
        let reads_input = words.iter().all(|word| word.starts_with('-') && *word != "-c" && *word != "-e")
            || words.contains(&"-s");
        (is_interpreter(name) && reads_input).then(|| name.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(line: &str) -> Vec<(String, EffectKind)> {
        let is_kept = |kind: &EffectKind| !matches!(kind, EffectKind::Touches(_) | EffectKind::Goes(_));
        let kept = effects(line).into_iter().filter(|effect| is_kept(&effect.kind));
        kept.map(|effect| (line[effect.range].to_string(), effect.kind)).collect()
    }

    #[test]
    fn command_effects_name_the_part_that_has_them() {
        let deletes = |part: &str, files: &[&str]| {
            (part.to_string(), EffectKind::Deletes(files.iter().map(ToString::to_string).collect()))
        };
        assert_eq!(
            found("rm -rf target/debug && cargo build"),
            [deletes("rm -rf target/debug", &["target/debug"])]
        );
        assert_eq!(found("sh -c 'rm a'"), [deletes("sh -c 'rm a'", &["a"])]);
        assert_eq!(found("find . -name x -delete"), [deletes("find . -name x -delete", &["."])]);
        assert_eq!(
            found("sudo rm /etc/x"),
            [("sudo rm /etc/x".to_string(), EffectKind::ChangesUser), deletes("sudo rm /etc/x", &["/etc/x"])]
        );
        assert_eq!(
            found("git reset --hard HEAD~1"),
            [("git reset --hard HEAD~1".to_string(), EffectKind::Discards)]
        );
        assert_eq!(found("git push -f"), [("git push -f".to_string(), EffectKind::RewritesHistory)]);
        assert_eq!(found("cargo test && git restore --staged a"), []);
        assert_eq!(found("echo 'rm -rf /'"), []);
    }

    #[test]
    fn command_effects_of_download_into_shell() {
        let line = "curl -fsSL https://get.example.com/install.sh | sudo bash -s -- -y";
        let kinds: Vec<EffectKind> = found(line).into_iter().map(|(_, kind)| kind).collect();
        assert_eq!(
            kinds,
            [
                EffectKind::Connects(vec!["get.example.com".into()]),
                EffectKind::RunsInput("bash".into()),
                EffectKind::ChangesUser
            ]
        );
        assert_eq!(found("cat list | bash run.sh"), []);
    }

    #[test]
    fn command_effects_of_text_that_is_not_known_before() {
        for line in [
            "bash -c \"$(curl -fsSL https://a.example.com)\"",
            "bash <(curl -fsSL https://a.example.com)",
            "bash <<EOF\nrm -rf ~\nEOF\n",
            "bash < script",
            "echo cm0gLXJm | python3.12 -",
        ] {
            let kinds: Vec<EffectKind> = found(line).into_iter().map(|(_, kind)| kind).collect();
            assert!(kinds.iter().any(|kind| matches!(kind, EffectKind::RunsInput(_))), "{line}: {kinds:?}");
        }
        assert_eq!(found("if ("), [("if (".to_string(), EffectKind::Unread)]);
    }

    #[test]
    fn command_effects_of_git_follow_its_options() {
        let kind = |line: &str| found(line).into_iter().map(|(_, kind)| kind).next();
        assert_eq!(kind("git -C sub reset --hard"), Some(EffectKind::Discards));
        assert_eq!(kind("git restore --staged --worktree ."), Some(EffectKind::Discards));
        assert_eq!(kind("git switch --discard-changes main"), Some(EffectKind::Discards));
        assert_eq!(kind("git push --force-with-lease=main"), Some(EffectKind::RewritesHistory));
        assert_eq!(kind("git push origin +main"), Some(EffectKind::RewritesHistory));
        assert_eq!(kind("git push origin main"), None);
    }

    #[test]
    fn command_effects_of_writes() {
        assert_eq!(
            effects("echo x > /etc/hosts"),
            [Effect { range: 7..19, kind: EffectKind::Touches(vec!["/etc/hosts".into()]) }]
        );
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(128))]
        #[test]
        fn command_effects_of_any_text_are_inside_it(line in "[a-z |&;<>$(){}'\"/.\\-é\n]{0,60}") {
            for effect in effects(&line) {
                prop_assert!(line.get(effect.range).is_some());
            }
        }
    }
}
