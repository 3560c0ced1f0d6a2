//! Storage of the favorite models, which all windows share, in tasks. Must not know the state.

use std::io;
use std::path::Path;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::exec::CacheFolder;

/// Name of the file.
const FILE: &str = "favorites.json";
/// Maximum bytes of the file.
const FILE_MAX: u64 = 1 << 20;
/// Version of the stored form.
const VERSION: u32 = 1;

/// The names of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelId {
    /// The provider's id.
    pub provider: String,
    /// The model's id there.
    pub id: String,
}

/// The stored form.
#[derive(Serialize, Deserialize)]
struct FavoritesFile {
    version: u32,
    models: Vec<ModelId>,
}

/// The storage.
#[derive(Debug)]
pub struct FavoriteStore {
    files: CacheFolder,
    /// Held while the file is read and written.
    writing: Mutex<()>,
}

impl FavoriteStore {
    /// The favorites in the program's folder of state.
    pub fn new(state: &Path) -> Self {
        Self { files: CacheFolder::new(state.join("models")), writing: Mutex::new(()) }
    }

    /// Returns the favorites, oldest first. Fails if the file is damaged. Blocking.
    pub fn get(&self) -> io::Result<Vec<ModelId>> {
        let Some(bytes) = self.files.get_or_fail(FILE, FILE_MAX)? else { return Ok(Vec::new()) };
        let damaged = |reason: String| io::Error::new(io::ErrorKind::InvalidData, reason);
        let stored: FavoritesFile =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        if stored.version != VERSION {
            return Err(damaged(format!("version {} is not supported", stored.version)));
        }
        Ok(stored.models)
    }

    /// Adds or removes a model, and returns all favorites, with those that other windows added. A damaged file
    /// is not replaced. Blocking.
    pub fn set(&self, model: ModelId, is_favorite: bool) -> io::Result<Vec<ModelId>> {
        let _writing = self.writing.lock();
        let mut models = self.get()?;
        models.retain(|known| *known != model);
        if is_favorite {
            models.push(model);
        }
        let stored = FavoritesFile { version: VERSION, models };
        self.files.put(FILE, &serde_json::to_vec(&stored)?)?;
        Ok(stored.models)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(id: &str) -> ModelId {
        ModelId { provider: "p".into(), id: id.into() }
    }

    #[test]
    fn favorite_models_of_two_windows_are_merged() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (FavoriteStore::new(folder.path()), FavoriteStore::new(folder.path()));
        assert_eq!(one.get().unwrap(), []);
        one.set(model("a"), true).unwrap();
        other.set(model("b/c"), true).unwrap();
        assert_eq!(one.set(model("a"), true).unwrap(), [model("b/c"), model("a")]);
        assert_eq!(one.set(model("b/c"), false).unwrap(), [model("a")]);
        assert_eq!(other.get().unwrap(), [model("a")]);
    }

    #[test]
    fn favorite_models_damaged_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = FavoriteStore::new(folder.path());
        let files = CacheFolder::new(folder.path().join("models"));
        for bad in ["", "[]", "{\"version\":7,\"models\":[]}"] {
            files.put(FILE, bad.as_bytes()).unwrap();
            assert_eq!(store.set(model("a"), true).unwrap_err().kind(), io::ErrorKind::InvalidData);
            assert_eq!(files.get(FILE, 100).unwrap().unwrap(), bad.as_bytes());
        }
    }
}
