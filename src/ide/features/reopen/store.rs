//! Where what is open in a folder is kept for the next start there. Must not know what it is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::exec::CacheFolder;
use crate::exec::storage::cache::Limits;
use crate::ide::features::recovery::journal::key_of;

/// Bytes of what is read; what is kept is shorter.
const READ_MAX: u64 = 1 << 20;
/// What is kept of all folders.
const LIMITS: Limits = Limits { bytes: 8 << 20, age: Duration::from_hours(365 * 24) };

/// Where it is kept.
#[derive(Debug)]
pub struct ReopenStore {
    files: CacheFolder,
    name: String,
}

impl ReopenStore {
    /// That of a folder, in the program's folder of state.
    pub fn new(state: &Path, workspace: &Path) -> Self {
        Self { files: CacheFolder::new(folder_in(state)), name: name_of(workspace) }
    }

    /// What is kept, if anything is; fails where it cannot be read. Blocking.
    pub fn get(&self) -> std::io::Result<Option<Vec<u8>>> {
        self.files.get(&self.name, READ_MAX)
    }

    /// Puts it in the place of what was kept before. Blocking.
    pub fn put(&self, content: &str) {
        let kept = self.files.put(&self.name, content.as_bytes()).and_then(|()| self.files.clean(LIMITS));
        if let Err(error) = kept {
            tracing::warn!(%error, "what is open could not be kept");
        }
    }
}

/// The name under which a folder's is kept.
pub fn name_of(workspace: &Path) -> String {
    key_of(workspace) + ".open"
}

/// The folder of them in the program's folder of state.
fn folder_in(state: &Path) -> PathBuf {
    state.join("open")
}
