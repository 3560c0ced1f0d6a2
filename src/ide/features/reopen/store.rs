//! Storage of the layouts of folders. Must not know their content.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::exec::CacheFolder;
use crate::exec::storage::cache::Limits;
use crate::ide::features::recovery::journal::key_of;

/// Maximum bytes that are read; stored layouts are shorter.
const READ_MAX: u64 = 1 << 20;
/// Limits of all stored layouts.
const LIMITS: Limits = Limits { bytes: 8 << 20, age: Duration::from_hours(365 * 24) };

/// The storage of a folder's layout.
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

    /// Returns the stored content, if any; fails if it cannot be read. Blocking.
    pub fn get(&self) -> std::io::Result<Option<Vec<u8>>> {
        self.files.get(&self.name, READ_MAX)
    }

    /// Replaces the stored content. Blocking.
    pub fn put(&self, content: &str) {
        let kept = self.files.put(&self.name, content.as_bytes()).and_then(|()| self.files.clean(LIMITS));
        if let Err(error) = kept {
            tracing::warn!(%error, "what is open could not be kept");
        }
    }
}

/// Returns the name under which a folder's layout is stored.
pub fn name_of(workspace: &Path) -> String {
    key_of(workspace) + ".open"
}

/// Returns the folder of the layouts in the folder of the program's state.
fn folder_in(state: &Path) -> PathBuf {
    state.join("open")
}
