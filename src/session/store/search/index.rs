//! The search database: opens, updates, queries, and rebuilds it after damage.
//!
//! Must not know the content of the tables.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::error::{SearchError, StopFlag};
use super::update::IndexUpdate;
use super::{find, schema, update};
use crate::session::search::{Hit, Query};

/// File name of the database, below the root of all sessions.
const NAME: &str = ".search.db";
/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(2);
/// Virtual machine instructions between two checks for cancellation.
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
    /// Opens the index of a root. One that is missing, damaged or of another version is created anew; if it
    /// cannot be written it is created in memory.
    pub fn open(root: &Path) -> Result<Self, SearchError> {
        let path = root.join(NAME);
        let index = |database| Self { root: root.to_path_buf(), database };
        match open_database(&path) {
            Ok(database) => return Ok(index(database)),
            Err(error) if error.is_corrupt() => {
                tracing::warn!(path = %path.display(), %error, "the index of the sessions is made anew");
                remove(&path)?;
                if let Ok(database) = open_database(&path) {
                    return Ok(index(database));
                }
            }
            Err(error) => {
                tracing::info!(path = %path.display(), %error, "the index of the sessions is kept in memory");
            }
        }
        let database = Connection::open_in_memory()?;
        schema::create_tables(&database)?;
        Ok(index(database))
    }

    /// Indexes new lines of the session files. `stop` cancels it; lines that were already indexed are kept.
    pub fn update(&mut self, stop: &StopFlag) -> Result<IndexUpdate, SearchError> {
        match update::update(&mut self.database, &self.root, stop) {
            Err(error) if error.is_corrupt() => {
                self.recreate(&error)?;
                update::update(&mut self.database, &self.root, stop)
            }
            // The process that holds the lock is updating it, too.
            Err(error) if error.is_locked() => {
                tracing::debug!(%error, "the index of the sessions is not brought up to date");
                Ok(IndexUpdate::default())
            }
            answer => answer,
        }
    }

    /// Returns the best hits first. `stop` cancels it with [`SearchError::Stopped`].
    pub fn find(&mut self, query: &Query, limit: usize, stop: &StopFlag) -> Result<Vec<Hit>, SearchError> {
        let cancel = stop.clone();
        self.database.progress_handler(STEPS, Some(move || cancel.load(Ordering::Relaxed)))?;
        let found = find::find(&self.database, &self.root, query, limit);
        self.database.progress_handler(0, None::<fn() -> bool>)?;
        match found {
            Err(error) if error.is_corrupt() => {
                self.recreate(&error)?;
                self.update(stop)?;
                find::find(&self.database, &self.root, query, limit)
            }
            answer => answer,
        }
    }

    /// Recreates the index after damage.
    fn recreate(&mut self, error: &SearchError) -> Result<(), SearchError> {
        let path = self.root.join(NAME);
        tracing::warn!(path = %path.display(), %error, "the index of the sessions is made anew");
        self.database = Connection::open_in_memory()?;
        remove(&path)?;
        self.database = open_database(&path)?;
        Ok(())
    }
}

/// Opens the database file and ensures the tables of this version.
fn open_database(path: &Path) -> Result<Connection, SearchError> {
    // Created here, so that other users cannot read it; SQLite's extra files inherit the mode.
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
    schema::create_tables(&database)?;
    Ok(database)
}

/// Removes the database and `SQLite`'s extra files.
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

/// Updates the index of a root and queries it.
pub fn search(root: &Path, query: &Query, limit: usize, stop: &StopFlag) -> Result<Vec<Hit>, SearchError> {
    let mut index = Index::open(root)?;
    index.update(stop)?;
    index.find(query, limit, stop)
}

#[cfg(test)]
mod tests;
