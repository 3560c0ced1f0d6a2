//! What is known about files of an environment, as plain data.
//!
//! Must not know environments.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use crate::base::names;

/// Identifies the state of a file at one moment, so that a write can be refused when another process
/// else has changed the file since. Opaque; equal stamps mean equal content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp(pub String);

impl Stamp {
    /// The stamp of a content. Length and a 64-bit hash with fixed keys: it finds accidents,
    /// and nothing is gained by forging one.
    pub fn of(bytes: &[u8]) -> Self {
        let mut stamping = StampHasher::default();
        stamping.feed(bytes);
        stamping.stamp()
    }

    /// The stamp of a file that does not exist: a write with it only ever makes a new file.
    pub fn missing() -> Self {
        Self("missing".to_string())
    }
}

/// The stamp of a content that comes in pieces.
#[derive(Debug, Default)]
pub struct StampHasher {
    hasher: DefaultHasher,
    length: u64,
}

impl StampHasher {
    /// Takes in the next piece, of any length.
    pub fn feed(&mut self, piece: &[u8]) {
        self.hasher.write(piece);
        self.length += piece.len() as u64;
    }

    /// The stamp of all of them.
    pub fn stamp(&self) -> Stamp {
        Stamp(format!("{:x}-{:016x}", self.length, self.hasher.finish()))
    }
}

/// A file's bytes and the state in which they were read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileData {
    /// The content.
    pub bytes: Vec<u8>,
    /// For a later [`write`](super::Environment::write).
    pub stamp: Stamp,
}

/// What stands at a path.
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
    /// What it is.
    pub kind: FileKind,
    /// In bytes.
    pub size: u64,
    /// Another one after every write that the system's dates show; `None` while the last write
    /// is so fresh that a further one could have the same date.
    pub version: Option<u64>,
    /// Last change of the content, in milliseconds since the epoch, where the environment knows.
    pub modified: Option<u64>,
}

/// Which file it is, whatever name it is reached by: hard links have equal ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// The file system.
    pub device: u64,
    /// The file in it.
    pub inode: u64,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    /// Its name, as [`names`] has it where it is no UTF-8.
    pub name: String,
    /// Its type, with links followed.
    pub kind: FileKind,
}

impl DirEntry {
    /// Its path in the folder that holds it.
    #[doc(hidden)]
    pub fn path_in(&self, folder: &Path) -> PathBuf {
        folder.join(names::parse(&self.name))
    }
}
