//! Index of file metadata from the last scan, so that unchanged files are not read again.
//!
//! Must not know why files are read. A file whose timestamp is so recent that a further change might not
//! alter it is not trusted. The index can be deleted at any time.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::name::Name;
use super::object::Oid;

/// Format version; a file with another version is ignored and rewritten.
const FORMAT: u32 = 1;
/// Timestamp resolution on a system with nanosecond timestamps: its clock advances at least every ten
/// milliseconds.
const TICK_NS: i128 = 50_000_000;
/// The same for timestamps in whole seconds.
const COARSE_NS: i128 = 2_100_000_000;

/// Metadata of a file that reveals a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stat {
    size: u64,
    modified: i128,
    changed: i128,
    inode: u64,
}

impl Stat {
    /// Takes it from the system's metadata.
    pub fn of(facts: &Metadata) -> Self {
        let ns = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self {
            size: facts.size(),
            modified: ns(facts.mtime(), facts.mtime_nsec()),
            changed: ns(facts.ctime(), facts.ctime_nsec()),
            inode: facts.ino(),
        }
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether a change after `now` is sure to alter the timestamps.
    pub(super) fn is_settled(&self, now_ns: i128) -> bool {
        let latest = self.changed.max(self.modified);
        let coarse = self.changed % 1_000_000_000 == 0 && self.modified % 1_000_000_000 == 0;
        latest + if coarse { COARSE_NS } else { TICK_NS } < now_ns
    }

    /// Whether the timestamps say that it is unchanged since this time.
    pub(super) fn is_before(&self, ns: i128) -> bool {
        self.changed.max(self.modified) < ns
    }
}

/// What is known of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexEntry {
    stat: Stat,
    /// Whether a later change would alter the timestamps; otherwise the file must be read again.
    settled: bool,
    oid: [u8; 20],
}

/// All recorded paths, ignored or not: a path that was recorded once stays recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index(BTreeMap<Name, IndexEntry>);

impl Index {
    /// Reads the index; empty if it is missing or unreadable.
    pub fn read(path: &Path) -> Self {
        let read = fs::read(path).ok().and_then(|bytes| {
            let (form, rows): (u32, Vec<(Vec<u8>, IndexEntry)>) = postcard::from_bytes(&bytes).ok()?;
            let rows = rows.into_iter().map(|(name, known)| Some((Name::from_bytes(&name)?, known)));
            (form == FORMAT).then(|| rows.collect::<Option<_>>()).flatten()
        });
        Self(read.unwrap_or_default())
    }

    /// Writes the index, replacing the old one.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let rows: Vec<(&[u8], &IndexEntry)> =
            self.0.iter().map(|(name, known)| (name.bytes(), known)).collect();
        let bytes = postcard::to_allocvec(&(FORMAT, rows)).map_err(io::Error::other)?;
        let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new("/")))?;
        io::Write::write_all(&mut file, &bytes)?;
        file.persist(path).map_err(|failed| failed.error)?;
        Ok(())
    }

    /// Returns the content of a file that is unchanged since the last scan.
    pub fn unchanged_oid(&self, name: &Name, stat: &Stat) -> Option<Oid> {
        let known = self.0.get(name)?;
        (known.settled && known.stat == *stat).then_some(Oid(known.oid))
    }

    /// Whether the timestamps are those of the last recorded content. `None` if the file may still have
    /// changed, so that it must be read.
    pub fn is_as_recorded(&self, name: &Name, stat: &Stat) -> Option<bool> {
        match self.0.get(name) {
            Some(known) if known.stat == *stat => known.settled.then_some(true),
            _ => Some(false),
        }
    }

    /// Stores the metadata of a file that was read at `now`.
    pub fn put(&mut self, name: Name, stat: Stat, oid: Oid, now_ns: i128) {
        self.0.insert(name, IndexEntry { settled: stat.is_settled(now_ns), stat, oid: oid.0 });
    }

    /// Returns all paths.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.0.keys()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i128 = 1_000_000_000;

    #[test]
    fn checkpoint_index_distrusts_recent_files() {
        let stat = |changed| Stat { size: 1, modified: 0, changed, inode: 1 };
        let fine = stat(100 * SECOND + 1);
        assert!(!fine.is_settled(100 * SECOND + 2) && !fine.is_settled(fine.changed + TICK_NS));
        assert!(fine.is_settled(fine.changed + TICK_NS + 1));
        let coarse = stat(100 * SECOND);
        assert!(!coarse.is_settled(101 * SECOND) && coarse.is_settled(103 * SECOND));
        assert!(!stat(200 * SECOND + 1).is_settled(100 * SECOND), "a clock that went back");
    }

    #[test]
    fn checkpoint_index_roundtrips_or_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("index");
        let mut index = Index::default();
        let stat = Stat { size: 1, modified: 5, changed: 7, inode: 1 };
        let (a, b) = (Name::from_bytes(b"a\xff").unwrap(), Name::from_bytes(b"b").unwrap());
        index.put(a.clone(), stat, Oid([1; 20]), SECOND);
        index.put(b.clone(), stat, Oid([2; 20]), 8);
        index.write(&path).unwrap();
        let read = Index::read(&path);
        assert_eq!(read, index);
        assert_eq!(
            (read.unchanged_oid(&a, &stat), read.unchanged_oid(&b, &stat)),
            (Some(Oid([1; 20])), None)
        );
        let other = Stat { inode: 2, ..stat };
        assert_eq!(read.unchanged_oid(&a, &other), None);
        assert_eq!(
            (read.is_as_recorded(&a, &stat), read.is_as_recorded(&a, &other)),
            (Some(true), Some(false))
        );
        assert_eq!(read.is_as_recorded(&b, &stat), None, "it was too young to be believed");
        let bytes = fs::read(&path).unwrap();
        for cut in 0..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            assert_eq!(Index::read(&path), Index::default());
        }
        assert_eq!(Index::read(&folder.path().join("none")), Index::default());
    }
}
