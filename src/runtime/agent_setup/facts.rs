//! Collects facts about the session's environment for the system prompt: operating system and git repository.
//!
//! Must not know who reads them. Everything runs through the environment, so that remote environments
//! describe themselves; a fact that is not there in time is omitted.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::agent::request::environment::{EnvironmentFacts, Git};
use crate::base::clock::{self, SharedClock};
use crate::exec::{CommandSpec, Environment};
use crate::workspace::git;

/// Longest time that the first prompt waits for the facts.
const TIMEOUT: Duration = Duration::from_millis(1500);
/// Number of commits in the facts.
const COMMITS: usize = 8;
/// Bytes of output that are read.
const OUTPUT_MAX: usize = 64 << 10;
/// Longest line in the facts, in characters.
const LINE_MAX: usize = 120;

/// The script that collects the facts. Each section ends with byte 0x1e; a missing section was not reached in
/// time. Git may not run programs that the repository's own settings name, and may not write; where that
/// cannot be ensured beforehand, commits and files are not queried. The user was not asked for permission
/// either.
const SCRIPT: &str = r"
exec 2>/dev/null
uname -s; uname -r; printf '\036'
safe_git rev-parse --is-inside-work-tree; printf '\036'
names_programs; named=$?
safe_git symbolic-ref --short -q HEAD || [ $named = 0 ] || safe_git rev-parse --short HEAD; printf '\036'
[ $named = 0 ] && exit
safe_git log -n 8 --format=%h%x20%s; printf '\036'
safe_git status --porcelain --ignore-submodules=all | cut -c1-2 | sort | uniq -c; printf '\036'
";

/// Returns the facts after at most [`PATIENCE`].
pub(super) async fn gather(env: Arc<dyn Environment>, clock: SharedClock) -> EnvironmentFacts {
    let collected: Arc<Mutex<Vec<u8>>> = Arc::default();
    let output = collected.clone();
    let sink = Box::new(move |piece: &[u8]| {
        let mut collected = output.lock();
        let room = OUTPUT_MAX.saturating_sub(collected.len());
        collected.extend_from_slice(&piece[..piece.len().min(room)]);
    });
    let command = CommandSpec {
        script: git::script(SCRIPT),
        cwd: env.root().to_path_buf(),
        timeout: Some(TIMEOUT),
        env: BTreeMap::new(),
    };
    let cancel = CancellationToken::new();
    let run = env.run(command, sink, cancel.clone());
    // A command that does not end on cancellation is not awaited either.
    if tokio::time::timeout(TIMEOUT, run).await.is_err() {
        cancel.cancel();
    }
    let text = String::from_utf8_lossy(&collected.lock()).into_owned();
    let date = clock::iso8601(clock.now_ms()).chars().take_while(|c| *c != 'T').collect();
    EnvironmentFacts { date, ..parse_facts(&text) }
}

/// Parses the script's output, as far as it is complete.
fn parse_facts(text: &str) -> EnvironmentFacts {
    let mut sections: Vec<&str> = text.split('\u{1e}').collect();
    // Text after the last separator is an incomplete section.
    sections.pop();
    let section = |at: usize| sections.get(at).copied().unwrap_or_default();
    let (system, release) = section(0).trim().split_once('\n').unwrap_or((section(0).trim(), ""));
    let platform = if system.is_empty() { local_platform().to_string() } else { system.to_lowercase() };
    let os = format!("{system} {release}").trim().to_string();
    let git = (section(1).trim() == "true").then(|| Git {
        branch: shorten(section(2).trim()),
        changed: sections.get(4).map(|counts| count_changes(counts)),
        commits: section(3).lines().take(COMMITS).map(shorten).collect(),
    });
    EnvironmentFacts { date: String::new(), platform, os, git }
}

/// The operating system of this machine, for an environment that does not report its own.
fn local_platform() -> &'static str {
    if cfg!(target_os = "macos") { "darwin" } else { "linux" }
}

/// Returns the numbers of modified and of untracked files, from the counts of git's states.
fn count_changes(counts: &str) -> (usize, usize) {
    let (mut changed, mut unknown) = (0, 0);
    for line in counts.lines() {
        let (count, state) = line.trim_start().split_once(' ').unwrap_or_default();
        let count: usize = count.parse().unwrap_or_default();
        *(if state == "??" { &mut unknown } else { &mut changed }) += count;
    }
    (changed, unknown)
}

