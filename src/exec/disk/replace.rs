//! Atomic file replacement, as far as the file allows it. Blocking.
//!
//! Normally a new file is written beside the old one and renamed. A file with several names, with an owner or
//! permissions that a new file would not have, or in a folder that is not writable, is overwritten in place,
//! with a copy of the new content elsewhere until it is on disk. Must not know why a file is written.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Access, Gid, Uid, XattrFlags};
use tempfile::NamedTempFile;

use crate::exec::disk::files::{check_is_file, error_at, stamp};
use crate::exec::error::EnvError;
use crate::exec::file_info::Stamp;

/// Replaces the file at a resolved path; creates it and its folders when missing.
pub(in crate::exec) fn replace(
    path: &Path,
    bytes: &[u8],
    expected: Option<&Stamp>,
) -> Result<Stamp, EnvError> {
    let before = existing_metadata(path)?;
    if let Some(expected) = expected {
        check_stamp(path, before.is_some(), expected)?;
    }
    let error = |source| error_at(path, source);
    let folder = path.parent().unwrap_or(Path::new("/"));
    let Some(facts) = before else {
        fs::create_dir_all(folder).map_err(|source| error_at(folder, source))?;
        let new = write_temporary(temporary(0o666).tempfile_in(folder), bytes).map_err(error)?;
        return match new.persist_noclobber(path) {
            Ok(_) => sync_folder(path, bytes).map_err(error),
            // Another process has created it meanwhile.
            Err(_) if path.exists() && expected.is_some() => Err(EnvError::Stale(path.to_path_buf())),
            Err(_) if path.exists() => replace(path, bytes, expected),
            // A dangling link, or a file system without this kind of rename.
            Err(refused) => rename_into_place(refused.file, path, bytes).map_err(error),
        };
    };
    let new = match write_temporary(temporary(0o600).tempfile_in(folder), bytes) {
        Err(refused) if refused.kind() == io::ErrorKind::PermissionDenied => None,
        other => Some(other.map_err(error)?),
    };
    // Checked again: writing the new content takes time, in which another process may have written, too.
    if let Some(expected) = expected
        && fs::metadata(path).map_err(error).is_ok_and(|now| !is_untouched(&facts, &now))
    {
        check_stamp(path, true, expected)?;
    }
    match new {
        Some(new) if facts.nlink() == 1 && copy_metadata(&new, path, &facts) => {
            new.as_file().set_permissions(Permissions::from_mode(facts.mode() & 0o7777)).map_err(error)?;
            rename_into_place(new, path, bytes).map_err(error)
        }
        Some(copy) => write_in_place(path, bytes, copy).map_err(error),
        None => {
            let copy = write_temporary(temporary(0o600).tempfile(), bytes).map_err(error)?;
            write_in_place(path, bytes, copy).map_err(error)
        }
    }
}

/// Removes the file with that name; its folder stays.
pub(in crate::exec) fn remove(path: &Path, expected: Option<&Stamp>) -> Result<(), EnvError> {
    let before = existing_metadata(path)?.ok_or_else(|| EnvError::NotFound(path.to_path_buf()));
    if let Some(expected) = expected {
        check_stamp(path, before.is_ok(), expected)?;
    }
    before?;
    fs::remove_file(path).map_err(|source| error_at(path, source))
}

fn temporary(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bowline-").permissions(Permissions::from_mode(mode));
    builder
}

/// A new file with a content, on the disk.
fn write_temporary(made: io::Result<NamedTempFile>, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = made?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Whether a file is unchanged since its metadata was read.
fn is_untouched(then: &fs::Metadata, now: &fs::Metadata) -> bool {
    let facts = |of: &fs::Metadata| (of.dev(), of.ino(), of.size(), of.ctime(), of.ctime_nsec());
    facts(then) == facts(now)
}

fn rename_into_place(new: NamedTempFile, path: &Path, bytes: &[u8]) -> io::Result<Stamp> {
    // The mode may have been set after the content was synced.
    new.as_file().sync_all()?;
    new.persist(path).map_err(|failed| failed.error)?;
    sync_folder(path, bytes)
}

/// The name of a file with this content is on the disk, too.
fn sync_folder(path: &Path, bytes: &[u8]) -> io::Result<Stamp> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    File::open(folder).and_then(|folder| folder.sync_all())?;
    Ok(Stamp::of(bytes))
}

