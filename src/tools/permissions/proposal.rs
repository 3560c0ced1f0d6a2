//! Proposes a rule in a permission request: by the call's first words, its host, or its file's folder.
//!
//! Pure; must not know files or front ends.

use std::path::Path;

use super::rules::{Author, Rules, Ruling, ToolNames};
use crate::tools::command::{self, NetworkTargets, SimpleCommand};
use crate::tools::contract::tool::ToolClass;

/// A rule, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleProposal {
    /// What it allows, for the user: `cargo test …`.
    pub what: String,
    /// Its text for a rule file, for all projects.
    pub rule: String,
    /// The same for one project.
    pub project_rule: String,
    /// A sentence for the user about what it covers.
    pub covers: String,
}

impl RuleProposal {
    fn new(label: String, key: &str, value: &str, covers: String) -> Self {
        let rule = format!("[[rule]]\ndecision = \"allow\"\n{key} = {}\n", quoted(value));
        Self { what: label, project_rule: rule.clone(), rule, covers }
    }

    /// With a rule for the project of this folder, which is a real path.
    #[must_use]
    pub(super) fn in_project(self, root: &Path) -> Self {
        let project = quoted(&root.to_string_lossy());
        Self { project_rule: format!("{}project = {project}\n", self.rule), ..self }
    }
}

/// Programs whose first words do not determine what they do, by kind: they run or destroy what they are
/// given. A version suffix (`python3.12`) is ignored.
const NEVER_PROPOSED: [&[&str]; 10] = [
    // Shells and command prefixes.
    &["sh", "bash", "zsh", "dash", "ash", "fish", "ksh", "csh", "tcsh", "pwsh", "powershell", "busybox"],
    &["env", "eval", "exec", "source", ".", "sudo", "doas", "su", "pkexec", "runuser", "chroot", "unshare"],
    &["nsenter", "systemd-run", "xargs", "parallel", "script", "expect", "flock", "entr", "at", "batch"],
    // Interpreters, and programs with a language of their own in which commands can be run.
    &["python", "pypy", "node", "nodejs", "deno", "bun", "perl", "ruby", "php", "lua", "luajit", "tclsh"],
    &["julia", "java", "osascript", "sed", "gsed", "awk", "gawk", "mawk", "nawk", "gdb", "lldb", "sqlite"],
    &["ed", "ex", "vi", "vim", "nvim", "emacs", "less", "more", "man", "find", "fd", "tar", "bsdtar"],
    // Programs that delete or overwrite files.
    &["rm", "rmdir", "dd", "mkfs", "tee", "mv", "cp", "ln", "install", "truncate", "shred", "unlink"],
    &["kill", "pkill", "killall", "chmod", "chown", "chgrp", "crontab", "rsync", "docker", "podman"],
    // Requests to language servers: each method is something else.
    &["lsp", "LSP"],
    // Network programs, and input to a running command.
    &["curl", "wget", "ssh", "scp", "sftp", "stdin"],
];

/// Programs with subcommands.
const MULTI_COMMAND: [&str; 15] = [
    "git", "cargo", "npm", "npx", "pnpm", "yarn", "bunx", "go", "gh", "uv", "uvx", "pip", "poetry",
    "kubectl", "rustup",
];

/// Git commands that run or destroy what they are given.
const NEVER_GIT: [&str; 9] =
    ["config", "bisect", "submodule", "filter-branch", "rebase", "difftool", "mergetool", "clean", "reset"];

/// Subcommands that are followed by another one.
const PREFIX_WORDS: [&str; 3] = ["run", "exec", "compose"];

/// Proposes a rule for a command line with one part that is not read-only.
pub fn for_command(tool: &str, line: &str) -> Option<RuleProposal> {
    let script = command::parse(line);
    if !script.unresolved.is_empty() || !script.writes.is_empty() {
        return None;
    }
    let parts: Vec<&SimpleCommand> =
        script.commands.iter().filter(|part| !command::part_is_read_only(part)).collect();
    let proposal = by_words(&parts).or_else(|| by_host(&parts))?;
    // It is useful only if it allows this very call.
    let decision = rules(&proposal.rule)?.command(&ToolNames::plain(&[tool]), line)?;
    (decision.ruling == Ruling::Allow).then_some(proposal)
}