fn shorten(line: &str) -> String {
    line.chars().take(LINE_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::SystemClock;
    use crate::exec::local::LocalEnvironment;

    #[test]
    fn environment_facts_missing_parts_are_omitted() {
        let whole = "Linux\n6.1\n\u{1e}true\n\u{1e}main\n\u{1e}abc One\ndef Two\n\u{1e}      2  M\n      1 ??\n      1 A \n\u{1e}";
        let git = parse_facts(whole).git.unwrap();
        assert_eq!((git.branch.as_str(), git.changed), ("main", Some((3, 1))));
        assert_eq!(git.commits, ["abc One", "def Two"]);
        let cut = &whole[..whole.len() - 1];
        assert_eq!(parse_facts(cut).git.unwrap().changed, None, "it was not finished");
        assert_eq!(parse_facts("Darwin\n24.1\n\u{1e}\u{1e}").git, None);
        assert_eq!(parse_facts("Darwin\n24.1\n\u{1e}\u{1e}").os, "Darwin 24.1");
        assert_eq!((parse_facts("").os.as_str(), parse_facts("").platform.is_empty()), ("", false));
    }

    proptest::proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn environment_facts_any_output_is_safe(text in "[\\x1e\n a-z?0-9é]{0,80}") {
            let facts = parse_facts(&text);
            proptest::prop_assert!(!facts.platform.is_empty());
        }
    }

    fn git(folder: &std::path::Path, args: &[&str]) {
        let mut command = std::process::Command::new("git");
        command.args(args).current_dir(folder).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", folder);
        let who = [("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a"), ("GIT_COMMITTER_NAME", "a")];
        command.envs(who).env("GIT_COMMITTER_EMAIL", "a");
        assert!(command.output().unwrap().status.success(), "{args:?}");
    }

    #[tokio::test]
    async fn environment_facts_of_repository_run_no_programs() {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), &["init", "-q", "-b", "trunk"]);
        std::fs::write(dir.path().join("a"), "1").unwrap();
        git(dir.path(), &["add", "a"]);
        git(dir.path(), &["commit", "-q", "-m", "first of all"]);
        std::fs::write(dir.path().join("a"), "22").unwrap();
        std::fs::write(dir.path().join("b"), "1").unwrap();
        let trap = format!("touch {}", dir.path().join("sprung").display());
        git(dir.path(), &["config", "core.fsmonitor", &trap]);
        let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let env = Arc::new(LocalEnvironment::new(dir.path().to_path_buf(), vars));
        let facts = gather(env, SystemClock::shared()).await;
        let git = facts.git.unwrap();
        assert_eq!((git.branch.as_str(), git.changed), ("trunk", Some((1, 1))));
        assert!(git.commits[0].ends_with(" first of all"), "{:?}", git.commits);
        assert!(!facts.os.is_empty() && facts.date.len() == 10, "{:?}", facts.date);
        assert!(!dir.path().join("sprung").exists());
    }

    /// An archive brings settings along, and files that are all newer than its index.
    #[tokio::test]
    async fn environment_facts_run_no_git_filters() {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path(), &["init", "-q", "-b", "trunk"]);
        std::fs::write(dir.path().join(".gitattributes"), "* filter=x\n").unwrap();
        std::fs::write(dir.path().join("a"), "1").unwrap();
        git(dir.path(), &["add", "."]);
        git(dir.path(), &["commit", "-q", "-m", "first of all"]);
        let sprung = dir.path().join("sprung");
        let trap = format!("touch '{}'; cat", sprung.display());
        git(dir.path(), &["config", "filter.x.clean", &trap]);
        let file = std::fs::File::options().write(true).open(dir.path().join("a")).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
        let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let env = Arc::new(LocalEnvironment::new(dir.path().to_path_buf(), vars));
        let facts = gather(env, SystemClock::shared()).await;
        assert!(!sprung.exists());
        assert_eq!(facts.git, Some(Git { branch: "trunk".to_string(), changed: None, commits: Vec::new() }));
        git(dir.path(), &["--no-optional-locks", "-c", "core.fsmonitor=false", "status"]);
        assert!(sprung.exists(), "the trap works");
    }

    #[tokio::test]
    async fn environment_facts_without_repository() {
        let dir = tempfile::tempdir().unwrap();
        let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let env = Arc::new(LocalEnvironment::new(dir.path().to_path_buf(), vars));
        assert_eq!(gather(env, SystemClock::shared()).await.git, None);
    }
}
