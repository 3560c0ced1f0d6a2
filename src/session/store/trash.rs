//! Deletes session files into the system's trash, and restores them.
//!
//! Must not know the content of entries. The trash follows the freedesktop.org specification 1.0: the deleted
//! files are in `files`, their original paths and times in `info`; file managers can display and restore
//! them, too.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

use super::{hidden_branches, index, lock};
use crate::base::clock;
use crate::session::format::error::SessionError;

/// Characters of a path that are not escaped.
const UNESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// Extensions of files beside a session file that are deleted with it.
const SIDECAR_EXTENSIONS: [&str; 4] = ["jsonl.torn", "jsonl.v1", "jsonl.v2", hidden_branches::EXTENSION];
/// Number of names that are tried in the trash.
const NAME_TRIES: usize = 10_000;

/// Moves a session and the files beside it into the trash, at `now_ms`; returns its new path. Fails with
/// [`SessionError::Busy`] while a process has it open.
pub fn delete(path: &Path, trash: &Path, now_ms: u64) -> Result<PathBuf, SessionError> {
    let error = |source| SessionError::Io { path: path.to_path_buf(), source };
    // Locked until the file is gone, so that no process opens it meanwhile.
    let file = OpenOptions::new().read(true).append(true).open(path).or_else(|_| File::open(path));
    let file = file.map_err(error)?;
    lock::lock_file(&file, path)?;
    for end in SIDECAR_EXTENSIONS {
        let sidecar = path.with_extension(end);
        if sidecar.exists() {
            move_to_trash(&sidecar, trash, now_ms).map_err(error)?;
        }
    }
    let trashed_path = move_to_trash(path, trash, now_ms).map_err(error)?;
    // It can be rebuilt at any time.
    let index = index::index_path(path);
    if let Err(error) = fs::remove_file(&index)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(path = %index.display(), %error, "cannot remove the index of a deleted session");
    }
    Ok(trashed_path)
}

/// Restores the session whose file name ends with this id, or any without an id, and returns its path; `None`
/// when the trash holds none below `root`. Of several, the one that was deleted last. No file is overwritten.
pub fn restore(root: &Path, trash: &Path, id: Option<&str>) -> Result<Option<PathBuf>, SessionError> {
    let mut found: Vec<(String, PathBuf, PathBuf)> = Vec::new();
    let Ok(infos) = fs::read_dir(trash.join("info")) else { return Ok(None) };
    for info in infos.flatten().map(|item| item.path()) {
        let Some((path, when)) = fs::read_to_string(&info).ok().as_deref().and_then(read_info) else {
            continue;
        };
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let named = |name: &str| id.is_none_or(|id| !id.is_empty() && name.ends_with(id));
        let is_it = name.strip_suffix(".jsonl").is_some_and(named);
        if is_it && path.starts_with(root) {
            found.push((when, path, info));
        }
    }
    found.sort_unstable();
    let Some((when, path, info)) = found.pop() else { return Ok(None) };
    let error = |source| SessionError::Io { path: path.clone(), source };
    move_from_trash(&info, &path, trash).map_err(error)?;
    // The files that were deleted with it.
    for end in SIDECAR_EXTENSIONS {
        let sidecar = path.with_extension(end);
        for info in fs::read_dir(trash.join("info")).into_iter().flatten().flatten().map(|item| item.path()) {
            let read = fs::read_to_string(&info).ok().as_deref().and_then(read_info);
            if read.is_some_and(|(path, other)| path == sidecar && other == when) {
                move_from_trash(&info, &sidecar, trash).map_err(error)?;
            }
        }
    }
    Ok(Some(path))
}

