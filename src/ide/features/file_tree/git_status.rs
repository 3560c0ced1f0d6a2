//! What git says of the workspace's files, for the letters of the tree. A task asks git when files may have changed and
//! the tree is shown. Must not know how it is drawn.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::exec::{CommandSpec, Environment, Exit};
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::slots::Slot;
use crate::workspace::git;

/// The feature's state.
pub const GIT_STATUS: Slot<GitStatus> = Slot::new();

/// Lists changed files. Where the repository defines programs that this could run, it ends with that code instead.
const SCRIPT: &str = r"
exec 2>/dev/null
names_programs && exit 3
safe_git status --porcelain -z --ignore-submodules=all
";
const NAMES_PROGRAMS: i32 = 3;
/// Why nothing is listed then.
const NOT_LISTED: &str =
    "Changed files are not listed: the repository's settings name programs that git would run";
/// Maximum bytes of the list.
const BYTES_MAX: usize = 4 << 20;
/// Time limit for git.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The letters of changed files.
#[derive(Debug, Default)]
pub struct GitStatus {
    letters: HashMap<PathBuf, char>,
    /// Folders with a changed file somewhere below.
    folders: HashSet<PathBuf>,
    is_stale: bool,
    is_running: bool,
}

impl GitStatus {
    /// Returns the letter of a file: `M` modified, `A` added, `R` renamed, `D` deleted, `U` untracked, `!` in conflict.
    /// Git names an untracked folder, not the files in it.
    pub fn letter(&self, path: &Path) -> Option<char> {
        if self.letters.is_empty() {
            return None;
        }
        let untracked = || path.ancestors().skip(1).find_map(|folder| self.letters.get(folder));
        self.letters.get(path).or_else(|| untracked().filter(|letter| **letter == 'U')).copied()
    }

    /// Returns whether a file below a folder has a letter.
    pub fn has_changes(&self, folder: &Path) -> bool {
        self.folders.contains(folder)
    }
}

/// Marks the letters as possibly outdated.
pub fn invalidate(cx: &mut Cx<'_>) {
    cx.state.slots[GIT_STATUS].is_stale = true;
}

/// Asks git if the letters may be outdated and are shown.
pub fn after_frame(cx: &mut Cx<'_>) {
    let is_shown = cx.state.areas.files.is_some();
    let status = &mut cx.state.slots[GIT_STATUS];
    if !is_shown || !status.is_stale || status.is_running {
        return;
    }
    (status.is_stale, status.is_running) = (false, true);
    let (env, folder) = (cx.env.clone(), cx.state.workspace.clone());
    // Without letters the tree says enough; the list of changed files gives the reason.
    let work = async move { read(&*env, &folder).await.unwrap_or_default() };
    cx.tasks.spawn("file_tree.git-status", work, |cx, letters| {
        let status = &mut cx.state.slots[GIT_STATUS];
        status.is_running = false;
        // If the task failed, the known letters are kept.
        let Ok(letters) = letters else { return };
        if letters != status.letters {
            let folders = letters.keys().flat_map(|path| path.ancestors().skip(1));
            status.folders = folders.map(PathBuf::from).collect();
            status.letters = letters;
            cx.state.damage.add(Part::Files);
        }
    });
}

/// Returns the letters of the files of a folder's repository; none outside of repositories. The error says why they are
/// not known.
pub async fn read(env: &dyn Environment, folder: &Path) -> Result<HashMap<PathBuf, char>, &'static str> {
    let Some(root) = git::root_of(folder) else { return Ok(HashMap::new()) };
    let bytes: Arc<Mutex<Vec<u8>>> = Arc::default();
    let (sink, cancel) = (bytes.clone(), CancellationToken::new());
    let stop = cancel.clone();
    let output = Box::new(move |piece: &[u8]| {
        let mut bytes = sink.lock();
        bytes.extend_from_slice(piece);
        if bytes.len() > BYTES_MAX {
            stop.cancel();
        }
    });
    let command = CommandSpec {
        script: git::script(SCRIPT),
        cwd: folder.to_path_buf(),
        timeout: Some(TIMEOUT),
        env: BTreeMap::default(),
    };
    match env.run(command, output, cancel).await {
        Ok(Exit::Code(0)) => {}
        Ok(Exit::Code(NAMES_PROGRAMS)) => return Err(NOT_LISTED),
        result => tracing::debug!(?result, "git status has ended early"),
    }
    let bytes = std::mem::take(&mut *bytes.lock());
    Ok(parse(&root, &String::from_utf8_lossy(&bytes)))
}

/// Parses the list: two letters, a blank and a path each, ended by NUL; the former path of a renamed file follows it.
fn parse(root: &Path, list: &str) -> HashMap<PathBuf, char> {
    let mut letters = HashMap::new();
    // What is cut off at the end has no NUL.
    let complete = list.rfind('\0').map_or("", |end| &list[..end]);
    let mut entries = complete.split('\0');
    while let Some(entry) = entries.next() {
        let Some((states, path)) = entry.split_at_checked(3) else { continue };
        let states = &states[..2];
        if states.contains(['R', 'C']) {
            entries.next();
        }
        let letter = match states {
            "??" => 'U',
            "AA" | "DD" => '!',
            _ if states.contains('U') => '!',
            _ => ['D', 'R', 'A', 'M'].into_iter().find(|letter| states.contains(*letter)).unwrap_or('M'),
        };
        if states != "!!" {
            letters.insert(root.join(path.trim_end_matches('/')), letter);
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_status_letters_are_those_of_the_list() {
        let list =
            " M a.rs\0A  b.rs\0R  c.rs\0old.rs\0?? new/\0UU d.rs\0AA e.rs\0!! target/\0 D f.rs\0 M cut";
        let letters = parse(Path::new("/w"), list);
        let letter = |path: &str| letters.get(&Path::new("/w").join(path)).copied();
        let all =
            ["a.rs", "b.rs", "c.rs", "old.rs", "new", "d.rs", "e.rs", "target", "f.rs", "cut"].map(letter);
        let none = None;
        assert_eq!(all[..5], [Some('M'), Some('A'), Some('R'), none, Some('U')]);
        assert_eq!(all[5..], [Some('!'), Some('!'), none, Some('D'), none]);
        let status = GitStatus { letters, ..GitStatus::default() };
        assert_eq!(status.letter(Path::new("/w/new/deep/file")), Some('U'), "in an untracked folder");
        assert_eq!(status.letter(Path::new("/w/g.rs")), None);
        assert_eq!(parse(Path::new("/w"), "é\0\0x\0"), HashMap::new());
    }
}
