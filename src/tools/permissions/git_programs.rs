//! Detects whether a read-only git command would run programs that the repository names.
//!
//! Must not know modes or rules. A repository has another author, and its settings are files like any other:
//! unless it is known to be safe, approval is requested.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::exec::{CommandSpec, Environment, Exit};
use crate::tools::command;
use crate::workspace::git;

/// Timeout of the check.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Output of the script for a safe repository.
const QUIET: &str = "quiet";
/// The reason for requesting approval.
const REASON: &str = "git in a repository that may name programs to run";

/// Prints `quiet` if no program of the repository would run: there is none, or its git folder is one for
/// which edits need approval (so that it was not created unnoticed), its settings name no program, no hook
/// reads the index, and all of that holds for the submodules, which git reads, too. Names that git quotes are
/// not checked any further.
const SCRIPT: &str = r#"
exec 2>/dev/null
root=$(pwd -P) && root=${root%/} || exit
quiet() {
  place=$(command git rev-parse --absolute-git-dir) || return 0
  case "$place/" in
    "$root"/*) case "${place#"$root"}/" in */.git/*) ;; *) return 1 ;; esac ;;
    /*) ;;
    *) return 1 ;;
  esac
  names_programs && return 1
  if command git config --show-scope --get core.fsmonitor | LC_ALL=C grep -Eq '^(local|worktree)'; then
    command git config --type=bool --get core.fsmonitor >&2 || return 1
  fi
  hook=$(command git rev-parse --git-path hooks/post-index-change) && ! [ -e "$hook" ] || return 1
  top=$(command git rev-parse --show-toplevel) || return 1
  safe_git -C "$top" ls-files --stage | LC_ALL=C grep '^160000' | cut -f 2- |
    while IFS= read -r inner; do
      case $inner in '"'*) exit 1 ;; esac
      ! [ -e "$top/$inner/.git" ] || (cd "$top/$inner" && quiet) || exit 1
    done
}
quiet && printf quiet
"#;

/// Returns the objection against a read-only command line that runs git; `None` for other commands and safe
/// repositories.
pub async fn objection(env: &dyn Environment, line: &str) -> Option<&'static str> {
    let asks_git = |part: &command::SimpleCommand| part.words.first().is_some_and(|word| word.text == "git");
    if !command::parse(line).commands.iter().any(asks_git) {
        return None;
    }
    let collected: Arc<Mutex<Vec<u8>>> = Arc::default();
    let output = Arc::clone(&collected);
    let sink = Box::new(move |piece: &[u8]| {
        output.lock().extend_from_slice(piece);
    });
    let command = CommandSpec {
        script: git::script(SCRIPT),
        cwd: env.root().to_path_buf(),
        timeout: Some(TIMEOUT),
        env: BTreeMap::new(),
    };
    let ended = env.run(command, sink, CancellationToken::new()).await;
    let collected = collected.lock();
    (!matches!(ended, Ok(Exit::Code(_))) || *collected != QUIET.as_bytes()).then_some(REASON)
}

#[cfg(test)]
mod tests;