/// Overwrites a file, whose names, owner and permissions stay. `copy` holds the new content: it is deleted
/// when the file is on disk, and kept when neither the new nor the old content could be written.
fn write_in_place(path: &Path, bytes: &[u8], copy: NamedTempFile) -> io::Result<Stamp> {
    let old = fs::read(path)?;
    let write = |content: &[u8]| {
        // Not truncated first: on a full disk the old content's space must stay reserved.
        let mut file = OpenOptions::new().write(true).open(path)?;
        file.write_all(content)?;
        file.set_len(content.len() as u64)?;
        file.sync_all()
    };
    if let Err(error) = write(bytes) {
        if let Err(worse) = write(&old) {
            let (_, kept) = copy.keep().map_err(|failed| failed.error)?;
            let message =
                format!("{error}; nor could the old content be put back ({worse}): the new one is in");
            return Err(io::Error::new(error.kind(), format!("{message} {}", kept.display())));
        }
        return Err(error);
    }
    copy.close()?;
    Ok(Stamp::of(bytes))
}

/// Returns the metadata of the file to be replaced; `None` when there is none.
fn existing_metadata(path: &Path) -> Result<Option<fs::Metadata>, EnvError> {
    let facts = match fs::metadata(path) {
        Ok(facts) => facts,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error_at(path, error)),
    };
    check_is_file(path)?;
    // Renaming over a file needs no permission on the file itself, but a read-only file must be respected.
    // The mode is checked, too, because root may write everything.
    if facts.permissions().readonly() || rustix::fs::access(path, Access::WRITE_OK).is_err() {
        return Err(EnvError::Denied(path.to_path_buf()));
    }
    Ok(Some(facts))
}

fn check_stamp(path: &Path, exists: bool, expected: &Stamp) -> Result<(), EnvError> {
    let same = if exists { stamp(path)? == *expected } else { *expected == Stamp::missing() };
    if same { Ok(()) } else { Err(EnvError::Stale(path.to_path_buf())) }
}

/// Gives the new file the owner, group and attributes of the old one (including access lists); returns
/// whether all could be set. Only root may change owners, and only members may set a group.
fn copy_metadata(new: &NamedTempFile, old: &Path, facts: &fs::Metadata) -> bool {
    let file = new.as_file();
    let owned = file.metadata().is_ok_and(|new| (new.uid(), new.gid()) == (facts.uid(), facts.gid()));
    let (user, group) = (Uid::from_raw(facts.uid()), Gid::from_raw(facts.gid()));
    if !owned && rustix::fs::fchown(file, Some(user), Some(group)).is_err() {
        return false;
    }
    File::open(old).is_ok_and(|old| copy_attributes(&old, file).is_ok())
}

/// Prefix of attributes that the system itself sets on new files.
const SECURITY_PREFIX: &[u8] = b"security.";

