//! Reads files and folders of this machine. Blocking: call it on a blocking thread.
//!
//! Must not know commands.

use crate::base::names;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::base::paths;
use crate::exec::error::EnvError;
use crate::exec::file_info::{DirEntry, FileData, FileId, FileKind, FileStat, Stamp, StampHasher};

/// Maximum number of symbolic links followed in a row, as on Linux.
const LINKS_MAX: usize = 40;

/// The error of an operation on a path, by kind.
pub(in crate::exec) fn error_at(path: &Path, source: io::Error) -> EnvError {
    let path = path.to_path_buf();
    match source.kind() {
        io::ErrorKind::NotFound => EnvError::NotFound(path),
        io::ErrorKind::IsADirectory => EnvError::IsFolder(path),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => EnvError::Denied(path),
        _ => EnvError::Io { path, source },
    }
}

/// Returns what is at a path, with symbolic links followed.
pub(in crate::exec) fn stat(path: &Path) -> Result<FileStat, EnvError> {
    let facts = fs::metadata(path).map_err(|source| error_at(path, source))?;
    let kind = if facts.is_file() {
        FileKind::File
    } else if facts.is_dir() {
        FileKind::Folder
    } else {
        FileKind::Other
    };
    Ok(FileStat { kind, size: facts.len(), version: version(&facts), modified: modified(&facts) })
}

/// Milliseconds since the epoch.
pub(in crate::exec) fn modified(facts: &fs::Metadata) -> Option<u64> {
    let date = facts.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(date.as_millis() as u64)
}

/// Minimum age of a change before the file's timestamps are trusted: some file systems count in seconds.
const SETTLED: Duration = Duration::from_secs(2);

/// Returns a number that identifies the state of a file, from its metadata.
fn version(facts: &fs::Metadata) -> Option<u64> {
    let changed = Duration::new(u64::try_from(facts.ctime()).ok()?, u32::try_from(facts.ctime_nsec()).ok()?);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let mut hasher = DefaultHasher::new();
    let dates = [facts.mtime(), facts.mtime_nsec(), facts.ctime(), facts.ctime_nsec()];
    (facts.dev(), facts.ino(), facts.len(), dates).hash(&mut hasher);
    (now.checked_sub(changed)? > SETTLED).then(|| hasher.finish())
}

/// Returns the id of a file that has several names.
pub(in crate::exec) fn hard_link(path: &Path) -> Result<Option<FileId>, EnvError> {
    let found = fs::metadata(path).map_err(|source| error_at(path, source))?;
    let several = found.is_file() && found.nlink() > 1;
    Ok(several.then(|| FileId { device: found.dev(), inode: found.ino() }))
}

/// Returns the content of a folder. An entry that vanishes meanwhile is skipped.
pub(in crate::exec) fn list(path: &Path) -> Result<Vec<DirEntry>, EnvError> {
    let entries = fs::read_dir(path).map_err(|source| error_at(path, source))?;
    let entry = |entry: fs::DirEntry| {
        let name = names::display_name(&entry.file_name()).into_owned();
        // A link that leads nowhere is still an entry.
        let kind = stat(&entry.path()).map_or(FileKind::Other, |facts| facts.kind);
        DirEntry { name, kind }
    };
    entries.map(|e| e.map(entry).map_err(|source| error_at(path, source))).collect()
}

/// Reads a regular file. Pipes and devices are refused: reading them may never end.
pub(in crate::exec) fn read(path: &Path) -> Result<FileData, EnvError> {
    check_is_file(path)?;
    let bytes = fs::read(path).map_err(|source| error_at(path, source))?;
    let stamp = Stamp::of(&bytes);
    Ok(FileData { bytes, stamp })
}

pub(in crate::exec) fn check_is_file(path: &Path) -> Result<(), EnvError> {
    match stat(path)?.kind {
        FileKind::File => Ok(()),
        FileKind::Folder => Err(EnvError::IsFolder(path.to_path_buf())),
        FileKind::Other => Err(error_at(path, io::Error::other("not a regular file"))),
    }
}

/// Returns a path with all symbolic links resolved, even if its end does not exist yet.
pub(in crate::exec) fn real_path(path: &Path) -> Result<PathBuf, EnvError> {
    follow(path, LINKS_MAX)
}

fn follow(path: &Path, links_left: usize) -> Result<PathBuf, EnvError> {
    match fs::canonicalize(path) {
        Ok(real) => return Ok(real),
        Err(source) if source.kind() != io::ErrorKind::NotFound => return Err(error_at(path, source)),
        Err(_) => {}
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(path.to_path_buf());
    };
    let parent = follow(parent, links_left)?;
    let Ok(target) = fs::read_link(parent.join(name)) else { return Ok(parent.join(name)) };
    // A dangling link: the file is to be created at its target.
    if links_left == 0 {
        return Err(error_at(path, io::Error::other("too many symbolic links")));
    }
    follow(&paths::absolute(&parent, &target), links_left - 1)
}

/// Bytes of the first chunk: enough for a first screen, and read quickly.
const FIRST_PIECE: usize = 64 << 10;
/// Bytes of other chunks.
const PIECE: usize = 1 << 20;

/// Reads a regular file in pieces.
pub(in crate::exec) fn read_pieces(
    path: &Path,
    sink: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<Stamp, EnvError> {
    check_is_file(path)?;
    let error = |source| error_at(path, source);
    let mut file = File::open(path).map_err(error)?;
    let mut stamping = StampHasher::default();
    let mut piece = Vec::with_capacity(PIECE);
    let mut most = FIRST_PIECE;
    loop {
        piece.clear();
        let length = (&mut file).take(most as u64).read_to_end(&mut piece).map_err(error)?;
        if length == 0 {
            return Ok(stamping.stamp());
        }
        stamping.feed(&piece);
        if !sink(&piece) {
            return Err(EnvError::Cancelled);
        }
        most = PIECE;
    }
}

/// Returns the stamp of a file, without keeping its content.
pub(in crate::exec) fn stamp(path: &Path) -> Result<Stamp, EnvError> {
    read_pieces(path, &mut |_| true)
}
