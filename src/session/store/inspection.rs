//! A quick look at the folder of sessions: how many files there are, and which of the newest cannot be read.
//!
//! Must not know who asks. Reads names and a bounded number of first lines, and writes nothing, unlike
//! [`super::listing`].

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::listing::{files_below, parse_header};
use super::load::HEADER_BYTES_MAX;

/// What a quick look finds.
#[derive(Debug, Default)]
pub struct Inspection {
    /// Number of session files.
    pub files: usize,
    /// How many of them were opened: the newest by name.
    pub opened: usize,
    /// Files and folders that cannot be read or are no sessions, each with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// Looks at the sessions below `root`, and at the first lines of the newest `most` files. A missing folder has no
/// sessions.
///
/// # Errors
/// Fails if the folder itself cannot be read.
pub fn inspect(root: &Path, most: usize) -> io::Result<Inspection> {
    let mut found = Inspection::default();
    let mut files = Vec::new();
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let path = entry?.path();
        if is_session_name(&path) {
            files.push(path);
        } else if path.is_dir() || path.is_symlink() {
            add_folder(&path, &mut files, &mut found.unreadable);
        }
    }
    found.files = files.len();
    // A name begins with the time at which the session was created.
    files.sort_unstable_by(|a, b| b.file_name().cmp(&a.file_name()));
    for path in files.into_iter().take(most) {
        found.opened += 1;
        if let Err(reason) = check_header(&path) {
            found.unreadable.push((path, reason));
        }
    }
    Ok(found)
}

/// Returns the session files below `root` that are not among the known ones, each with the reason why it cannot be read.
pub fn unreadable(root: &Path, known: &BTreeSet<&Path>) -> Vec<(PathBuf, String)> {
    let others = files_below(root).into_iter().filter(|path| !known.contains(path.as_path()));
    others
        .map(|path| {
            let reason = check_header(&path).err();
            (path, reason.unwrap_or_else(|| "it could not be read".to_string()))
        })
        .collect()
}

fn add_folder(folder: &Path, files: &mut Vec<PathBuf>, unreadable: &mut Vec<(PathBuf, String)>) {
    let read = fs::read_dir(folder).and_then(|entries| {
        for entry in entries {
            let path = entry?.path();
            if is_session_name(&path) {
                files.push(path);
            }
        }
        Ok(())
    });
    if let Err(error) = read {
        unreadable.push((folder.to_path_buf(), error.to_string()));
    }
}

fn is_session_name(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "jsonl")
}

fn check_header(path: &Path) -> Result<(), String> {
    let to_text = |error: io::Error| error.to_string();
    // Opening a pipe would block until a process writes to it.
    if !fs::metadata(path).map_err(to_text)?.is_file() {
        return Err("it is not a file".to_string());
    }
    let mut line = String::new();
    let file = File::open(path).map_err(to_text)?;
    BufReader::new(file.take(HEADER_BYTES_MAX)).read_line(&mut line).map_err(to_text)?;
    parse_header(&line)
        .map(drop)
        .ok_or_else(|| "it does not begin with a session of a known version".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::format::header::Header;
    use std::os::unix::fs::symlink;

    #[test]
    fn inspection_counts_sessions_and_names_unreadable_ones() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("--w--");
        fs::create_dir(&folder).unwrap();
        let header = Header::new("id".into(), 0, "/w".into());
        for name in ["1.jsonl", "2.jsonl", "3.jsonl"] {
            fs::write(folder.join(name), format!("{}\n", header.line)).unwrap();
        }
        fs::write(folder.join("4.jsonl"), "# no session\n").unwrap();
        fs::write(folder.join("notes.txt"), "").unwrap();
        symlink(root.path().join("loop"), root.path().join("loop")).unwrap();
        let found = inspect(root.path(), 10).unwrap();
        assert_eq!((found.files, found.opened), (4, 4));
        let names: Vec<_> = found.unreadable.iter().map(|(path, _)| path.file_name().unwrap()).collect();
        assert_eq!(names, ["loop", "4.jsonl"], "{found:?}");
        // The newest are opened first, and only so many.
        let found = inspect(root.path(), 1).unwrap();
        assert_eq!((found.files, found.opened, found.unreadable.len()), (4, 1, 2));
    }

    #[test]
    fn inspection_of_missing_folder_is_empty_and_of_file_fails() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(inspect(&root.path().join("none"), 1).unwrap().files, 0);
        fs::write(root.path().join("file"), "").unwrap();
        assert!(inspect(&root.path().join("file"), 1).is_err());
    }
}
