//! What git may not run is tried with the real git, setting by setting.

use super::*;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

#[test]
fn git_root_is_nearest_repository() {
    let outer = tempfile::tempdir().unwrap();
    let inner = outer.path().join("sub/inner");
    fs::create_dir_all(inner.join("deep")).unwrap();
    fs::create_dir(outer.path().join(".git")).unwrap();
    assert_eq!(root_of(&inner.join("deep")), Some(outer.path().to_path_buf()));
    fs::write(inner.join(".git"), "gitdir: elsewhere").unwrap();
    assert_eq!(root_of(&inner.join("deep")), Some(inner));
}

/// Everything that the program asks of git by itself, wherever it does.
const ASKED: &str = "safe_git rev-parse --is-inside-work-tree; safe_git symbolic-ref --short -q HEAD; \
    safe_git rev-parse -q --verify HEAD; safe_git log -n 8 --format=%h; safe_git cat-file blob :./a; \
    safe_git for-each-ref --format='%(refname) %(subject)' refs/heads; \
    safe_git show --no-ext-diff --no-textconv --format=medium --stat --patch HEAD --; \
    names_programs || { safe_git switch --quiet trunk; safe_git status --porcelain --ignore-submodules=all; safe_git cat-file --filters :./a; }";

fn run(folder: &Path, program: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env_clear().env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    command.env("PATH", std::env::var_os("PATH").unwrap());
    command.output().unwrap()
}

fn git(folder: &Path, args: &[&str]) -> String {
    let named = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    let output = run(folder, "git", &[&named, args].concat());
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A repository whose every hook is a trap, whose files have a filter and drivers, and whose index is stale.
struct Trapped {
    dir: tempfile::TempDir,
    trap: String,
    config: String,
}

impl Trapped {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path();
        git(at, &["init", "-q", "-b", "trunk"]);
        fs::write(at.join("a"), "1\n").unwrap();
        fs::write(at.join(".gitattributes"), "* filter=name diff=name merge=name\n").unwrap();
        git(at, &["add", "."]);
        git(at, &["commit", "-q", "-m", "first"]);
        // Of the same size, so that git has to compare what it holds, which asks the filter, at whatever moment it is.
        fs::write(at.join("a"), "2\n").unwrap();
        let trap = at.join(".git/trap");
        fs::write(&trap, format!("#!/bin/sh\n: > '{}'\ncat\n", at.join(".git/sprung").display())).unwrap();
        fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
        for hook in ["post-index-change", "fsmonitor-watchman", "query-watchman", "reference-transaction"] {
            fs::copy(&trap, at.join(".git/hooks").join(hook)).unwrap();
        }
        let config = fs::read_to_string(at.join(".git/config")).unwrap();
        Self { trap: trap.display().to_string(), dir, config }
    }

    /// Whether a trap is sprung by a shell script where a setting names one.
    fn springs(&self, setting: &str, script: &str) -> bool {
        let (section, variable) = setting.rsplit_once('.').unwrap();
        let section = section
            .split_once('.')
            .map_or(section.to_string(), |(section, name)| format!("{section} \"{name}\""));
        let set = format!("{}[{section}]\n\t{variable} = {}\n", self.config, self.trap);
        fs::write(self.dir.path().join(".git/config"), set).unwrap();
        run(self.dir.path(), "sh", &["-c", script]);
        fs::remove_file(self.dir.path().join(".git/sprung")).is_ok()
    }
}

/// The settings that this git knows. Those of messages, colors and checks of objects hold words and flags.
fn settings(folder: &Path) -> Vec<String> {
    let known = git(folder, &["help", "-c"]);
    let plain = ["advice.", "color.", "fsck.", "fetch.fsck.", "receive.", "column."];
    let named = |line: &str| line.replace('*', "name").replace(['<', '>'], "");
    let settings = known.lines().filter(|line| line.contains('.') && !line.contains(' ')).map(named);
    settings.filter(|setting| !plain.iter().any(|section| setting.starts_with(section))).collect()
}

#[test]
fn git_settings_run_no_program() {
    let trapped = Trapped::new();
    let (safe, all) = (script(ASKED), settings(trapped.dir.path()));
    assert!(all.len() > 300, "git lists its settings: {}", all.len());
    let unlisted = ["filter.name.smudge", "filter.name.clean", "filter.name.process", "diff.name.textconv"];
    let all: Vec<&str> = all.iter().map(String::as_str).chain(unlisted).collect();
    let sprung: Vec<_> = all.into_iter().filter(|setting| trapped.springs(setting, &safe)).collect();
    assert!(sprung.is_empty(), "{sprung:?}");
}

#[test]
fn git_settings_traps_work_with_plain_git() {
    let trapped = Trapped::new();
    for (setting, asked) in [
        ("filter.name.smudge", "git cat-file --filters :./a"),
        ("filter.name.process", "git cat-file --filters :./a"),
        ("filter.name.clean", "git status"),
        ("core.fsmonitor", "git status"),
        ("diff.external", "git diff"),
        ("diff.name.textconv", "git diff"),
    ] {
        assert!(trapped.springs(setting, asked), "{setting}");
    }
}
