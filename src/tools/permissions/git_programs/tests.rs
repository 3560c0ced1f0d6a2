//! Real repositories, some of which lay traps.

use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::exec::LocalEnvironment;

/// A folder with a repository in `repo`, and a home without settings beside it.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(bench.at("repo")).unwrap();
        bench.git("repo", &["init", "-q"]);
        fs::write(bench.at("repo/a"), "1").unwrap();
        bench.git("repo", &["add", "a"]);
        bench
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn git(&self, place: &str, args: &[&str]) {
        let mut command = std::process::Command::new("git");
        command.args(args).current_dir(self.at(place)).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.folder.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
    }

    async fn is_quiet(&self, place: &str) -> bool {
        let vars =
            [("PATH".into(), std::env::var_os("PATH").unwrap()), ("HOME".into(), self.folder.path().into())];
        let env = LocalEnvironment::new(self.at(place), vars);
        objection(&env, "ls && git status").await.is_none()
    }
}

/// What `git init --bare` makes, in a folder that is there already.
fn plant(folder: &Path) {
    for name in ["objects", "refs"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    fs::write(folder.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let config = "[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = sh evil.sh\n";
    fs::write(folder.join("config"), config).unwrap();
}

#[tokio::test]
async fn git_programs_detected_in_repository_settings() {
    let bench = Bench::new();
    assert!(bench.is_quiet("repo").await);
    for (name, value, quiet) in [
        ("user.name", "x", true),
        ("core.fsmonitor", "sh evil.sh", false),
        ("core.fsmonitor", "true", true),
        ("filter.x.clean", "evil", false),
        ("filter.x.process", "evil", false),
        ("filter.a=b.c\u{e4}.clean", "evil", false),
        ("filter.x.required", "true", true),
        ("diff.external", "evil", false),
        ("diff.x.textconv", "evil", false),
        ("diff.x.command", "evil", false),
        ("diff.renames", "true", true),
        ("merge.x.driver", "evil", false),
        ("gpg.program", "evil", false),
        ("gpg.ssh.program", "evil", false),
        ("gpg.x509.program", "evil", false),
        ("log.showSignature", "true", false),
        ("log.diffMerges", "remerge", false),
        ("format.pretty", "%G?", false),
        ("pretty.x", "%G?", false),
        ("hook.x.command", "evil", false),
        ("remote.x.promisor", "true", false),
        ("remote.x.url", "https://example.org/x", true),
    ] {
        bench.git("repo", &["config", name, value]);
        assert_eq!(bench.is_quiet("repo").await, quiet, "{name} = {value}");
        bench.git("repo", &["config", "--unset", name]);
    }
    // The user's own settings are the user's.
    bench.git("repo", &["config", "--global", "filter.x.clean", "mine"]);
    bench.git("repo", &["config", "--global", "core.fsmonitor", "mine"]);
    assert!(bench.is_quiet("repo").await);
    // What another file of the repository says counts as its own.
    bench.git("repo", &["config", "include.path", "../settings"]);
    assert!(bench.is_quiet("repo").await);
    fs::write(bench.at("repo/settings"), "[diff]\nexternal = evil\n").unwrap();
    assert!(!bench.is_quiet("repo").await);
}

#[tokio::test]
async fn git_programs_non_utf8_section_is_detected() {
    let bench = Bench::new();
    let mut config = fs::read(bench.at("repo/.git/config")).unwrap();
    config.extend_from_slice(b"[filter \"\xff\xe4\"]\n\tclean = evil\n");
    fs::write(bench.at("repo/.git/config"), config).unwrap();
    assert!(!bench.is_quiet("repo").await);
}

#[tokio::test]
async fn git_programs_nested_and_bare_repositories() {
    let bench = Bench::new();
    fs::create_dir(bench.at("plain")).unwrap();
    assert!(bench.is_quiet("plain").await, "there is no repository");
    fs::create_dir(bench.at("repo/sub")).unwrap();
    assert!(bench.is_quiet("repo/sub").await, "that of the folder above");
    plant(&bench.at("repo/sub"));
    assert!(!bench.is_quiet("repo/sub").await);
    plant(&bench.at("plain"));
    assert!(!bench.is_quiet("plain").await);
    // Without settings it is one that could get some.
    fs::write(bench.at("plain/config"), "").unwrap();
    assert!(!bench.is_quiet("plain").await);
    fs::create_dir(bench.at("link")).unwrap();
    plant(&bench.at("link/sub"));
    fs::write(bench.at("link/.git"), "gitdir: sub\n").unwrap();
    assert!(!bench.is_quiet("link").await);
}

#[tokio::test]
async fn git_programs_hooks_and_submodules() {
    let bench = Bench::new();
    fs::write(bench.at("repo/.git/hooks/pre-commit"), "evil").unwrap();
    assert!(bench.is_quiet("repo").await);
    bench.git("repo", &["config", "core.hooksPath", "hooks"]);
    fs::create_dir(bench.at("repo/hooks")).unwrap();
    assert!(bench.is_quiet("repo").await);
    fs::write(bench.at("repo/hooks/post-index-change"), "evil").unwrap();
    assert!(!bench.is_quiet("repo").await);
    bench.git("repo", &["config", "--unset", "core.hooksPath"]);
    assert!(bench.is_quiet("repo").await);
    let oid = "1".repeat(40);
    for name in ["sub", "odd\nname"] {
        fs::create_dir(bench.at("repo").join(name)).unwrap();
        let entry = format!("160000,{oid},{name}");
        bench.git("repo", &["update-index", "--add", "--cacheinfo", &entry]);
        let quoted = name != "sub";
        assert_eq!(bench.is_quiet("repo").await, !quoted, "{name:?} is empty");
        if quoted {
            bench.git("repo", &["rm", "-q", "--cached", name]);
        }
    }
    bench.git("repo/sub", &["init", "-q"]);
    assert!(bench.is_quiet("repo").await);
    fs::create_dir(bench.at("repo/below")).unwrap();
    bench.git("repo/sub", &["config", "filter.x.clean", "evil"]);
    for place in ["repo", "repo/below", "repo/sub"] {
        assert!(!bench.is_quiet(place).await, "{place}");
    }
}

#[tokio::test]
async fn git_programs_only_git_commands_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let env = LocalEnvironment::new(folder.path().join("gone"), []);
    assert_eq!(objection(&env, "ls | head").await, None);
    assert_eq!(objection(&env, "ls | xargs git log").await, Some(REASON), "nothing can be found out");
}
