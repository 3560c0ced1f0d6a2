//! Instruction documents of a project for agents.
//!
//! Must not know prompts. Blocking, but bounded: a few small files.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::git;

/// Maximum bytes of all documents together.
pub const BYTES_MAX: usize = 32 * 1024;
/// Marks the place where text was truncated.
pub const CUT_MARK: &str = "[Project instructions truncated at 32KB]";

/// One document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its path.
    pub path: PathBuf,
    /// Its text, perhaps truncated.
    pub text: String,
}

/// The documents that were found, and the files that could not be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Documents {
    /// The user's own first, then from the repository's root down to the working folder: later ones take
    /// precedence.
    pub found: Vec<Document>,
    /// Files that cannot be read, and why.
    pub problems: Vec<(PathBuf, String)>,
}

/// Reads the user's own file and those with these names (`AGENTS.md` and the name that the model's family
/// uses) in every folder from the repository's root, or from `cwd` outside of one, down to `cwd`. Duplicates,
/// such as links, are skipped.
pub fn load(cwd: &Path, names: &[&str], own: Option<&Path>) -> Documents {
    let root = git::root_of(cwd).unwrap_or_else(|| cwd.to_path_buf());
    let mut folders: Vec<&Path> = cwd.ancestors().take_while(|folder| folder.starts_with(&root)).collect();
    folders.reverse();
    let mut documents = Documents::default();
    let mut left = BYTES_MAX;
    let project = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    for path in own.map(Path::to_path_buf).into_iter().chain(project) {
        match read(&path, left) {
            Ok(None) => {}
            Ok(Some((text, false))) if documents.found.iter().any(|other| other.text == text) => {}
            Ok(Some((text, cut))) => {
                left -= text.len().min(left);
                let text = if cut { format!("{text}\n{CUT_MARK}") } else { text };
                documents.found.push(Document { path, text });
                if cut {
                    return documents;
                }
            }
            Err(error) => documents.problems.push((path, error.to_string())),
        }
    }
    documents
}

/// Returns the first `left` bytes of a file and whether there are more; `None` when there is no file.
fn read(path: &Path, left: usize) -> io::Result<Option<(String, bool)>> {
    if !path.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(left as u64 + 1).read_to_end(&mut bytes)?;
    let cut = bytes.len() > left;
    if !cut {
        return Ok(Some((String::from_utf8_lossy(&bytes).into_owned(), false)));
    }
    bytes.truncate(left);
    // The limit may have split a character.
    let whole = bytes.utf8_chunks().map(|chunk| chunk.valid().len() + chunk.invalid().len()).sum::<usize>();
    let torn = bytes.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
    Ok(Some((String::from_utf8_lossy(&bytes[..whole - torn]).into_owned(), true)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn instructions_are_loaded_from_root_down() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("repo/a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir(root.path().join("repo/.git")).unwrap();
        fs::write(root.path().join("AGENTS.md"), "outside").unwrap();
        fs::write(root.path().join("repo/AGENTS.md"), "root").unwrap();
        fs::write(root.path().join("repo/CLAUDE.md"), "claude").unwrap();
        fs::write(deep.join("AGENTS.md"), "deep").unwrap();
        let texts = |names: &[&str]| -> Vec<String> {
            load(&deep, names, None).found.into_iter().map(|document| document.text).collect()
        };
        assert_eq!(texts(&["AGENTS.md"]), ["root", "deep"]);
        assert_eq!(texts(&["AGENTS.md", "CLAUDE.md"]), ["root", "claude", "deep"]);
        fs::create_dir(deep.join(".codex")).unwrap();
        fs::write(deep.join(".codex/instructions.md"), "codex").unwrap();
        assert_eq!(texts(&["AGENTS.md", ".codex/instructions.md"]), ["root", "deep", "codex"]);
        let own = root.path().join("AGENTS.md");
        let found = load(&deep, &["AGENTS.md"], Some(&own)).found;
        assert_eq!(found[0], Document { path: own, text: "outside".to_string() });
    }

    #[cfg(unix)]
    #[test]
    fn instructions_symlink_is_loaded_once() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("AGENTS.md"), "once").unwrap();
        std::os::unix::fs::symlink("AGENTS.md", root.path().join("CLAUDE.md")).unwrap();
        let found = load(root.path(), &["AGENTS.md", "CLAUDE.md"], None).found;
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn instructions_without_repository_use_only_folder() {
        let root = tempfile::tempdir().unwrap();
        let sub = root.path().join("sub");
        fs::create_dir(&sub).unwrap();
        fs::write(root.path().join("AGENTS.md"), "up").unwrap();
        assert_eq!(load(&sub, &["AGENTS.md"], None), Documents::default());
    }

    #[test]
    fn instructions_limit_applies_to_all_files() {
        let root = tempfile::tempdir().unwrap();
        let sub = root.path().join("sub");
        fs::create_dir(&sub).unwrap();
        fs::create_dir(root.path().join(".git")).unwrap();
        fs::write(root.path().join("AGENTS.md"), "a".repeat(BYTES_MAX - 3)).unwrap();
        fs::write(sub.join("AGENTS.md"), "ééé").unwrap();
        let found = load(&sub, &["AGENTS.md"], None).found;
        assert_eq!(found[0].text.len(), BYTES_MAX - 3);
        assert_eq!(found[1].text, format!("é\n{CUT_MARK}"));
        fs::write(sub.join("AGENTS.md"), "abc").unwrap();
        assert_eq!(load(&sub, &["AGENTS.md"], None).found[1].text, "abc");
    }
}
