//! Checkpoints of one workspace: records, loads, and restores them.
//!
//! Must not know sessions. Several processes may use one workspace.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use super::apply::{self, Applied, OpenFileWriter};
use super::error::CheckpointError;
use super::files::{self, Files, Node};
use super::index::{Index, Stat};
use super::name::Name;
use super::object::Oid;
use super::plan::{self, Decisions, Plan, Step};
use super::snapshot::{self, Limits, ScanRequest, SkipReason};
use super::store::Store;
use crate::base::clock::{SharedClock, SystemClock};

/// A recorded state of the workspace.
#[derive(Debug, Clone)]
pub struct RecordedCheckpoint {
    /// Its object id.
    pub id: Oid,
    /// The nodes by path.
    pub files: Arc<Files>,
    /// Paths that were not recorded, and why.
    pub skipped: Vec<(Name, SkipReason)>,
    /// Start time of the scan, in milliseconds since the epoch.
    pub at_ms: u64,
    /// File metadata at that time, to detect later changes.
    index: Arc<Index>,
}

/// Records and restores the states of one workspace.
#[derive(Debug)]
pub struct Checkpointer {
    root: PathBuf,
    excluded_folders: Vec<PathBuf>,
    limits: Limits,
    store: Store,
    clock: DebugClock,
    index: Mutex<Arc<Index>>,
    /// The state that was read or recorded last, as a cache: it is usually the next one needed.
    last: Mutex<Option<(Oid, Arc<Files>)>>,
}

/// The machine's clock, to compare with file timestamps.
struct DebugClock(SharedClock);

impl std::fmt::Debug for DebugClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("clock")
    }
}

/// Returns the store's folder of a workspace below the folder of all stores.
pub fn store_folder(base: &Path, root: &Path) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    let mut digest = super::object::Sha1::default();
    digest.update(root.as_os_str().as_bytes());
    base.join(&Oid(digest.finish()).to_string()[..16])
}

/// File name of the metadata index in a store's folder; git's own is `index`.
const INDEX_FILE: &str = "known";
/// File name of the note that names the workspace of a store.
const WORKSPACE_FILE: &str = "workspace";

/// Returns the workspace of a store's folder.
pub fn workspace_of(folder: &Path) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    let bytes = fs::read(folder.join(WORKSPACE_FILE)).ok()?;
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

/// Writes the note with the store's workspace atomically: without it the store would belong to no workspace.
fn write_workspace_file(note: &Path, root: &Path) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt;
    let mut file = tempfile::NamedTempFile::new_in(note.parent().unwrap_or(Path::new("/")))?;
    io::Write::write_all(&mut file, root.as_os_str().as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(note).map(drop).map_err(|failed| failed.error)
}

impl Checkpointer {
    /// Opens the checkpoints of a workspace, whose store is below `base` (`…/checkpoints`). `own` are folders
    /// with bowline's own files, which are not recorded.
    pub fn open(base: &Path, root: &Path, own: &[PathBuf], limits: Limits) -> Result<Self, CheckpointError> {
        let root = fs::canonicalize(root).map_err(CheckpointError::io_at(root))?;
        let folder = store_folder(base, &root);
        let store = Store::open(&folder)?;
        if workspace_of(&folder).is_none_or(|noted| noted != root) {
            let note = folder.join(WORKSPACE_FILE);
            write_workspace_file(&note, &root).map_err(CheckpointError::io_at(&note))?;
        }
        let index = Mutex::new(Arc::new(Index::read(&folder.join(INDEX_FILE))));
        let real = |path: &PathBuf| fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        let own = own.iter().map(real).chain([real(&base.to_path_buf())]).collect();
        let clock = DebugClock(SystemClock::shared());
        Ok(Self { root, excluded_folders: own, limits, store, clock, index, last: Mutex::default() })
    }

