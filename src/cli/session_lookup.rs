//! Lookup of stored sessions by the names that the command line accepts.
//!
//! Must not know how a session is used.

use std::path::{Path, PathBuf};

use crate::base::clock::SystemClock;
use crate::base::error::Report;
use crate::base::ids::RandomIds;
use crate::session::Session;
use crate::session::store::listing;

/// Returns the file of a session given by its id, by the beginning or end of its id, or by its path.
pub fn find_session_file(root: &Path, cwd: &Path, name: &str) -> Result<PathBuf, Report> {
    match &candidates(root, cwd, name)[..] {
        [one] => Ok(one.clone()),
        [] => {
            Err(Report::new(format!("no such session: {name}")).hint("list sessions with `bowline sessions`"))
        }
        several => Err(Report::new(format!("{name} matches {} sessions", several.len()))
            .hint("list full ids with `bowline sessions --json`")),
    }
}

/// Returns whether a name is that of a session, or of several.
pub fn is_session(root: &Path, cwd: &Path, name: &str) -> bool {
    !candidates(root, cwd, name).is_empty()
}

/// Returns the files of the sessions that a name may mean.
fn candidates(root: &Path, cwd: &Path, name: &str) -> Vec<PathBuf> {
    let file = cwd.join(name);
    match () {
        () if file.is_file() => vec![file],
        () if name.contains('/') => Vec::new(),
        () => listing::find(root, name),
    }
}

/// Returns the file of the named session, or of the latest one of this folder.
pub fn find_or_latest(root: &Path, cwd: &Path, name: Option<&str>) -> Result<PathBuf, Report> {
    let Some(name) = name else {
        return listing::latest(root, cwd).ok_or_else(|| {
            Report::new("no session in this folder").hint("list sessions with `bowline sessions`")
        });
    };
    find_session_file(root, cwd, name)
}

/// Opens a session read-only.
pub fn open_session(path: &Path) -> Result<Session, Report> {
    let (clock, ids) = (SystemClock::shared(), RandomIds::shared());
    Session::open_read_only(path, clock, ids)
        .map_err(|error| Report::caused("cannot read the session", &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::ManualClock;
    use crate::base::ids::CountingIds;
    use crate::cli::commands::sessions::tests::{stored, user};

    #[test]
    fn session_lookup_must_be_unique() {
        let root = tempfile::tempdir().unwrap();
        let (one, ids) = (stored(root.path()), CountingIds::shared());
        ids.entry();
        let mut two = Session::create(root.path(), Path::new("/w"), ManualClock::new(0), ids);
        two.append(user("two")).unwrap();
        let find = |name: &str| find_session_file(root.path(), Path::new("/nowhere"), name);
        assert_eq!(find(two.id()).unwrap(), two.file().unwrap());
        assert_eq!(find(one.file().unwrap().to_str().unwrap()).unwrap(), one.file().unwrap());
        assert!(find("00000000-").unwrap_err().to_string().contains("matches 2 sessions"));
        assert!(find("zzz").unwrap_err().to_string().contains("no such session: zzz"));
        assert!(find("../x").is_err());
        let latest = find_or_latest(root.path(), Path::new("/w"), None).unwrap();
        assert_eq!(latest, listing::latest(root.path(), Path::new("/w")).unwrap());
        let none = find_or_latest(root.path(), Path::new("/nowhere"), None).unwrap_err();
        assert!(none.to_string().contains("no session in this folder"), "{none}");
    }
}
