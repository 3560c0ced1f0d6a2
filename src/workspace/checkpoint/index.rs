//! What is known of the files of a workspace from the last look at them, so that one that has not changed since
//! is not read again.
//!
//! Must not know why files are looked at. A file whose date is so young that a further change could give it the
//! same one is not believed. It can be removed at any time.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::name::Name;
use super::object::Oid;

/// Which form the file has. Another number makes it unreadable, and so made anew.
const FORM: u32 = 1;
/// Two changes within this have different dates on a system that counts nanoseconds: its clock moves every
/// ten milliseconds at least.
const TICK_NS: i128 = 50_000_000;
/// The same where dates are whole seconds.
const COARSE_NS: i128 = 2_100_000_000;

/// What the system says of a file, by which a change shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stat {
    size: u64,
    modified: i128,
    changed: i128,
    inode: u64,
}

impl Stat {
    /// From what the system says.
    pub fn of(facts: &Metadata) -> Self {
        let ns = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self {
            size: facts.size(),
            modified: ns(facts.mtime(), facts.mtime_nsec()),
            changed: ns(facts.ctime(), facts.ctime_nsec()),
            inode: facts.ino(),
        }
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether a change after `now` is sure to show.
    pub(super) fn is_settled(&self, now_ns: i128) -> bool {
        let latest = self.changed.max(self.modified);
        let coarse = self.changed % 1_000_000_000 == 0 && self.modified % 1_000_000_000 == 0;
        latest + if coarse { COARSE_NS } else { TICK_NS } < now_ns
    }

    /// Whether it was the same before this moment, for all that its dates say.
    pub(super) fn is_before(&self, ns: i128) -> bool {
        self.changed.max(self.modified) < ns
    }
}

/// What is known of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    stat: Stat,
    /// Whether a change since would show in its dates; if not it has to be read again.
    settled: bool,
    oid: [u8; 20],
}

/// Every path that is recorded, ignored or not: what is recorded once goes on being recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index(BTreeMap<Name, Known>);

impl Index {
    /// What was written; nothing where that is missing or unreadable.
    pub fn read(path: &Path) -> Self {
        let read = fs::read(path).ok().and_then(|bytes| {
            let (form, rows): (u32, Vec<(Vec<u8>, Known)>) = postcard::from_bytes(&bytes).ok()?;
            let rows = rows.into_iter().map(|(name, known)| Some((Name::from_bytes(&name)?, known)));
            (form == FORM).then(|| rows.collect::<Option<_>>()).flatten()
        });
        Self(read.unwrap_or_default())
    }

    /// Writes it in the place of the one before.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let rows: Vec<(&[u8], &Known)> = self.0.iter().map(|(name, known)| (name.bytes(), known)).collect();
        let bytes = postcard::to_allocvec(&(FORM, rows)).map_err(io::Error::other)?;
        let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new("/")))?;
        io::Write::write_all(&mut file, &bytes)?;
        file.persist(path).map_err(|failed| failed.error)?;
        Ok(())
    }

    /// The content of a file that is as it was when it was looked at last.
    pub fn unchanged(&self, name: &Name, stat: &Stat) -> Option<Oid> {
        let known = self.0.get(name)?;
        (known.settled && known.stat == *stat).then_some(Oid(known.oid))
    }

    /// Whether what is there has the dates of what was recorded last. `None` where it may have been changed since
    /// all the same, so that one has to read it.
    pub fn is_as_recorded(&self, name: &Name, stat: &Stat) -> Option<bool> {
        match self.0.get(name) {
            Some(known) if known.stat == *stat => known.settled.then_some(true),
            _ => Some(false),
        }
    }

    /// A file was looked at, at `now`.
    pub fn put(&mut self, name: Name, stat: Stat, oid: Oid, now_ns: i128) {
        self.0.insert(name, Known { settled: stat.is_settled(now_ns), stat, oid: oid.0 });
    }

    /// Every path.
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
        assert_eq!((read.unchanged(&a, &stat), read.unchanged(&b, &stat)), (Some(Oid([1; 20])), None));
        let other = Stat { inode: 2, ..stat };
        assert_eq!(read.unchanged(&a, &other), None);
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
