//! The branches that the user has hidden in a session's tree, in a file beside the session.
//!
//! They are not in the session itself: pi's format has no entry for that, and an entry of ours would move the end of
//! the conversation. Must not know how a tree is displayed. Without the file every branch is shown.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Extension of the file, in place of that of the session.
pub(super) const EXTENSION: &str = "jsonl.hidden";
/// Maximum size of a file that is read: some ten thousand branches.
const BYTES_MAX: u64 = 1 << 20;

fn path_of(session: &Path) -> PathBuf {
    session.with_extension(EXTENSION)
}

/// Returns the first entries of the hidden branches of a session. A file that cannot be read, or is damaged, hides none.
pub fn read(session: &Path) -> BTreeSet<String> {
    let path = path_of(session);
    let read = || -> io::Result<BTreeSet<String>> {
        // Only a file: a pipe of that name would wait for a writer.
        if !fs::metadata(&path)?.is_file() {
            return Err(io::Error::other("not a file"));
        }
        let mut bytes = Vec::new();
        fs::File::open(&path)?.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > BYTES_MAX {
            return Err(io::Error::other("too long"));
        }
        serde_json::from_slice(&bytes).map_err(io::Error::other)
    };
    read().unwrap_or_else(|error| {
        if error.kind() != io::ErrorKind::NotFound {
            tracing::warn!(path = %path.display(), %error, "hidden branches cannot be read; all are shown");
        }
        BTreeSet::new()
    })
}

/// Hides the branch that begins with an entry, or shows it again; returns the hidden ones.
pub fn set(session: &Path, entry: &str, is_hidden: bool) -> io::Result<BTreeSet<String>> {
    let mut hidden = read(session);
    if is_hidden {
        hidden.insert(entry.to_string());
    } else {
        hidden.remove(entry);
    }
    write(session, &hidden)?;
    Ok(hidden)
}

/// Hides in a copy of a session what is hidden in the session and is in the copy. A copy without them is as good.
pub fn carry_over(session: &Path, copy: &Path, is_copied: impl Fn(&str) -> bool) {
    let mut hidden = read(session);
    hidden.retain(|entry| is_copied(entry));
    if let Err(error) = write(copy, &hidden) {
        tracing::warn!(path = %copy.display(), %error, "the hidden branches are shown in the copy");
    }
}

fn write(session: &Path, hidden: &BTreeSet<String>) -> io::Result<()> {
    let path = path_of(session);
    if hidden.is_empty() {
        return match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
    }
    let bytes = serde_json::to_vec(hidden).map_err(io::Error::other)?;
    if bytes.len() as u64 > BYTES_MAX {
        return Err(io::Error::other("too many hidden branches"));
    }
    let mut new = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    new.write_all(&bytes)?;
    new.as_file().sync_all()?;
    new.persist(path).map_err(io::Error::from)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_branches_are_kept_beside_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("1_a.jsonl");
        assert!(read(&session).is_empty());
        set(&session, "b", true).unwrap();
        assert_eq!(set(&session, "a", true).unwrap(), BTreeSet::from(["a".into(), "b".into()]));
        assert_eq!(read(&session), BTreeSet::from(["a".into(), "b".into()]));
        assert!(!session.exists(), "nothing of it is in the session");
        set(&session, "a", false).unwrap();
        set(&session, "b", false).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "no file without hidden branches");
        set(&session, "b", false).unwrap();
    }

    #[test]
    fn hidden_branches_are_carried_over_to_a_copy_that_has_them() {
        let folder = tempfile::tempdir().unwrap();
        let [session, copy] = ["1_a.jsonl", "2_b.jsonl"].map(|name| folder.path().join(name));
        carry_over(&session, &copy, |_| true);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "none are hidden");
        set(&session, "a", true).unwrap();
        set(&session, "b", true).unwrap();
        carry_over(&session, &copy, |entry| entry == "b");
        assert_eq!(read(&copy), BTreeSet::from(["b".into()]));
        assert_eq!(read(&session).len(), 2);
    }

    #[test]
    fn hidden_branches_are_none_where_the_name_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("1_a.jsonl");
        fs::create_dir(path_of(&session)).unwrap();
        assert!(read(&session).is_empty());
        assert!(set(&session, "a", true).is_err());
        let pipe = folder.path().join("2_b.jsonl");
        rustix::fs::mkfifoat(rustix::fs::CWD, path_of(&pipe), rustix::fs::Mode::RWXU).unwrap();
        assert!(read(&pipe).is_empty(), "nobody writes into it");
    }

    #[test]
    fn hidden_branches_of_a_damaged_file_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("1_a.jsonl");
        let long = vec![b' '; (BYTES_MAX + 1) as usize];
        for content in [&b"{"[..], b"[1]", b"", &long] {
            fs::write(path_of(&session), content).unwrap();
            assert!(read(&session).is_empty());
        }
        assert_eq!(set(&session, "a", true).unwrap().len(), 1);
    }
}