fn copy_attributes(old: &File, new: &File) -> io::Result<()> {
    let names = match rustix::fs::flistxattr_query(old) {
        Ok(0) | Err(rustix::io::Errno::NOTSUP) => return Ok(()),
        length => {
            let mut names = vec![0; length?];
            let length = rustix::fs::flistxattr(old, &mut names[..])?;
            names.truncate(length);
            names
        }
    };
    for name in names.split(|byte| *byte == 0) {
        if name.is_empty() || name.starts_with(SECURITY_PREFIX) {
            continue;
        }
        let mut value = vec![0; rustix::fs::fgetxattr_query(old, name)?];
        let length = if value.is_empty() { 0 } else { rustix::fs::fgetxattr(old, name, &mut value[..])? };
        rustix::fs::fsetxattr(new, name, &value[..length], XattrFlags::empty())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    fn file(content: &str) -> (TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("file");
        fs::write(&path, content).unwrap();
        (folder, path)
    }

    fn names(folder: &TempDir) -> Vec<String> {
        let entries = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn replace_never_overwrites_file_created_meanwhile() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().canonicalize().unwrap().join("file");
            let barrier = std::sync::Barrier::new(6);
            let write = &|n: usize| {
                barrier.wait();
                replace(&path, format!("{n}").as_bytes(), Some(&Stamp::missing())).is_ok().then_some(n)
            };
            let made: Vec<usize> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..6).map(|n| scope.spawn(move || write(n))).collect();
                threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(made.len(), 1, "one of them has made it, all others see that it is there");
            assert_eq!(fs::read_to_string(&path).unwrap(), made[0].to_string());
            assert_eq!(names(&folder), ["file"]);
        }
    }

    #[test]
    fn replace_dangling_symlink_becomes_file() {
        for expected in [None, Some(Stamp::missing())] {
            let (_folder, path) = file("");
            let link = path.with_file_name("link");
            symlink("nowhere", &link).unwrap();
            replace(&link, b"new", expected.as_ref()).unwrap();
            assert_eq!(fs::read_to_string(&link).unwrap(), "new");
        }
    }

    #[test]
    fn replace_keeps_hard_links() {
        for new in ["longer than before", "x", ""] {
            let (folder, path) = file("before");
            let other = path.with_file_name("other");
            fs::hard_link(&path, &other).unwrap();
            fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
            let inode = fs::metadata(&path).unwrap().ino();
            let stamp = replace(&path, new.as_bytes(), Some(&Stamp::of(b"before"))).unwrap();
            assert_eq!(stamp, Stamp::of(new.as_bytes()));
            assert_eq!(fs::read_to_string(&other).unwrap(), new);
            let facts = fs::metadata(&path).unwrap();
            assert_eq!((facts.ino(), facts.nlink(), facts.mode() & 0o777), (inode, 2, 0o640));
            assert_eq!(names(&folder), ["file", "other"], "the copy is gone");
        }
    }

    #[test]
    fn replace_stale_hard_linked_file_is_refused() {
        let (folder, path) = file("somebody else's");
        fs::hard_link(&path, path.with_file_name("other")).unwrap();
        assert!(matches!(replace(&path, b"ours", Some(&Stamp::of(b"before"))), Err(EnvError::Stale(_))));
        assert_eq!(fs::read(&path).unwrap(), b"somebody else's");
        assert_eq!(names(&folder), ["file", "other"]);
    }

    #[test]
    fn replace_through_symlink_to_hard_link() {
        let (_folder, path) = file("before");
        fs::hard_link(&path, path.with_file_name("other")).unwrap();
        let link = path.with_file_name("link");
        symlink("other", &link).unwrap();
        let real = crate::exec::disk::files::real_path(&link).unwrap();
        replace(&real, b"after", None).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"after");
    }

    #[test]
    fn replace_in_place_failure_leaves_no_copy() {
        let (folder, path) = file("before");
        let copy = write_temporary(temporary(0o600).tempfile_in(folder.path()), b"after").unwrap();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        // Not a file any more: the write fails before anything is lost.
        assert!(write_in_place(&path, b"after", copy).is_err());
        assert_eq!(names(&folder), ["file"]);
    }

    #[test]
    fn replace_works_in_read_only_folder() {
        if rustix::process::geteuid().is_root() {
            return; // Root may make files everywhere.
        }
        let (folder, path) = file("before");
        fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
        replace(&path, b"after", None).unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(&folder)), (b"after".to_vec(), vec!["file".to_string()]));
    }

    #[test]
    fn replace_keeps_extended_attributes() {
        let (_folder, path) = file("before");
        if rustix::fs::setxattr(&path, "user.note", b"kept", XattrFlags::empty()).is_err() {
            return; // This file system has no attributes.
        }
        rustix::fs::setxattr(&path, "user.empty", b"", XattrFlags::empty()).unwrap();
        let inode = fs::metadata(&path).unwrap().ino();
        replace(&path, b"after", None).unwrap();
        let mut value = [0; 16];
        let length = rustix::fs::getxattr(&path, "user.note", &mut value[..]).unwrap();
        assert_eq!(&value[..length], b"kept");
        assert_eq!(rustix::fs::getxattr_query(&path, "user.empty").unwrap(), 0);
        assert_ne!(fs::metadata(&path).unwrap().ino(), inode, "replaced, not written in place");
    }

    #[test]
    fn replace_as_root_keeps_owner() {
        let (_folder, path) = file("before");
        let theirs = (Some(Uid::from_raw(4321)), Some(Gid::from_raw(4322)));
        if rustix::fs::chown(&path, theirs.0, theirs.1).is_err() {
            return; // Only root may give files away.
        }
        replace(&path, b"after", None).unwrap();
        let facts = fs::metadata(&path).unwrap();
        assert_eq!((facts.uid(), facts.gid(), fs::read(&path).unwrap()), (4321, 4322, b"after".to_vec()));
    }
}
