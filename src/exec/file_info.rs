//! File metadata of an environment, as plain data.
//!
//! Must not know environments.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use crate::base::names;

/// Identifies the content of a file at one moment, so that a write can be refused when another process has
/// changed the file since. Opaque; equal stamps mean equal content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp(pub String);

impl Stamp {
    /// Returns the stamp of a content. Length and a 64-bit hash with fixed keys: it detects accidental
    /// changes, and there is no gain in forging one.
    pub fn of(bytes: &[u8]) -> Self {
        let mut stamping = StampHasher::default();
        stamping.feed(bytes);
        stamping.stamp()
    }

    /// Returns the stamp of a missing file: a write with it can only create the file.
    pub fn missing() -> Self {
        Self("missing".to_string())
    }
}

/// Computes the stamp of a content in chunks.
#[derive(Debug, Default)]
pub struct StampHasher {
    hasher: DefaultHasher,
    length: u64,
}

impl StampHasher {
    /// Adds a chunk of any length.
    pub fn feed(&mut self, piece: &[u8]) {
        self.hasher.write(piece);
        self.length += piece.len() as u64;
    }

    /// Returns the stamp.
    pub fn stamp(&self) -> Stamp {
        Stamp(format!("{:x}-{:016x}", self.length, self.hasher.finish()))
    }
}

/// A file's bytes and their stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileData {
    /// The content.
    pub bytes: Vec<u8>,
    /// For a later [`write`](super::Environment::write).
    pub stamp: Stamp,
}

/// Type of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A socket, pipe or device.
    Other,
}

/// The facts about a path, symbolic links followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStat {
    /// Its type.
    pub kind: FileKind,
    /// In bytes.
    pub size: u64,
    /// A number that changes with every write visible in the timestamps; `None` while the last write is so
    /// recent that another one could have the same timestamp.
    pub version: Option<u64>,
    /// Last modification, in milliseconds since the epoch, if known.
    pub modified: Option<u64>,
}

/// Identity of a file, independent of its name: hard links have equal ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The file system.
    pub device: u64,
    /// The inode.
    pub inode: u64,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    /// Its name, as [`names`] escapes it if it is not UTF-8.
    pub name: String,
    /// Its type, with links followed.
    pub kind: FileKind,
}

impl DirEntry {
    /// Returns its path in the given folder.
    #[doc(hidden)]
    pub fn path_in(&self, folder: &Path) -> PathBuf {
        folder.join(names::parse(&self.name))
    }
}
