//! Reading and atomically replacing files of this machine. Blocking; callers bring a thread.
//!
//! Must not know commands, nor why a file is written.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, Gid, Uid};

use super::environment::{EnvError, FileData, FileKind, FileStat, Stamp};
use crate::base::paths;

/// Symbolic links that are followed one after the other before we call it a circle, as Linux does.
const LINKS_MAX: usize = 40;

/// The error of an operation on a path, by kind.
pub(super) fn error_at(path: &Path, source: io::Error) -> EnvError {
    let path = path.to_path_buf();
    match source.kind() {
        io::ErrorKind::NotFound => EnvError::NotFound(path),
        io::ErrorKind::IsADirectory => EnvError::IsFolder(path),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => EnvError::Denied(path),
        _ => EnvError::Io { path, source },
    }
}

/// What stands at a path, symbolic links followed.
pub(super) fn stat(path: &Path) -> Result<FileStat, EnvError> {
    let facts = fs::metadata(path).map_err(|source| error_at(path, source))?;
    let kind = if facts.is_file() {
        FileKind::File
    } else if facts.is_dir() {
        FileKind::Folder
    } else {
        FileKind::Other
    };
    Ok(FileStat { kind, size: facts.len() })
}

/// Reads a regular file. Pipes and devices are refused: reading them may never end.
pub(super) fn read(path: &Path) -> Result<FileData, EnvError> {
    must_be_file(path)?;
    let bytes = fs::read(path).map_err(|source| error_at(path, source))?;
    let stamp = Stamp::of(&bytes);
    Ok(FileData { bytes, stamp })
}

fn must_be_file(path: &Path) -> Result<(), EnvError> {
    match stat(path)?.kind {
        FileKind::File => Ok(()),
        FileKind::Folder => Err(EnvError::IsFolder(path.to_path_buf())),
        FileKind::Other => Err(error_at(path, io::Error::other("not a regular file"))),
    }
}

/// Where a path leads with all symbolic links followed, also when its end does not exist yet.
pub(super) fn real_path(path: &Path) -> Result<PathBuf, EnvError> {
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
    // A link to something that does not exist yet: the file is to be made there.
    if links_left == 0 {
        return Err(error_at(path, io::Error::other("too many symbolic links")));
    }
    follow(&paths::absolute(&parent, &target), links_left - 1)
}

/// Replaces the file at a real path (see [`real_path`]) in one step: a temporary file beside
/// it, synced, takes its name, its mode and, where we may, its owner.
pub(super) fn replace(path: &Path, bytes: &[u8], expected: Option<&Stamp>) -> Result<Stamp, EnvError> {
    let before = existing(path)?;
    if let Some(expected) = expected {
        check_stamp(path, before.is_some(), expected)?;
    }
    let error = |source| error_at(path, source);
    let folder = path.parent().unwrap_or(Path::new("/"));
    if before.is_none() {
        fs::create_dir_all(folder).map_err(|source| error_at(folder, source))?;
    }
    let mode = before.as_ref().map_or(0o666, |facts| facts.mode() & 0o7777);
    let mut temporary = tempfile::Builder::new()
        .prefix(".bowline-")
        .permissions(Permissions::from_mode(if before.is_some() { 0o600 } else { mode }))
        .tempfile_in(folder)
        .map_err(error)?;
    temporary.write_all(bytes).map_err(error)?;
    if let Some(facts) = &before {
        keep_owner(temporary.as_file(), facts);
        temporary.as_file().set_permissions(Permissions::from_mode(mode)).map_err(error)?;
    }
    temporary.as_file().sync_all().map_err(error)?;
    temporary.persist(path).map_err(|failed| error(failed.error))?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(error)?;
    Ok(Stamp::of(bytes))
}

/// The facts of the file that will be replaced; `None` when there is none.
fn existing(path: &Path) -> Result<Option<fs::Metadata>, EnvError> {
    let facts = match fs::metadata(path) {
        Ok(facts) => facts,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error_at(path, error)),
    };
    must_be_file(path)?;
    // Renaming over a file needs no right on the file itself; who made it read-only meant it.
    // The mode is asked too, because the system lets root write everything.
    if facts.permissions().readonly() || rustix::fs::access(path, Access::WRITE_OK).is_err() {
        return Err(EnvError::Denied(path.to_path_buf()));
    }
    Ok(Some(facts))
}

fn check_stamp(path: &Path, exists: bool, expected: &Stamp) -> Result<(), EnvError> {
    let same = if exists { read(path)?.stamp == *expected } else { *expected == Stamp::missing() };
    if same { Ok(()) } else { Err(EnvError::Stale(path.to_path_buf())) }
}

/// Gives the new file the owner of the old one. Only root may give files away and only members
/// may change a group, so failing here is normal and costs nothing but the group.
fn keep_owner(file: &File, facts: &fs::Metadata) {
    let same = file.metadata().is_ok_and(|new| (new.uid(), new.gid()) == (facts.uid(), facts.gid()));
    if same {
        return;
    }
    let (owner, group) = (Uid::from_raw(facts.uid()), Gid::from_raw(facts.gid()));
    if rustix::fs::fchown(file, Some(owner), Some(group)).is_err()
        && let Err(error) = rustix::fs::fchown(file, None, Some(group))
    {
        tracing::debug!(%error, "a replaced file changes its group");
    }
}