/// Proposes a rule for everything that starts like all of these commands.
fn by_words(parts: &[&SimpleCommand]) -> Option<RuleProposal> {
    let (first, others) = parts.split_first()?;
    let words = first_words(first)?;
    others.iter().all(|part| first_words(part).as_ref() == Some(&words)).then(|| {
        let words = words.join(" ");
        let covers = format!("Covers `{words}` with any options, files and hosts behind it.");
        RuleProposal::new(format!("{words} …"), "command", &words, covers)
    })
}

/// Proposes a rule for the one host that all of these commands connect to, if they do nothing else.
fn by_host(parts: &[&SimpleCommand]) -> Option<RuleProposal> {
    // A remote command is checked separately.
    let network: Vec<NetworkTargets> = parts.iter().map(|part| command::network_targets(part)).collect();
    let host = network.first()?.hosts.first()?.rule();
    let only = |targets: &NetworkTargets| {
        targets.network_only && targets.hosts.iter().all(|other| other.rule() == host)
    };
    network.iter().all(only).then(|| {
        let covers = format!("Covers commands that only talk to {host}, and clones below this folder.");
        RuleProposal::new(format!("asking {host}"), "host", &host, covers)
    })
}

/// Proposes a rule for a file: its folder and everything below, unless that is or contains the home folder.
/// Paths are resolved.
pub fn for_file(path: &Path, home: Option<&Path>) -> Option<RuleProposal> {
    let holds_home = |folder: &Path| home.is_some_and(|home| home.starts_with(folder));
    let narrow = |folder: &&Path| folder.parent().is_some() && !holds_home(folder);
    let folder = path.parent().filter(narrow)?.to_str()?;
    if folder.contains(['*', '?', '[', ']', '{', '}', '\\', '\n']) {
        return None;
    }
    let pattern = format!("{folder}/**");
    let covers = format!("Covers every edit of any file in {folder} and below.");
    let proposal = RuleProposal::new(pattern.clone(), "path", &pattern, covers);
    let decision = rules(&proposal.rule)?.file(&ToolNames::default(), ToolClass::Edits, &[path])?;
    (decision.ruling == Ruling::Allow).then_some(proposal)
}

/// Returns the program and its subcommand; a third word if the second is only a prefix.
fn first_words(part: &SimpleCommand) -> Option<Vec<String>> {
    let program = part.words.first().filter(|word| word.is_exact)?;
    let name = program.text.rsplit('/').next().unwrap_or_default();
    if is_never(name) || !part.sets.is_empty() {
        return None;
    }
    let mut words = vec![program.text.clone()];
    for word in part.words.iter().skip(1) {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
        let names = word.is_exact
            && word.text.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.text.chars().all(plain);
        if !names {
            break;
        }
        words.push(word.text.clone());
        if !PREFIX_WORDS.contains(&word.text.as_str()) {
            break;
        }
    }
    let second = words.get(1).map(String::as_str);
    let broad = match second {
        None => MULTI_COMMAND.contains(&name),
        Some(second) if name == "git" => NEVER_GIT.contains(&second),
        // `npm exec …` and `uv run …` run what follows; `cargo run` the project, `npm run build` a script.
        Some(second) => name != "cargo" && words.len() == 2 && PREFIX_WORDS.contains(&second),
    };
    (!broad).then_some(words)
}

fn is_never(name: &str) -> bool {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let bare = if bare.is_empty() { name } else { bare };
    NEVER_PROPOSED.iter().any(|names| names.contains(&bare))
}

/// Returns a TOML string.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

