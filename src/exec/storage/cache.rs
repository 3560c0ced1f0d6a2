//! A folder of private cache files: written atomically, and the oldest deleted when there are too many.
//! Blocking.
//!
//! Must not know their content.

use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The files of one folder.
#[derive(Debug)]
pub struct CacheFolder {
    folder: PathBuf,
}

/// A file of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Its modification time.
    pub modified: SystemTime,
}

/// Limits of a folder.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Of all files together.
    pub bytes: u64,
    /// Maximum age of a file.
    pub age: Duration,
}

impl CacheFolder {
    /// Creates a cache in a folder, which is created on first write.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Writes a file, replacing the one with that name. The name must not be a path.
    pub fn put(&self, name: &str, content: &[u8]) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        // Private from the start, as temporary files are.
        let mut new = tempfile::Builder::new().prefix(PART).tempfile_in(&self.folder)?;
        new.write_all(content)?;
        new.persist(self.folder.join(name)).map_err(|error| error.error)?;
        Ok(())
    }

    /// Returns the file with a name, unless it is missing, or longer than `most` bytes.
    pub fn get(&self, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        match self.get_or_fail(name, most) {
            Err(error)
                if matches!(error.kind(), io::ErrorKind::FileTooLarge | io::ErrorKind::InvalidInput) =>
            {
                Ok(None)
            }
            other => other,
        }
    }

    /// Does the same, but fails on a file that is too long or not a regular one.
    pub fn get_or_fail(&self, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        let path = self.folder.join(name);
        match fs::metadata(&path) {
            Ok(facts) if !facts.is_file() => Err(io::ErrorKind::InvalidInput.into()),
            Ok(facts) if facts.len() > most => Err(io::ErrorKind::FileTooLarge.into()),
            Ok(_) => fs::read(&path).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes a file; one that is already gone is no error.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        ignore_not_found(fs::remove_file(self.folder.join(name)))
    }

    /// Returns the files, oldest first. Names that are not UTF-8 are skipped.
    pub fn list(&self) -> io::Result<Vec<Item>> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut items = Vec::new();
        for entry in entries {
            let entry = entry?;
            // Another process may be deleting it as well.
            let Ok(facts) = entry.metadata() else { continue };
            if let Some(name) = entry.file_name().to_str().filter(|_| facts.is_file()) {
                items.push(Item { name: name.into(), bytes: facts.len(), modified: facts.modified()? });
            }
        }
        items.sort_by(|a, b| (a.modified, &a.name).cmp(&(b.modified, &b.name)));
        Ok(items)
    }

    /// Cleans every subfolder of a folder, and removes those that are then empty.
    pub fn clean_folders(folder: &Path, limits: Limits) -> io::Result<()> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                continue;
            }
            Self::new(entry.path()).clean(limits)?;
            match fs::remove_dir(entry.path()) {
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
                removed => ignore_not_found(removed)?,
            }
        }
        Ok(())
    }

    /// Deletes expired files, then the oldest until the rest is within the limits.
    pub fn clean(&self, limits: Limits) -> io::Result<()> {
        let files = self.list()?;
        let now = SystemTime::now();
        let mut bytes: u64 = files.iter().map(|item| item.bytes).sum();
        for item in files {
            let age = now.duration_since(item.modified).unwrap_or_default();
            let is_torn = item.name.starts_with(PART) && age > PART_AGE;
            if is_torn || age > limits.age || bytes > limits.bytes {
                self.remove(&item.name)?;
                bytes -= item.bytes;
            }
        }
        Ok(())
    }
}

/// Whether a file exists at a path, with links followed. For the few checks before the first frame.
pub fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|facts| facts.is_file())
}

/// Name prefix of files that are being written.
const PART: &str = ".part-";
/// Maximum duration of a write.
const PART_AGE: Duration = Duration::from_mins(10);

fn ignore_not_found(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, FileTimes};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn cache_folder_put_get_remove_are_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = CacheFolder::new(folder.path().join("a/b"));
        assert_eq!(shelf.get("x", 10).unwrap(), None);
        shelf.remove("x").unwrap();
        shelf.put("x", b"one").unwrap();
        shelf.put("x", b"two").unwrap();
        assert_eq!(shelf.get("x", 3).unwrap(), Some(b"two".to_vec()));
        assert_eq!(shelf.get("x", 2).unwrap(), None, "longer than anybody wants");
        let mode = |path: &str| fs::metadata(folder.path().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("a/b"), mode("a/b/x")), (0o700, 0o600));
        shelf.remove("x").unwrap();
        assert_eq!(shelf.get("x", 10).unwrap(), None);
    }

    #[test]
    fn cache_folder_clean_removes_oldest_first() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = CacheFolder::new(folder.path().into());
        let day = Duration::from_hours(24);
        for (name, days) in [("old", 100), ("b", 3), ("c", 2), ("d", 1), (".part-x", 1)] {
            shelf.put(name, &[0; 10]).unwrap();
            let file = File::options().write(true).open(folder.path().join(name)).unwrap();
            file.set_times(FileTimes::new().set_modified(SystemTime::now() - day * days)).unwrap();
        }
        let limits = Limits { bytes: 35, age: day * 90 };
        shelf.clean(limits).unwrap();
        let left = |name: &str| shelf.get(name, 99).unwrap().is_some();
        assert_eq!(["old", "b", "c", "d", ".part-x"].map(left), [false, false, true, true, false]);
        shelf.clean(limits).unwrap();
        assert_eq!(["c", "d"].map(left), [true, true]);
        CacheFolder::new(folder.path().join("none")).clean(limits).unwrap();
    }

    #[test]
    fn cache_folder_clean_removes_empty_folders() {
        let folder = tempfile::tempdir().unwrap();
        let day = Duration::from_hours(24);
        for (name, days) in [("old/a", 100), ("new/a", 100), ("new/b", 1)] {
            let (sub, name) = name.split_once('/').unwrap();
            CacheFolder::new(folder.path().join(sub)).put(name, b"x").unwrap();
            let file = File::options().write(true).open(folder.path().join(sub).join(name)).unwrap();
            file.set_times(FileTimes::new().set_modified(SystemTime::now() - day * days)).unwrap();
        }
        let limits = Limits { bytes: 99, age: day * 30 };
        CacheFolder::clean_folders(folder.path(), limits).unwrap();
        assert!(!folder.path().join("old").exists());
        let left = CacheFolder::new(folder.path().join("new")).list().unwrap();
        assert_eq!(left.iter().map(|item| (item.name.as_str(), item.bytes)).collect::<Vec<_>>(), [("b", 1)]);
        CacheFolder::clean_folders(&folder.path().join("none"), limits).unwrap();
    }
}
