//! The database itself: opened, brought up to date, asked, made anew after damage.
//!
//! Must not know what is in the tables.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::fault::{SearchError, Stop};
use super::update::Updated;
use super::{find, schema, update};
use crate::session::search::{Hit, Query};

/// The database, below the root of all sessions.
const NAME: &str = ".search.db";
/// How long it is waited for another program that writes.
const PATIENCE: Duration = Duration::from_secs(2);
/// Steps of the database's machine between two looks at whether to stop.
const STEPS: i32 = 1000;

/// The index of the sessions below a root.
pub struct Index {
    root: PathBuf,
    database: Connection,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("root", &self.root).finish_non_exhaustive()
    }
}

impl Index {
    /// The index of a root. One that is missing, damaged or of another version is begun anew; where none can
    /// be written it is made in memory.
    pub fn open(root: &Path) -> Result<Self, SearchError> {
        let path = root.join(NAME);
        let index = |database| Self { root: root.to_path_buf(), database };
        match opened(&path) {
            Ok(database) => return Ok(index(database)),
            Err(error) if error.is_damage() => {
                tracing::warn!(path = %path.display(), %error, "the index of the sessions is made anew");
                remove(&path)?;
                if let Ok(database) = opened(&path) {
                    return Ok(index(database));
                }
            }
            Err(error) => {
                tracing::info!(path = %path.display(), %error, "the index of the sessions is kept in memory");
            }
        }
        let database = Connection::open_in_memory()?;
        schema::make(&database)?;
        Ok(index(database))
    }

    /// Reads what is new in the session files. `stop` ends it; what was read until then stays.
    pub fn update(&mut self, stop: &Stop) -> Result<Updated, SearchError> {
        match update::update(&mut self.database, &self.root, stop) {
            Err(error) if error.is_damage() => {
                self.renew(&error)?;
                update::update(&mut self.database, &self.root, stop)
            }
            // Whoever holds it is doing just this.
            Err(error) if error.is_elsewhere() => {
                tracing::debug!(%error, "the index of the sessions is not brought up to date");
                Ok(Updated::default())
            }
            answer => answer,
        }
    }

    /// What fits, the best first. `stop` ends it with [`SearchError::Stopped`].
    pub fn find(&mut self, query: &Query, limit: usize, stop: &Stop) -> Result<Vec<Hit>, SearchError> {
        let asked = stop.clone();
        self.database.progress_handler(STEPS, Some(move || asked.load(Ordering::Relaxed)))?;
        let found = find::find(&self.database, &self.root, query, limit);
        self.database.progress_handler(0, None::<fn() -> bool>)?;
        match found {
            Err(error) if error.is_damage() => {
                self.renew(&error)?;
                self.update(stop)?;
                find::find(&self.database, &self.root, query, limit)
            }
            answer => answer,
        }
    }

    /// Begins anew after damage.
    fn renew(&mut self, error: &SearchError) -> Result<(), SearchError> {
        let path = self.root.join(NAME);
        tracing::warn!(path = %path.display(), %error, "the index of the sessions is made anew");
        self.database = Connection::open_in_memory()?;
        remove(&path)?;
        self.database = opened(&path)?;
        Ok(())
    }
}

/// The database in a file, with tables of this version.
fn opened(path: &Path) -> Result<Connection, SearchError> {
    // Made by ourselves, so that nobody else can read it; the files beside it take that over.
    match OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path) {
        Ok(_) => {}
        Err(error) if path.exists() => {
            tracing::debug!(path = %path.display(), %error, "the index of the sessions is only read");
        }
        Err(error) => return Err(error.into()),
    }
    let database = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    database.busy_timeout(PATIENCE)?;
    schema::make(&database)?;
    Ok(database)
}

/// Takes the database away, with what `SQLite` keeps beside it.
fn remove(path: &Path) -> io::Result<()> {
    for end in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_os_string();
        name.push(end);
        match fs::remove_file(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Brings the index of a root up to date and asks it.
pub fn search(root: &Path, query: &Query, limit: usize, stop: &Stop) -> Result<Vec<Hit>, SearchError> {
    let mut index = Index::open(root)?;
    index.update(stop)?;
    index.find(query, limit, stop)
}

#[cfg(test)]
mod tests;