/// Moves one file into the trash. The info file is written first, as the specification requires.
fn move_to_trash(path: &Path, trash: &Path, now_ms: u64) -> io::Result<PathBuf> {
    let (files, infos) = (trash.join("files"), trash.join("info"));
    for folder in [&files, &infos] {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy().into_owned();
    let whole = std::path::absolute(path)?;
    let text = format!(
        "[Trash Info]\nPath={}\nDeletionDate={}\n",
        percent_encode(whole.as_os_str().as_bytes(), UNESCAPED),
        clock::local(now_ms, "%Y-%m-%dT%H:%M:%S")
    );
    for n in 0..NAME_TRIES {
        let name = if n == 0 { name.clone() } else { format!("{n}-{name}") };
        let info = infos.join(format!("{name}.trashinfo"));
        let mut made = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&info) {
            Ok(made) => made,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        let trash_path = files.join(&name);
        let moved = made.write_all(text.as_bytes()).and_then(|()| move_file(path, &trash_path));
        return match moved {
            Ok(()) => Ok(trash_path),
            Err(error) => {
                fs::remove_file(&info)?;
                Err(error)
            }
        };
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn move_from_trash(info: &Path, path: &Path, trash: &Path) -> io::Result<()> {
    let name = info.file_stem().ok_or(io::ErrorKind::InvalidInput)?;
    if let Some(folder) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    move_file(&trash.join("files").join(name), path)?;
    fs::remove_file(info)
}

/// Moves a file without overwriting, also across file systems.
fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    if to.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {}
        done => return done,
    }
    let mut copy = OpenOptions::new().write(true).create_new(true).mode(0o600).open(to)?;
    let copied =
        File::open(from).and_then(|mut file| io::copy(&mut file, &mut copy)).and_then(|_| copy.sync_all());
    if let Err(error) = copied {
        fs::remove_file(to)?;
        return Err(error);
    }
    fs::remove_file(from)
}

/// Parses the original path and the deletion time.
fn read_info(text: &str) -> Option<(PathBuf, String)> {
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    let path: Vec<u8> = percent_decode_str(field("Path")?).collect();
    Some((PathBuf::from(std::ffi::OsString::from_vec(path)), field("DeletionDate")?.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::ManualClock;
    use crate::base::ids::CountingIds;
    use crate::llm::model::{Message, UserMessage};
    use crate::session::{AgentMessage, EntryBody, Session};

    fn stored(root: &Path) -> (PathBuf, String) {
        let clock = ManualClock::new(0);
        let mut session = Session::create(root, Path::new("/w ä%"), clock, CountingIds::shared());
        let message = AgentMessage::Llm(Message::User(UserMessage::text("hi", 5)));
        session.append(EntryBody::Message { message }).unwrap();
        (session.file().unwrap().to_path_buf(), session.id().to_string())
    }

    #[test]
    fn session_trash_delete_and_restore() {
        let home = tempfile::tempdir().unwrap();
        let (root, trash) = (home.path().join("sessions"), home.path().join("Trash"));
        let (path, id) = stored(&root);
        let bytes = fs::read(&path).unwrap();
        fs::write(path.with_extension("jsonl.torn"), "half").unwrap();
        fs::write(path.with_extension("jsonl.index"), "x").unwrap();
        let place = delete(&path, &trash, 0).unwrap();
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
        assert_eq!(fs::read(&place).unwrap(), bytes);
        let info = trash.join("info").join(format!("{}.trashinfo", place.file_name().unwrap().display()));
        let info = fs::read_to_string(info).unwrap();
        let lines: Vec<&str> = info.lines().collect();
        assert_eq!(lines[0], "[Trash Info]");
        assert!(lines[1].contains("--w%20%C3%A4%25--/"), "{info}");
        assert!(lines[2].starts_with("DeletionDate=19") && lines[2].len() == 32, "{info}");
        assert_eq!(restore(&root, &trash, Some("nobody")).unwrap(), None);
        assert_eq!(restore(&home.path().join("elsewhere"), &trash, Some(&id)).unwrap(), None);
        assert_eq!(restore(&root, &trash, Some(&id[20..])).unwrap(), Some(path.clone()));
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert_eq!(fs::read_to_string(path.with_extension("jsonl.torn")).unwrap(), "half");
        assert_eq!(fs::read_dir(trash.join("info")).unwrap().count(), 0);
    }

    #[test]
    fn session_trash_never_overwrites() {
        let home = tempfile::tempdir().unwrap();
        let (root, trash) = (home.path().join("sessions"), home.path().join("Trash"));
        let (path, id) = stored(&root);
        let first = delete(&path, &trash, 0).unwrap();
        fs::write(&path, "another").unwrap();
        let second = delete(&path, &trash, 5_000).unwrap();
        assert_ne!(first, second);
        assert_eq!(fs::read_to_string(&second).unwrap(), "another");
        // The one that was deleted last.
        assert_eq!(restore(&root, &trash, None).unwrap(), Some(path.clone()));
        assert_eq!(fs::read_to_string(&path).unwrap(), "another");
        let taken = restore(&root, &trash, Some(&id)).unwrap_err();
        assert!(matches!(taken, SessionError::Io { .. }) && first.exists(), "{taken}");
    }

    #[test]
    fn session_trash_open_session_is_not_deleted() {
        let home = tempfile::tempdir().unwrap();
        let (path, _) = stored(&home.path().join("sessions"));
        let open = Session::open(&path, ManualClock::new(0), CountingIds::shared()).unwrap();
        let refused = delete(&path, &home.path().join("Trash"), 0).unwrap_err();
        assert!(matches!(refused, SessionError::Busy(_)) && path.exists(), "{refused}");
        drop(open);
        delete(&path, &home.path().join("Trash"), 0).unwrap();
    }
}
