//! Creates, moves and deletes files and folders. Nothing is overwritten, and deleted files are kept for a
//! while. Blocking: call it on a blocking thread. Must not know the caller.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

/// How long deleted files are kept.
const TRASH_AGE: Duration = Duration::from_hours(30 * 24);

/// Creates an empty file, or a folder, with its parent folders. Refused if the path exists.
pub fn create(path: &Path, is_folder: bool) -> io::Result<()> {
    make_parent(path)?;
    if is_folder {
        return fs::create_dir(path);
    }
    OpenOptions::new().write(true).create_new(true).open(path).map(drop)
}

/// Renames a file or folder, creating parent folders. Refused if the new path exists. Returns the new path
/// with links resolved.
pub fn rename(from: &Path, to: &Path) -> io::Result<PathBuf> {
    make_parent(to)?;
    move_to(from, to)?;
    // A dangling link has been moved as well.
    Ok(fs::canonicalize(to).unwrap_or_else(|_| to.to_path_buf()))
}

/// Renames a file or folder like [`rename`], over a file or an empty folder that is there.
pub(in crate::exec) fn replace(from: &Path, to: &Path) -> io::Result<PathBuf> {
    make_parent(to)?;
    match fs::rename(from, to) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => {
            // The copy is complete before anything is overwritten.
            let beside = tempfile::Builder::new().prefix(".bowline-").tempdir_in(parent_of(to))?;
            let copied = beside.path().join("moved");
            copy(from, &copied)?;
            fs::rename(&copied, to)?;
            remove(from)?;
        }
        moved => moved?,
    }
    Ok(fs::canonicalize(to).unwrap_or_else(|_| to.to_path_buf()))
}

fn parent_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// Moves a file or folder into a new folder below `kept`, where it stays for 30 days; older ones there are
/// deleted permanently. Returns its new path.
pub fn delete(path: &Path, kept: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    DirBuilder::new().recursive(true).mode(0o700).create(kept)?;
    if let Err(error) = clean(kept, SystemTime::now()) {
        tracing::warn!(%error, "what was deleted long ago could not be removed");
    }
    let trash_folder = tempfile::Builder::new().prefix("deleted-").tempdir_in(kept)?.keep();
    let to = trash_folder.join(name);
    if let Err(error) = move_to(path, &to) {
        // Not recursively: if the original could be removed only in part, the complete copy is here.
        if let Err(error) = fs::remove_dir(&trash_folder) {
            tracing::warn!(%error, "a folder is left where deleted files are kept");
        }
        return Err(error);
    }
    Ok(to)
}

/// Whether a file or folder is empty.
pub fn is_empty(path: &Path) -> io::Result<bool> {
    let facts = fs::symlink_metadata(path)?;
    if facts.is_dir() { Ok(fs::read_dir(path)?.next().is_none()) } else { Ok(facts.len() == 0) }
}