    /// Returns the workspace's root, with links resolved.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the object store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    fn index(&self) -> MutexGuard<'_, Arc<Index>> {
        self.index.lock()
    }

    fn cache_last(&self, id: Oid, files: &Arc<Files>) {
        *self.last.lock() = Some((id, Arc::clone(files)));
    }

    /// Records the present state. `extra` are paths that are recorded even if ignored; `instead` are contents
    /// that take precedence over those on disk.
    pub fn record(
        &self,
        extra: &[Name],
        instead: &[(Name, Vec<u8>)],
        cancel: &CancellationToken,
    ) -> Result<RecordedCheckpoint, CheckpointError> {
        let mut index = self.index();
        let at_ms = self.clock.0.now_ms();
        let request = ScanRequest {
            root: &self.root,
            excluded_folders: &self.excluded_folders,
            extra,
            overrides: instead,
            limits: self.limits,
            clock: &self.clock.0,
            cancel,
        };
        let found = snapshot::record(&self.store, &index, &request)?;
        if **index != found.index {
            *index = Arc::new(found.index);
            if let Err(error) = index.write(&self.store.root().join(INDEX_FILE)) {
                // The next scan is slower, nothing more.
                tracing::warn!(%error, "the index of checkpoints cannot be written");
            }
        }
        let known = Arc::clone(&index);
        drop(index);
        let files = Arc::new(found.files);
        self.cache_last(found.id, &files);
        Ok(RecordedCheckpoint { id: found.id, files, skipped: found.skipped, at_ms, index: known })
    }

    /// Loads a recorded state.
    pub fn load(&self, id: Oid) -> Result<Arc<Files>, CheckpointError> {
        if let Some((last, files)) = &*self.last.lock()
            && *last == id
        {
            return Ok(Arc::clone(files));
        }
        let files = Arc::new(files::load(&self.store, id)?);
        self.cache_last(id, &files);
        Ok(files)
    }

    /// Records a copy of a state with other contents for some paths. Paths that were not in it count as
    /// ignored.
    pub fn amend(
        &self,
        before: &Files,
        with: &[(Name, Node)],
    ) -> Result<RecordedCheckpoint, CheckpointError> {
        let mut files = before.clone();
        for (name, node) in with {
            for folder in name.folders().filter(|folder| !before.contains_key(folder)) {
                files.insert(folder.clone(), Node::Folder(0o755));
                files.add_ignored(folder);
            }
            if files.insert(name.clone(), *node).is_none() {
                files.add_ignored(name.clone());
            }
        }
        let batch = self.store.batch();
        let id = files::save(&files, &batch)?;
        batch.finish()?;
        let files = Arc::new(files);
        self.cache_last(id, &files);
        let index = Arc::clone(&self.index());
        Ok(RecordedCheckpoint { id, files, skipped: Vec::new(), at_ms: self.clock.0.now_ms(), index })
    }

    /// Stores a content, for an amended state.
    pub fn store_content(&self, content: &[u8]) -> Result<Oid, CheckpointError> {
        let batch = self.store.batch();
        let oid = batch.put(&mut super::pack::Packer::default(), super::object::Kind::Blob, content)?;
        batch.finish()?;
        Ok(oid)
    }

    /// Whether a file is unchanged since a time, in milliseconds since the epoch, according to its
    /// timestamps.
    pub fn is_older(&self, name: &Name, ms: u64) -> bool {
        let facts = fs::symlink_metadata(name.under(&self.root)).ok().filter(fs::Metadata::is_file);
        facts.is_some_and(|facts| Stat::of(&facts).is_before(i128::from(ms) * 1_000_000))
    }

    /// Plans these steps from the state `now`. Merged texts are written to the store.
    pub fn plan(
        &self,
        now: &RecordedCheckpoint,
        steps: &[Step],
        decisions: &Decisions,
    ) -> Result<Plan, CheckpointError> {
        plan::plan(&self.store, &now.files, steps, decisions)
    }

    /// Applies a plan from the state `now`; paths that have changed since are skipped. `held` writes files
    /// that are open in an editor.
    pub fn apply(&self, now: &RecordedCheckpoint, plan: &Plan, held: &mut dyn OpenFileWriter) -> Applied {
        apply::apply(&self.root, &self.store, &now.index, plan, held)
    }
}
