//! Credentials file in pi's format: `{provider: {"type": "api_key" | "oauth", …}}`.
//!
//! Readable only by its owner. Writes hold a file lock that the system releases with the process, so that
//! concurrent processes do not overwrite each other's tokens. Must not know how a provider uses its entry.
//! All operations block.

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Map, Value};

/// Timeout for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// Why the credentials file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// An I/O error.
    #[error("{path}: {cause}")]
    Io {
        /// Which file.
        path: String,
        /// The error.
        cause: io::Error,
    },
    /// Another process holds the lock.
    #[error("{path}: another process is changing this file and does not come to an end")]
    Locked {
        /// Which file.
        path: String,
    },
    /// The file is invalid; it is not modified.
    #[error("{path}:{line}: this is no file of credentials ({what}); it is left as it is")]
    Invalid {
        /// Which file.
        path: String,
        /// Line from 1.
        line: usize,
        /// The problem, without any content of the file.
        what: &'static str,
    },
}

/// All entries, by provider id.
pub type Entries = Map<String, Value>;

/// The credentials file. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
}

/// The locked file; unlocks on drop.
#[derive(Debug)]
pub struct LockedStore {
    store: Store,
    _lock: File,
}

impl Store {
    /// Creates a store for this path, which need not exist. Two paths to one file are one store.
    pub fn new(path: &Path) -> Self {
        Self { path: fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()) }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the stored entries; empty when there is no file.
    pub fn read(&self) -> Result<Entries, StoreError> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
            Err(cause) => return Err(self.io(cause)),
        };
        let text = text.trim_start_matches('\u{feff}');
        if text.trim().is_empty() {
            return Ok(Map::new());
        }
        let broken = |line, what| StoreError::Invalid { path: self.path.display().to_string(), line, what };
        match serde_json::from_str(text) {
            Ok(Value::Object(entries)) => Ok(entries),
            Ok(_) => Err(broken(1, "it holds no object")),
            Err(error) => Err(broken(error.line(), "it is not valid JSON")),
        }
    }

    /// Waits for the lock, longer than a renewal may take.
    pub fn lock(&self) -> Result<LockedStore, StoreError> {
        self.lock_within(LOCK_TIMEOUT)
    }

    fn lock_within(&self, patience: Duration) -> Result<LockedStore, StoreError> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(|cause| self.io(cause))?;
        }
        let path = self.path.with_extension("lock");
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        let file = options.open(path).map_err(|cause| self.io(cause))?;
        let file = match file.try_lock() {
            Ok(()) => file,
            Err(TryLockError::Error(cause)) => return Err(self.io(cause)),
            Err(TryLockError::WouldBlock) => self.wait_for_lock(file, patience)?,
        };
        Ok(LockedStore { store: self.clone(), _lock: file })
    }

    /// Waits on a separate thread, since the system's call has no timeout: a process stopped while it holds
    /// the lock would block this one forever. A lock acquired too late is released immediately.
    fn wait_for_lock(&self, file: File, patience: Duration) -> Result<File, StoreError> {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let locked = file.lock().map(|()| file);
            if sender.send(locked).is_err() {
                tracing::debug!("the lock of the credentials came too late");
            }
        });
        match receiver.recv_timeout(patience) {
            Ok(locked) => locked.map_err(|cause| self.io(cause)),
            Err(_) => Err(StoreError::Locked { path: self.path.display().to_string() }),
        }
    }

    /// Stores or removes an entry.
    pub fn set(&self, provider: &str, entry: Option<Value>) -> Result<(), StoreError> {
        self.lock()?.set(provider, entry)
    }

    fn io(&self, cause: io::Error) -> StoreError {
        StoreError::Io { path: self.path.display().to_string(), cause }
    }
}

impl LockedStore {
    /// Returns the stored entries.
    pub fn read(&self) -> Result<Entries, StoreError> {
        self.store.read()
    }

    /// Stores or removes an entry; other entries are unchanged.
    pub fn set(&self, provider: &str, entry: Option<Value>) -> Result<(), StoreError> {
        let mut entries = self.store.read()?;
        match entry {
            Some(entry) => entries.insert(provider.to_string(), entry),
            None => entries.shift_remove(provider),
        };
        let text = format!("{:#}\n", Value::Object(entries));
        self.write(&text).map_err(|cause| self.store.io(cause))
    }

    /// Writes a temporary file and renames it; it is readable only by its owner from the start.
    fn write(&self, text: &str) -> io::Result<()> {
        let folder = self.store.path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&self.store.path)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[cfg(unix)]
    #[test]
    fn auth_store_is_owner_only_and_keeps_other_entries() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("new/auth.json");
        let store = Store::new(&path);
        assert!(store.read().unwrap().is_empty());
        store.set("a", Some(json!({"type": "api_key", "key": "k", "odd": [1]}))).unwrap();
        store.set("b", Some(json!({"type": "api_key", "key": "l"}))).unwrap();
        store.set("b", None).unwrap();
        assert_eq!(
            Value::Object(store.read().unwrap()),
            json!({"a": {"type": "api_key", "key": "k", "odd": [1]}})
        );
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn auth_store_broken_file_is_reported_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("auth.json");
        fs::write(&path, "{\n \"a\": hunter2\n}").unwrap();
        let store = Store::new(&path);
        let error = store.set("b", Some(json!({}))).unwrap_err().to_string();
        assert!(error.contains("auth.json:2:") && !error.contains("hunter2"), "{error}");
        assert!(fs::read_to_string(&path).unwrap().contains("hunter2"));
        fs::write(&path, "\u{feff}{\"a\": {}}").unwrap();
        assert_eq!(store.read().unwrap().len(), 1);
    }

    #[test]
    fn auth_store_held_lock_times_out() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(&dir.path().join("auth.json"));
        let held = store.lock().unwrap();
        let told = store.lock_within(Duration::from_millis(30)).unwrap_err().to_string();
        assert!(told.contains("auth.json: another process"), "{told}");
        drop(held);
        assert!(store.lock_within(Duration::from_secs(20)).is_ok());
    }

    #[test]
    fn auth_store_concurrent_writes_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::new(&dir.path().join("auth.json"));
        std::thread::scope(|scope| {
            for n in 0..8 {
                let store = store.clone();
                scope.spawn(move || store.set(&format!("p{n}"), Some(json!({"n": n}))).unwrap());
            }
        });
        assert_eq!(store.read().unwrap().len(), 8);
    }
}