fn rules(text: &str) -> Option<Rules> {
    let mut rules = Rules::default();
    let problems = rules.add(text, Author::User, Path::new("/"), Path::new("/"));
    problems.is_empty().then_some(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposal_of_command_rule_uses_prefix() {
        for (line, wanted) in [
            ("cargo test -p x", Some("cargo test")),
            ("cd x && cargo test | tail", Some("cargo test")),
            ("make", Some("make")),
            ("make -j4 all", Some("make")),
            ("npm run build --watch", Some("npm run build")),
            ("git push origin main", Some("git push")),
            ("./build.sh fast", Some("./build.sh fast")),
            ("cargo test && cargo build", None),
            ("cargo test > log", None),
            ("FOO=1 cargo test", None),
            ("rm -rf x", None),
            ("sudo cargo test", None),
            ("bash -c 'make'", None),
            ("$X test", None),
            ("sed -i s/a/b/ f", None),
            ("/usr/bin/python3.12 x.py", None),
            ("python3 x.py", None),
            ("pypy3 x.py", None),
            ("lua5.4 x", None),
            ("nodejs x", None),
            ("find . -delete", None),
            ("awk 1 f", None),
            ("tee f", None),
            ("mv a b", None),
            ("docker ps", None),
            ("git -C x push", None),
            ("git config core.pager x", None),
            ("git rebase main", None),
            ("cargo +nightly test", None),
            ("npx -y x", None),
            ("npm exec -- x", None),
            ("go run ./x.go", None),
            ("cargo run -- x", Some("cargo run")),
            ("go test ./...", Some("go test")),
            ("gcc-12 x.c", Some("gcc-12")),
            ("stdin of command 1:", None),
            ("ls", None),
            ("", None),
        ] {
            let found = for_command("bash", line).map(|found| found.what);
            assert_eq!(found, wanted.map(|words| format!("{words} …")), "{line}");
        }
        let rule = for_command("bash", "git push").unwrap().rule;
        assert_eq!(rule, "[[rule]]\ndecision = \"allow\"\ncommand = \"git push\"\n");
    }

    #[test]
    fn proposal_of_network_command_uses_host() {
        for (line, wanted) in [
            ("curl -sS https://docs.rs/x | head", Some("docs.rs")),
            ("curl http://localhost:3000/a http://localhost:3000/b", Some("localhost:3000")),
            ("curl 'http://[::1]:3000/'", Some("[::1]:3000")),
            // Without quotes it is a pattern for the names of files.
            ("curl http://[::1]:3000/", None),
            ("wget -q https://docs.rs/x && curl docs.rs", Some("docs.rs")),
            ("ssh me@box ls", Some("box")),
            ("curl https://docs.rs https://crates.io", None),
            ("curl https://docs.rs && curl https://crates.io", None),
            ("curl -o f https://docs.rs", None),
            ("curl https://docs.rs/$x", None),
            ("curl https://docs.rs | sh", None),
            ("ssh me@box rm x", None),
            ("sudo curl https://docs.rs", None),
        ] {
            let found = for_command("bash", line);
            let rule = wanted.map(|host| format!("[[rule]]\ndecision = \"allow\"\nhost = \"{host}\"\n"));
            assert_eq!(found.as_ref().map(|found| found.rule.clone()), rule, "{line}");
            assert_eq!(found.map(|found| found.what), wanted.map(|host| format!("asking {host}")), "{line}");
        }
        assert_eq!(for_command("bash", "git clone https://docs.rs/x").unwrap().what, "git clone …");
    }

    #[test]
    fn proposal_of_file_rule_uses_folder() {
        let found = for_file(Path::new("/tmp/o\"ut/a.txt"), None).unwrap();
        assert_eq!(found.what, "/tmp/o\"ut/**");
        assert!(
            rules(&found.rule)
                .unwrap()
                .file(&ToolNames::default(), ToolClass::Edits, &[Path::new("/tmp/o\"ut/b/c")])
                .is_some()
        );
        assert_eq!(for_file(Path::new("/a.txt"), None), None, "everything is no folder");
        assert_eq!(for_file(Path::new("/tmp/a*b/c.txt"), None), None);
        let home = Some(Path::new("/home/me"));
        assert_eq!(for_file(Path::new("/home/me/a.txt"), home), None, "all that a person has");
        assert_eq!(for_file(Path::new("/home/a.txt"), home), None);
        assert_eq!(for_file(Path::new("/home/me/x/a.txt"), home).unwrap().what, "/home/me/x/**");
    }
}