/// Whether something is at a path, a dangling link, too.
pub fn exists(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns the first folder on the way to a path that does not exist and would be created with it.
pub fn missing_folder(path: &Path) -> Option<PathBuf> {
    let missing = |folder: &&Path| !exists(folder).unwrap_or(true);
    path.ancestors().skip(1).take_while(missing).last().map(Path::to_path_buf)
}

/// Removes the folders on the way to a path that are empty, from the innermost one up to `first`.
pub fn remove_empty_folders(path: &Path, first: &Path) {
    for folder in path.ancestors().skip(1).take_while(|folder| folder.starts_with(first)) {
        // Not recursively: what is in use stays, and what is above it.
        if let Err(error) = fs::remove_dir(folder) {
            tracing::debug!(%error, "a folder stays that was created for a file");
            return;
        }
    }
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Moves without overwriting; to another file system by copying.
fn move_to(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Not every file system supports renaming without overwriting.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => match fs::symlink_metadata(to) {
            Ok(_) => Err(ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(from, to),
        },
        Err(Errno::XDEV) => move_by_copy(from, to),
        moved => Ok(moved?),
    }
}

/// Copies, and removes the original once the copy is complete. An incomplete copy is removed; if the original
/// cannot be removed completely, the copy stays.
fn move_by_copy(from: &Path, to: &Path) -> io::Result<()> {
    if fs::symlink_metadata(to).is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    if let Err(error) = copy(from, to) {
        // An existing path there belongs to another process.
        if error.kind() != ErrorKind::AlreadyExists
            && let Err(error) = remove(to)
        {
            tracing::warn!(%error, path = %to.display(), "a part of a copy is left");
        }
        return Err(error);
    }
    remove(from).map_err(|error| {
        let message = format!("copied to {}, but not all of it can be taken away: {error}", to.display());
        io::Error::new(error.kind(), message)
    })
}

fn remove(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// Copies contents, permissions, times and links. Sockets, pipes and devices are refused.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let facts = fs::symlink_metadata(from)?;
    if facts.is_symlink() {
        return symlink(fs::read_link(from)?, to);
    }
    if facts.is_file() {
        fs::copy(from, to)?;
        return copy_times(&facts, to);
    }
    if !facts.is_dir() {
        return Err(io::Error::other("is neither a file nor a folder"));
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    copy_times(&facts, to)?;
    fs::set_permissions(to, facts.permissions())
}

/// Gives a file or folder the times of another one.
fn copy_times(facts: &fs::Metadata, to: &Path) -> io::Result<()> {
    let times = fs::FileTimes::new().set_accessed(facts.accessed()?).set_modified(facts.modified()?);
    match fs::File::open(to) {
        Ok(file) => file.set_times(times),
        // A mode without reading was copied.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(error),
    }
}

/// Deletes files that were kept long enough.
fn clean(kept: &Path, now: SystemTime) -> io::Result<()> {
    for entry in fs::read_dir(kept)? {
        let entry = entry?;
        let age = now.duration_since(entry.metadata()?.modified()?).unwrap_or_default();
        if age > TRASH_AGE
            && let Err(error) = remove(&entry.path())
        {
            tracing::warn!(%error, path = %entry.path().display(), "what was deleted long ago stays");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        (folder, root)
    }

    fn kind(result: io::Result<impl Sized>) -> ErrorKind {
        result.err().unwrap().kind()
    }

    #[test]
    fn tree_create_refuses_existing_paths() {
        let (_folder, root) = place();
        create(&root.join("a/b/é.txt"), false).unwrap();
        create(&root.join("a/c"), true).unwrap();
        assert!(root.join("a/b/é.txt").is_file() && root.join("a/c").is_dir());
        for is_folder in [false, true] {
            assert_eq!(kind(create(&root.join("a/b/é.txt"), is_folder)), ErrorKind::AlreadyExists);
        }
    }

    #[test]
    fn tree_rename_never_overwrites() {
        let (_folder, root) = place();
        fs::write(root.join("a"), "a").unwrap();
        fs::write(root.join("b"), "b").unwrap();
        assert_eq!(kind(rename(&root.join("a"), &root.join("b"))), ErrorKind::AlreadyExists);
        assert_eq!(rename(&root.join("a"), &root.join("new/a")).unwrap(), root.join("new/a"));
        assert_eq!(fs::read_to_string(root.join("b")).unwrap(), "b");
        assert!(rename(&root.join("new"), &root.join("new/inside/new")).is_err(), "not into itself");
        assert!(root.join("new/a").exists());
        symlink("nowhere", root.join("link")).unwrap();
        assert_eq!(rename(&root.join("link"), &root.join("l")).unwrap(), root.join("l"));
    }

    #[test]
    fn tree_delete_moves_to_trash_and_restores() {
        let (_folder, root) = place();
        create(&root.join("f/x"), false).unwrap();
        let kept = root.join("kept");
        let first = delete(&root.join("f"), &kept).unwrap();
        create(&root.join("f"), true).unwrap();
        let second = delete(&root.join("f"), &kept).unwrap();
        assert!(first != second && first.join("x").exists() && !root.join("f").exists());
        rename(&first, &root.join("f")).unwrap();
        assert!(root.join("f/x").exists());
        assert!(delete(&root.join("absent"), &kept).is_err());
        assert_eq!(fs::read_dir(&kept).unwrap().count(), 2, "a failure leaves nothing behind");
        clean(&kept, SystemTime::now()).unwrap();
        assert!(second.exists());
        clean(&kept, SystemTime::now() + TRASH_AGE * 2).unwrap();
        assert!(!second.exists());
    }

    #[test]
    fn tree_partial_move_leaves_one_complete_copy() {
        let (_folder, root) = place();
        create(&root.join("f/x"), false).unwrap();
        // `.` itself cannot be taken away, what is in it can.
        assert!(move_by_copy(&root.join("f/."), &root.join("g")).is_err());
        assert!(root.join("g/x").exists());
        // Another file system, where there is one.
        let other = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        create(&root.join("h/x"), false).unwrap();
        assert!(delete(&root.join("h/."), other.path()).is_err());
        let mut places = vec![root.join("h/x")];
        for entry in fs::read_dir(other.path()).unwrap() {
            places.push(entry.unwrap().path().join("h/x"));
        }
        assert!(places.iter().any(|place| place.exists()), "{places:?}");
    }

    #[test]
    fn tree_failed_copy_leaves_nothing() {
        let (_folder, root) = place();
        create(&root.join("f/x"), false).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(root.join("f/socket")).unwrap();
        assert!(move_by_copy(&root.join("f"), &root.join("g")).is_err());
        assert!(root.join("f/x").exists() && !root.join("g").exists());
    }

    #[test]
    fn tree_move_by_copy_keeps_modes_and_symlinks() {
        let (_folder, root) = place();
        create(&root.join("f/sub/x"), false).unwrap();
        fs::set_permissions(root.join("f/sub/x"), fs::Permissions::from_mode(0o750)).unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        fs::File::open(root.join("f/sub/x")).unwrap().set_modified(then).unwrap();
        symlink("nowhere", root.join("f/link")).unwrap();
        move_by_copy(&root.join("f"), &root.join("g")).unwrap();
        assert!(!root.join("f").exists());
        assert_eq!(fs::metadata(root.join("g/sub/x")).unwrap().permissions().mode() & 0o777, 0o750);
        assert_eq!(fs::metadata(root.join("g/sub/x")).unwrap().modified().unwrap(), then);
        assert_eq!(fs::read_link(root.join("g/link")).unwrap(), Path::new("nowhere"));
        assert_eq!(kind(move_by_copy(&root.join("g"), &root.join("g/sub"))), ErrorKind::AlreadyExists);
    }
}
