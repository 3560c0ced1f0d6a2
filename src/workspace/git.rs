//! Where a repository begins, and how git is called by the program itself: so that git runs nothing that the
//! repository names.
//!
//! Must not know what is in a repository, nor what its texts are wanted for. Commands of an agent are judged
//! elsewhere (`tools::command`); this is for calls that nobody was asked about.

use std::path::{Path, PathBuf};

/// The nearest folder upwards that has a `.git`: a folder, or a file in a linked work tree.
pub fn root_of(start: &Path) -> Option<PathBuf> {
    start.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf)
}

/// Functions for a POSIX shell, before a script of the caller's.
///
/// `safe_git` is git that neither locks, asks, pages nor connects, with every setting overridden that names a
/// program under a fixed name (git-config(1)); a repository may come from anyone, and its settings are files
/// like any other.
///
/// `names_programs` succeeds if the settings of the repository, and not the user's own, name a program under a
/// name of their choice, which no override reaches: filters, drivers of diffs and merges, what checks signatures,
/// formats that ask for signatures, hooks, and what fetches objects that are missing. It runs none of them. Then `safe_git` must not be asked for what
/// goes through filters (`status`, `diff`, `cat-file --filters`). Names of settings have any bytes, hence the plain
/// locale; a git before 2.26 does not tell where a setting stands, which counts as yes.
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

/// A shell script that may call `safe_git` and `names_programs`; every call of git that the program makes by
/// itself is built here.
pub fn script(body: &str) -> String {
    format!("{FUNCTIONS}{body}")
}

#[cfg(test)]
mod tests;
