//! Git calls of the program itself, and the root of a repository: git must not run anything that the
//! repository names.
//!
//! Must not know the content of a repository, nor the purpose of the output. An agent's commands are checked
//! elsewhere (`tools::command`); this is for calls that need no approval.

use std::path::{Path, PathBuf};

/// Returns the nearest ancestor folder that has a `.git`: a folder, or a file in a linked work tree.
pub fn root_of(start: &Path) -> Option<PathBuf> {
    start.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf)
}

/// Functions for a POSIX shell, to put before the caller's script.
///
/// `safe_git` runs git without locks, prompts, pager or network, and overrides every setting with a fixed
/// name whose value is a program (git-config(1)): a repository may come from anyone, and its settings are
/// files like any other.
///
/// `names_programs` succeeds if the repository's settings, not the user's own, name a program under a
/// variable key, which cannot be overridden: filters, diff and merge drivers, signature checkers, formats
/// that need signatures, hooks, and fetching of missing objects. It runs none of them. In that case
/// `safe_git` must not run commands that use filters (`status`, `diff`, `cat-file --filters`). Names of
/// settings may contain any bytes, hence the plain locale; git before 2.26 does not report the origin of a
/// setting, which counts as a match.
const FUNCTIONS: &str = r#"
safe_git() {
  GIT_TERMINAL_PROMPT=0 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none GIT_ASKPASS=true SSH_ASKPASS=true \
  command git --no-pager --no-optional-locks \
    -c core.fsmonitor=false -c core.hooksPath=/dev/null -c core.untrackedCache=false \
    -c core.alternateRefsCommand=true -c core.askPass=true -c core.editor=true -c sequence.editor=true \
    -c core.gitProxy= -c core.sshCommand=false -c core.pager=cat -c credential.helper= \
    -c diff.external= -c diff.submodule=short -c submodule.recurse=false -c log.showSignature=false \
    -c gpg.program=false -c gpg.openpgp.program=false -c gpg.x509.program=false -c gpg.ssh.program=false \
    -c gpg.ssh.defaultKeyCommand= -c uploadpack.packObjectsHook= -c web.browser=true -c help.browser=true \
    -c man.viewer=true -c protocol.allow=never -c maintenance.auto=false -c gc.auto=0 -c color.ui=false "$@"
}
names_programs() {
  names=$(command git --no-pager config --list --includes --show-scope --name-only) || return 0
  printf '%s\n' "$names" | LC_ALL=C grep -Eq '^(local|worktree)[[:space:]](filter\..*\.(clean|smudge|process)|diff\.(external|submodule)|diff\..*\.(command|textconv)|merge\..*\.driver|gpg\.(.*\.)?program|log\.showsignature|format\.pretty|pretty\..*|log\.diffmerges|hook\..*\.command|extensions\.partialclone|remote\..*\.(promisor|partialclonefilter))$'
}
"#;

/// Returns a shell script that may call `safe_git` and `names_programs`; every git call of the program itself
/// is built here.
pub fn script(body: &str) -> String {
    format!("{FUNCTIONS}{body}")
}

#[cfg(test)]
mod tests;
